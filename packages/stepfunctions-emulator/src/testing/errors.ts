import { EmulatorError } from '../errors.ts';

/** Base class of the harness's errors; itself thrown for an invalid option or argument. */
export class HarnessError extends EmulatorError {
  override readonly name: string = 'HarnessError';
}

/** A function without a mock was called, or the mock has no further answer. The harness stopped the execution at this call. */
export class MissingMockError extends HarnessError {
  override readonly name = 'MissingMockError';
}

/** The execution's status or error is not as `assertSucceeded` or `assertFailed` expects; the message describes the execution. */
export class UnexpectedStatusError extends HarnessError {
  override readonly name = 'UnexpectedStatusError';
}
