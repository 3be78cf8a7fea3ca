import { requestTimeoutMs } from '../table/dynamodb.ts';

/** Minimum time in milliseconds to begin a call. */
const MIN_CALL_MS = 50;

/** Timeout of the next call, milliseconds; undefined when there is no time for one. */
export type TimeLeft = (share: number) => number | undefined;

/**
 * Divides the time of a task among several calls. The time starts at the first call.
 *
 * @param timeoutSeconds TimeoutSeconds of the task
 * @param clock epoch milliseconds
 * @returns the rest of a share (0 to 1) of the task's time, for one call at most the timeout of a request
 */
export function timeLeftOf(timeoutSeconds: number, clock: () => number): TimeLeft {
  let startedMs: number | undefined;
  return share => {
    startedMs ??= clock();
    const left = Math.floor(startedMs + timeoutSeconds * 1000 * share - clock());
    return left < MIN_CALL_MS ? undefined : Math.min(left, requestTimeoutMs(timeoutSeconds, 1));
  };
}
