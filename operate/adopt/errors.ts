import { PreciseTtlError } from '../../expiry/errors.ts';
import { InputError } from '../input-error.ts';

/** The table can't be adopted as it is, or as it was asked for; nothing was changed. */
export class CannotAdoptError extends InputError {
  override readonly name = 'CannotAdoptError';
}

/** An adoption that had begun can't go on. */
export class AdoptError extends PreciseTtlError {
  override readonly name = 'AdoptError';
}
