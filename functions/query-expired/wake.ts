import type { BrakeProgress, ChildProgress, SecondPolls } from '../../statemachine/contract/child.ts';
import type { Millis } from '../../statemachine/times.ts';
import { brakedUntil } from '../child/brake.ts';
import { nextSeconds } from '../child/poll.ts';
import { waitUntil } from '../retry/backoff.ts';
import type { IndexLayout } from '../table/index-layout.ts';

/* When a child has something to do next. Its waits end on whole seconds. */

export const AT_ONCE: Millis = 0;

/** When the child may do its next work, a whole second; null when no work is left. */
export function nextWake(progress: ChildProgress): Millis | null {
  const dueMs = nextDue(progress);
  const brakedMs = (brakedUntil(progress.brake) ?? 0) * 1000;
  return dueMs === null ? null : Math.max(dueMs, brakedMs);
}

function nextDue({ poll, deferred, busy }: ChildProgress): Millis | null {
  const { position, nextAt } = poll;
  const { retryAtMs } = deferred;
  if (busy.untilMs !== null) return wholeSecond(busy.untilMs);
  if (position !== null) return AT_ONCE;
  if (retryAtMs === null) return nextAt === null ? null : nextAt * 1000;
  return Math.min(wholeSecond(retryAtMs), nextAt === null ? retryAtMs : nextAt * 1000);
}

/** Whether there was work before the child was allowed to delete again. */
export function wasBraked(before: BrakeProgress, progress: ChildProgress): boolean {
  const until = brakedUntil(before);
  const dueMs = nextDue(progress);
  return until !== null && dueMs !== null && dueMs < until * 1000;
}

/** Whether a poll for deferred keys is due. During a poll none begins: repeated pages of stuck keys would delay those behind them. */
export function isRetryDue({ poll, deferred }: ChildProgress, nowMs: Millis): boolean {
  const { retryAtMs } = deferred;
  return retryAtMs !== null && poll.position === null && wholeSecond(retryAtMs) <= nowMs;
}

/**
 * The random moment of this poll within the second in which a wait ended: polls that were throttled together are spread over that second.
 * A poll for items that expire right then does not wait.
 */
export function ownMoment({ poll, deferred, busy }: ChildProgress, nowMs: Millis): Millis {
  if (busy.untilMs !== null) return busy.untilMs;
  const { position, nextAt } = poll;
  const onlyRetry = position === null && (nextAt === null || nextAt * 1000 > nowMs);
  return onlyRetry ? (deferred.retryAtMs ?? nowMs) : nowMs;
}

function wholeSecond(epochMs: Millis): Millis {
  return Math.floor(epochMs / 1000) * 1000;
}

/** The seconds that the state machine can poll by itself, from the next wake; null if the wake is for something else, or by window. */
export function secondsToPoll(
  { poll, target }: ChildProgress,
  wakeMs: Millis,
  deadlineMs: Millis,
  { keysPerShard }: IndexLayout,
): SecondPolls | null {
  if (keysPerShard === 1 || poll.nextAt === null || poll.nextAt * 1000 !== wakeMs) return null;
  return nextSeconds(poll, target, Math.ceil(deadlineMs / 1000));
}

/** The end of a wait, or the deadline if that is less than a second later: otherwise the wait would be repeated until the deadline. */
export function untilOrDeadline(epochMs: Millis, deadlineMs: Millis): string {
  return waitUntil(Math.min(epochMs / 1000, Math.ceil(deadlineMs / 1000)));
}
