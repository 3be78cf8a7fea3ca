import { PreciseTtlError } from '../../expiry/errors.ts';

/** A manifest cannot be written of what is there, and none was. */
export class ProofRefusedError extends PreciseTtlError {
  override readonly name = 'ProofRefusedError';
}
