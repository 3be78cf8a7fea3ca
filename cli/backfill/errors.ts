import { PreciseTtlError } from '../../expiry/index.ts';

/** Why a backfill can't go on, for a person to read. */
export class BackfillError extends PreciseTtlError {
  override readonly name = 'BackfillError';
}
