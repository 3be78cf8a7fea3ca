import { ApiError, validationError } from './errors.ts';

/** Length limits of a string or a list. */
interface LengthLimits {
  readonly min?: number;
  readonly max?: number;
}

/** The fields of a request. Unknown ones are ignored, as on AWS. */
export class Members {
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(raw: Readonly<Record<string, unknown>>, path = '') {
    this.#raw = raw;
    this.#path = path;
  }

  /** Whether the field is present; null counts as absent everywhere in AWS. */
  has(name: string): boolean {
    return this.#take(name) !== undefined;
  }

  /** Names of all fields, known or not. */
  get names(): readonly string[] {
    return Object.keys(this.#raw).filter(name => this.has(name));
  }

  string(name: string, limits: LengthLimits = {}): string {
    return this.#required(name, this.optionalString(name, limits));
  }

  optionalString(name: string, limits: LengthLimits = {}): string | undefined {
    const value = this.#typed(name, 'string');
    if (value === undefined) return undefined;
    this.#checkLength(name, value, value, limits);
    return value;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.#typed(name, 'string');
    if (value === undefined) return undefined;
    const found = allowed.find(one => one === value);
    if (found !== undefined) return found;
    throw this.#unsatisfied(name, value, `satisfy enum value set: [${allowed.join(', ')}]`);
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.#typed(name, 'number');
    if (value === undefined) return undefined;
    if (!Number.isInteger(value)) throw wrongType(this.#at(name), value, 'Integer');
    if (value < min) throw this.#unsatisfied(name, value, `have value greater than or equal to ${min}`);
    if (value > max) throw this.#unsatisfied(name, value, `have value less than or equal to ${max}`);
    return value;
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, 'boolean');
  }

  object(name: string): Members | undefined {
    const value = this.#plainObject(name);
    return value === undefined ? undefined : new Members(value, this.#at(name));
  }

  objects(name: string): Members[] | undefined {
    return this.#list(name)?.map((one, index) => {
      const path = `${this.#at(name)}.${index + 1}.member`;
      if (!isObject(one)) throw wrongType(path, one, 'Object');
      return new Members(one, path);
    });
  }

  #plainObject(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#take(name);
    if (value === undefined || isObject(value)) return value;
    throw wrongType(this.#at(name), value, 'Object');
  }

  #list(name: string): unknown[] | undefined {
    const value = this.#take(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw wrongType(this.#at(name), value, 'List');
  }

  #take(name: string): unknown {
    return Object.hasOwn(this.#raw, name) ? (this.#raw[name] ?? undefined) : undefined;
  }

  #typed(name: string, type: 'string'): string | undefined;
  #typed(name: string, type: 'number'): number | undefined;
  #typed(name: string, type: 'boolean'): boolean | undefined;
  #typed(name: string, type: 'string' | 'number' | 'boolean'): unknown {
    const value = this.#take(name);
    if (value === undefined || typeof value === type) return value;
    throw wrongType(this.#at(name), value, { string: 'String', number: 'Integer', boolean: 'Boolean' }[type]);
  }

  #required<T>(name: string, value: T | undefined): T {
    if (value !== undefined) return value;
    throw validationError(
      `Value null at '${this.#at(name)}' failed to satisfy constraint: Member must not be null`,
    );
  }

  #checkLength(
    name: string,
    { length }: { readonly length: number },
    shown: string,
    { min = 0, max = Number.POSITIVE_INFINITY }: LengthLimits,
  ): void {
    if (length < min) throw this.#unsatisfied(name, shown, `have length greater than or equal to ${min}`);
    if (length > max) throw this.#unsatisfied(name, shown, `have length less than or equal to ${max}`);
  }

  /** @param constraint what the member must do */
  #unsatisfied(name: string, value: string | number, constraint: string): ApiError {
    return validationError(
      `Value '${cut(String(value))}' at '${this.#at(name)}' failed to satisfy constraint: Member must ${constraint}`,
    );
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 97)}...` : text);

/** AWS reports the token of its JSON parser, without a path; the path is added here. */
function wrongType(path: string, value: unknown, expected: string): ApiError {
  const got = Array.isArray(value)
    ? 'START_ARRAY'
    : typeof value === 'object'
      ? 'START_OBJECT'
      : typeof value === 'boolean'
        ? `${value}`.toUpperCase()
        : `${typeof value}_VALUE`.toUpperCase();
  const article = /^[AEIO]/.test(expected) ? 'an' : 'a';
  return new ApiError(
    'SerializationException',
    `${got} can not be converted to ${article} ${expected} at '${path}'`,
  );
}
