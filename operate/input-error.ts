import { PreciseTtlError } from '../expiry/errors.ts';

/** The root of errors that name a field: an option of a function, or a variable of the environment. A command names its flag for it. */
export class FieldError extends PreciseTtlError {
  override readonly name: string = 'FieldError';
  readonly field: string;
  /** What was expected, what was got, and what to do. */
  readonly detail: string;

  constructor(field: string, detail: string) {
    super(`${field}: ${detail}`);
    this.field = field;
    this.detail = detail;
  }
}

/** Something that was given does not fit: a table that the configuration does not have, an endpoint that is no URL. */
export class InputError extends FieldError {
  override readonly name: string = 'InputError';
}
