import { PreciseTtlError } from '../expiry/errors.ts';

/** There is no journal of a deployment: it is not deployed, or elsewhere. */
export class JournalNotFoundError extends PreciseTtlError {
  override readonly name = 'JournalNotFoundError';
}
