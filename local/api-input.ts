import { ApiRequestError } from './http-server.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** How an API says what is wrong with a request. */
export interface InputErrors {
  readonly invalid: (field: string, expected: string, got: unknown) => ApiRequestError;
  readonly missing: (field: string) => ApiRequestError;
  /** A field that AWS knows, or not, and that isn't answered here. */
  readonly unknown: (field: string, known: readonly string[]) => ApiRequestError;
}

/** Of an API that says so by a ValidationException. */
export function validationErrors(service: string): InputErrors {
  const error = (message: string) => new ApiRequestError('ValidationException', message);
  return {
    invalid: (field, expected, got) => error(`${field}: expected ${expected}, got ${JSON.stringify(got)}`),
    missing: field => error(`${field}: expected a value, got nothing`),
    unknown: (field, known) =>
      error(`${field}: expected one of ${known.join(', ')}; others are not answered by the local ${service}`),
  };
}

/** Reads the fields of a request. Null counts as absent, as AWS has it. Every method throws what {@link InputErrors} makes. */
export class ApiInput {
  readonly #fields: Fields;
  readonly #errors: InputErrors;
  readonly #path: string;

  /** @param known the fields that there may be @param path what stands before a field's name in messages */
  constructor(fields: Fields, errors: InputErrors, known: readonly string[], path = '') {
    this.#fields = fields;
    this.#errors = errors;
    this.#path = path;
    const unknown = Object.keys(fields).find(
      field => this.#value(field) !== undefined && !known.includes(field),
    );
    if (unknown !== undefined) throw errors.unknown(path + unknown, known);
  }

  text(field: string): string | undefined {
    const value = this.#value(field);
    if (value === undefined || typeof value === 'string') return value;
    throw this.#errors.invalid(this.#path + field, 'a text', value);
  }

  requiredText(field: string): string {
    const value = this.text(field);
    if (value !== undefined && value !== '') return value;
    throw this.#errors.missing(this.#path + field);
  }

  number(field: string): number | undefined {
    const value = this.#value(field);
    if (value === undefined || typeof value === 'number') return value;
    throw this.#errors.invalid(this.#path + field, 'a number', value);
  }

  whole(field: string, min: number, max: number): number | undefined {
    const value = this.number(field);
    if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value;
    throw this.#errors.invalid(this.#path + field, `a whole number from ${min} to ${max}`, value);
  }

  texts(field: string): readonly string[] | undefined {
    const value = this.#value(field);
    if (value === undefined || (Array.isArray(value) && value.every(one => typeof one === 'string'))) {
      return value as readonly string[] | undefined;
    }
    throw this.#errors.invalid(this.#path + field, 'a list of texts', value);
  }

  objects(field: string): readonly Fields[] {
    const value = this.#value(field);
    if (value === undefined) throw this.#errors.missing(this.#path + field);
    if (Array.isArray(value) && value.every(one => typeof one === 'object' && one !== null)) return value;
    throw this.#errors.invalid(this.#path + field, 'a list of objects', value);
  }

  #value(field: string): unknown {
    return this.#fields[field] ?? undefined;
  }
}
