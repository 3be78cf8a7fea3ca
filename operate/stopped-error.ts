import { PreciseTtlError } from '../expiry/errors.ts';

/** A change that was stopped by an error. `cause` is that error, `result` is what was done before it. */
export class StoppedError extends PreciseTtlError {
  override readonly name = 'StoppedError';
  readonly result: object;

  constructor(result: object, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.result = result;
  }
}
