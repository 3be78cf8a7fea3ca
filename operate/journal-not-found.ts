import { PreciseTtlError } from '../expiry/errors.ts';

/** A deployment's journal does not exist: it is not deployed, or in another place. */
export class JournalNotFoundError extends PreciseTtlError {
  override readonly name = 'JournalNotFoundError';
}
