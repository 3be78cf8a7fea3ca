import { PreciseTtlError } from '../expiry/errors.ts';

/** Base class of errors about a field: an option of a function, or a variable of the environment. A command shows its flag instead. */
export class FieldError extends PreciseTtlError {
  override readonly name: string = 'FieldError';
  readonly field: string;
  /** The expected value, the value that was got, and the remedy. */
  readonly detail: string;

  constructor(field: string, detail: string) {
    super(`${field}: ${detail}`);
    this.field = field;
    this.detail = detail;
  }
}

/** An invalid input, such as a table that the configuration does not have, or an endpoint that is not a URL. */
export class InputError extends FieldError {
  override readonly name: string = 'InputError';
}
