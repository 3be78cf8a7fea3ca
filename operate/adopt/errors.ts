import { PreciseTtlError } from '../../expiry/errors.ts';
import { InputError } from '../input-error.ts';

/** The table can't be adopted in its state, or with these options; nothing was changed. */
export class CannotAdoptError extends InputError {
  override readonly name = 'CannotAdoptError';
}

/** An adoption can't continue after it has begun. */
export class AdoptError extends PreciseTtlError {
  override readonly name = 'AdoptError';
}
