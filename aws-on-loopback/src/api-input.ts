import { ApiError, type Fields } from 'stepfunctions-emulator/loopback';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON text as an object; undefined for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Names of the errors by which a service reports an invalid request. */
export interface InputErrors {
  /** A field whose value is wrong. */
  readonly invalid: string;
  /** A field that must be there. */
  readonly missing: string;
  /** Name of a field that this service does not support, whether AWS knows it or not. */
  readonly unknown: string;
}

/** Error names of services that use one name for every invalid request. */
export const VALIDATION_ERRORS: InputErrors = {
  invalid: 'ValidationException',
  missing: 'ValidationException',
  unknown: 'ValidationException',
};

/** Reads the fields of a request. Null counts as absent, as on AWS. Every method throws {@link ApiError} for an invalid value. */
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
    if (unknown !== undefined) {
      throw new ApiError(
        errors.unknown,
        `${path}${unknown}: expected one of ${known.join(', ')}; others are not answered on this machine`,
      );
    }
  }

  text(field: string): string | undefined {
    return this.#read(field, 'a text', value => typeof value === 'string');
  }

  requiredText(field: string): string {
    return this.required(field, this.text(field) || undefined);
  }

  oneOf<Text extends string>(field: string, texts: readonly Text[]): Text | undefined {
    return this.#read(field, `one of ${texts.join(', ')}`, (value): value is Text =>
      texts.some(text => text === value),
    );
  }

  number(field: string): number | undefined {
    return this.#read(field, 'a number', value => typeof value === 'number');
  }

  whole(field: string, min: number, max: number): number | undefined {
    return this.#read(
      field,
      `a whole number from ${min} to ${max}`,
      (value): value is number => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    );
  }

  /** Reads a time: epoch seconds in the request, epoch milliseconds here. */
  time(field: string): number | undefined {
    const seconds = this.number(field);
    return seconds === undefined ? undefined : Math.round(seconds * 1000);
  }

  flag(field: string): boolean | undefined {
    return this.#read(field, 'true or false', value => typeof value === 'boolean');
  }

  texts(field: string): readonly string[] | undefined {
    return this.#read(
      field,
      'a list of texts',
      (value): value is string[] => Array.isArray(value) && value.every(one => typeof one === 'string'),
    );
  }

  /** @param known the fields that the object may have */
  object(field: string, known: readonly string[]): ApiInput | undefined {
    const fields = this.#read(field, 'an object', isObject);
    return fields && new ApiInput(fields, this.#errors, known, `${this.#path}${field}.`);
  }

  /** Reads a list of objects. An absent list is an empty one. */
  objects(field: string, known: readonly string[]): readonly ApiInput[] {
    const list = this.#read(
      field,
      'a list of objects',
      (value): value is Fields[] => Array.isArray(value) && value.every(isObject),
    );
    return (list ?? []).map(
      (fields, index) => new ApiInput(fields, this.#errors, known, `${this.#path}${field}[${index}].`),
    );
  }

  required<Value>(field: string, value: Value | undefined): Value {
    if (value !== undefined) return value;
    throw new ApiError(this.#errors.missing, `${this.#path}${field}: expected a value, got nothing`);
  }

  /** Builds the error for an invalid value. */
  invalid(field: string, expected: string, got: unknown): ApiError {
    return new ApiError(
      this.#errors.invalid,
      `${this.#path}${field}: expected ${expected}, got ${JSON.stringify(got)}`,
    );
  }

  #read<Value>(field: string, expected: string, is: (value: unknown) => value is Value): Value | undefined {
    const value = this.#value(field);
    if (value === undefined || is(value)) return value;
    throw this.invalid(field, expected, value);
  }

  #value(field: string): unknown {
    return this.#fields[field] ?? undefined;
  }
}

/** Returns one page of a list; its `NextToken` is the position at which the next page begins. */
export function pageOf<Item>(
  all: readonly Item[],
  size: number,
  input: ApiInput,
): { readonly page: readonly Item[]; readonly NextToken?: string } {
  const token = input.text('NextToken') ?? '0';
  if (!/^\d{1,9}$/.test(token)) throw input.invalid('NextToken', 'one that was answered', token);
  const end = Number(token) + size;
  return { page: all.slice(Number(token), end), ...(end < all.length && { NextToken: String(end) }) };
}
