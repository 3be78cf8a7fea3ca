import { PreciseTtlError } from '../expiry/errors.ts';

/** Something that was given does not fit: a table that the configuration does not have, an endpoint that is no URL. */
export class InputError extends PreciseTtlError {
  override readonly name: string = 'InputError';
}
