import { ApiError, validationError } from './errors.ts';

/** Length limits of a string. */
interface LengthLimits {
  readonly min?: number;
  readonly max?: number;
}

/** The fields of a request. Unknown ones are ignored, as on AWS. */
export class Members {
  readonly #raw: Readonly<Record<string, unknown>>;

  constructor(raw: Readonly<Record<string, unknown>>) {
    this.#raw = raw;
  }

  /** Whether the field is present; null counts as absent everywhere in AWS. */
  has(name: string): boolean {
    return this.#take(name) !== undefined;
  }

  string(name: string, limits: LengthLimits = {}): string {
    return this.#required(name, this.optionalString(name, limits));
  }

  optionalString(name: string, limits: LengthLimits = {}): string | undefined {
    const value = this.#typed(name, 'string');
    if (value === undefined) return undefined;
    this.#checkLength(name, value, limits);
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
    if (!Number.isInteger(value)) throw wrongType(name, value, 'Integer');
    if (value < min) throw this.#unsatisfied(name, value, `have value greater than or equal to ${min}`);
    if (value > max) throw this.#unsatisfied(name, value, `have value less than or equal to ${max}`);
    return value;
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, 'boolean');
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.#take(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw wrongType(name, value, 'List');
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
    throw wrongType(name, value, { string: 'String', number: 'Integer', boolean: 'Boolean' }[type]);
  }

  #required<T>(name: string, value: T | undefined): T {
    if (value !== undefined) return value;
    throw validationError(`Value null at '${name}' failed to satisfy constraint: Member must not be null`);
  }

  #checkLength(name: string, value: string, { min = 0, max = Number.POSITIVE_INFINITY }: LengthLimits): void {
    if (value.length < min)
      throw this.#unsatisfied(name, value, `have length greater than or equal to ${min}`);
    if (value.length > max) throw this.#unsatisfied(name, value, `have length less than or equal to ${max}`);
  }

  /** @param constraint what the member must do */
  #unsatisfied(name: string, value: string | number, constraint: string): ApiError {
    return validationError(
      `Value '${cut(String(value))}' at '${name}' failed to satisfy constraint: Member must ${constraint}`,
    );
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 97)}...` : text);

/** AWS reports the token of its JSON parser, without the field, which is added here. */
function wrongType(name: string, value: unknown, expected: string): ApiError {
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
    `${got} can not be converted to ${article} ${expected} at '${name}'`,
  );
}
