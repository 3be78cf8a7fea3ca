import { EmulatorError } from '../errors.ts';

/** The definition or an option of the harness is not valid. */
export class HarnessError extends EmulatorError {
  override readonly name: string = 'HarnessError';
}

/** A function without a mock was called, or its mock has no further answer. The execution was stopped there. */
export class MissingMockError extends HarnessError {
  override readonly name = 'MissingMockError';
}

/** The execution's status is not the one that `assertSucceeded` or `assertFailed` expects; the message describes it. */
export class UnexpectedStatusError extends HarnessError {
  override readonly name = 'UnexpectedStatusError';
}
