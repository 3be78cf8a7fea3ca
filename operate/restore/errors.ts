import { PreciseTtlError } from '../../expiry/errors.ts';

/** The scratch table belongs to somebody else, or does not become ready. */
export class ScratchTableError extends PreciseTtlError {
  override readonly name = 'ScratchTableError';
}
