import { EmulatorError } from '../errors.ts';

/** A failure of a state as Step Functions reports it: an error name and a cause. Both are optional, as the fields of a Fail state are. */
export class StateFailure extends EmulatorError {
  override readonly name = 'StateFailure';
  readonly error: string | undefined;
  override readonly cause: string | undefined;

  constructor(error: string | undefined, cause: string | undefined) {
    super(`${error ?? '(no error)'}: ${cause ?? '(no cause)'}`);
    this.error = error;
    this.cause = cause;
  }
}

/** Thrown in an execution, branch or iteration after its abort. No Catch handles a Cancelled. */
export class Cancelled extends EmulatorError {
  override readonly name = 'Cancelled';
}

export class CallFailure extends StateFailure {}

export class TimeoutFailure extends CallFailure {}

/** A missed heartbeat. The error name is States.Timeout, but Retry and Catch match the failure also by States.HeartbeatTimeout. */
export class HeartbeatTimeout extends TimeoutFailure {}

/**
 * Whether the error matches only by its name, not by States.ALL. The Developer Guide ("Error names") says so of
 * States.DataLimitExceeded. Recorded on AWS: States.ALL does match if a function's result is too large.
 */
function onlyByName(error: string, failure: StateFailure): boolean {
  return error === 'States.DataLimitExceeded' && !(failure instanceof CallFailure);
}

/**
 * The failure of a Map or Parallel in which `failure` occurred. Recorded on AWS for a function's result that is too large: States.ALL
 * matches in the Catch of the Task, but not in the Catch of the Map or Parallel.
 */
export function failureAround(failure: unknown): unknown {
  if (!(failure instanceof CallFailure) || failure.error !== 'States.DataLimitExceeded') return failure;
  return new StateFailure(failure.error, failure.cause);
}

/**
 * Whether a name in `errorEquals` matches the failure. No name matches States.Runtime, which "will always cause the execution to fail"
 * (Developer Guide, "Error names").
 */
export function errorMatches(errorEquals: readonly string[], failure: StateFailure): boolean {
  const error = failure.error ?? '';
  if (error === 'States.Runtime') return false;
  return errorEquals.some(name => {
    if (name === error) return true;
    if (name === 'States.HeartbeatTimeout') return failure instanceof HeartbeatTimeout;
    if (onlyByName(error, failure)) return false;
    return name === 'States.ALL' || (name === 'States.TaskFailed' && error !== 'States.Timeout');
  });
}

/**
 * The error names with `States.` that a definition may contain, besides `States.Http.…`. The Amazon States Language ("Errors") reserves
 * names that begin with `States.`.
 */
export const STATES_ERRORS: ReadonlySet<string> = new Set([
  'States.ALL',
  'States.BranchFailed',
  'States.DataLimitExceeded',
  'States.ExceedToleratedFailureThreshold',
  'States.HeartbeatTimeout',
  'States.IntrinsicFailure',
  'States.ItemReaderFailed',
  'States.NoChoiceMatched',
  'States.ParameterPathFailure',
  'States.Permissions',
  'States.QueryEvaluationError',
  'States.ResultPathMatchFailure',
  'States.ResultWriterFailed',
  'States.Runtime',
  'States.TaskFailed',
  'States.Timeout',
]);

export function errorDetails(failure: Pick<StateFailure, 'error' | 'cause'>): {
  error?: string;
  cause?: string;
} {
  return {
    ...(failure.error !== undefined && { error: failure.error }),
    ...(failure.cause !== undefined && { cause: failure.cause }),
  };
}
