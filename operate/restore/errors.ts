import { PreciseTtlError } from '../../expiry/errors.ts';

/** The table that a drill writes to is not its own, or does not become ready. */
export class ScratchTableError extends PreciseTtlError {
  override readonly name = 'ScratchTableError';
}
