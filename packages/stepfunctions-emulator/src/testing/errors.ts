import { EmulatorError } from '../errors.ts';

/** Base class of the test harness's errors. A plain HarnessError means a wrong use of the harness, e.g. an invalid argument. */
export class HarnessError extends EmulatorError {
  override readonly name: string = 'HarnessError';
}

/** A call has no mock, or the mock's list has no further answer. The harness stopped the execution at this call. */
export class MissingMockError extends HarnessError {
  override readonly name = 'MissingMockError';
}

export class UnexpectedStatusError extends HarnessError {
  override readonly name = 'UnexpectedStatusError';
}
