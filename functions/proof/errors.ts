import { PreciseTtlError } from '../../expiry/errors.ts';

/** The manifest cannot be written from the ledger's entries, and was not. */
export class ProofRefusedError extends PreciseTtlError {
  override readonly name = 'ProofRefusedError';
}
