import { EmulatorError } from '../errors.ts';

/** The definition or an option of the harness is not valid. */
export class HarnessError extends EmulatorError {
  override readonly name: string = 'HarnessError';
}

/** A function was called for which there is no mock, or no further answer. The execution was stopped there. */
export class MissingMockError extends HarnessError {
  override readonly name = 'MissingMockError';
}

/** An execution did not end as `assertSucceeded` or `assertFailed` wanted it to; the message describes it. */
export class UnexpectedStatusError extends HarnessError {
  override readonly name = 'UnexpectedStatusError';
}
