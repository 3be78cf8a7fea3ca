import type { BrakeProgress, ChildProgress, SecondPolls } from '../../statemachine/contract/child.ts';
import type { Millis } from '../../statemachine/times.ts';
import { brakedUntil } from '../child/brake.ts';
import { nextSeconds } from '../child/poll.ts';
import { waitUntil } from '../retry/backoff.ts';
import type { IndexLayout } from '../table/index-layout.ts';

/* When a child has something to do. Its waits end on whole seconds. */

export const AT_ONCE: Millis = 0;

/** When there is something to do that may be done, a whole second; null when nothing is left. */
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

/** There was something to do before the child might delete again. */
export function wasBraked(before: BrakeProgress, progress: ChildProgress): boolean {
  const until = brakedUntil(before);
  const dueMs = nextDue(progress);
  return until !== null && dueMs !== null && dueMs < until * 1000;
}

/** In the middle of a poll nothing begins from the start: pages of what is stuck would keep those behind them waiting. */
export function isRetryDue({ poll, deferred }: ChildProgress, nowMs: Millis): boolean {
  const { retryAtMs } = deferred;
  return retryAtMs !== null && poll.position === null && wholeSecond(retryAtMs) <= nowMs;
}

/**
 * The moment, within the second in which a wait ended, at which this poll is made: what was throttled together spreads over that
 * second. A poll for what expires right then does not wait.
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

/** The seconds that the machine can poll by itself, from the next wake on; null where the wake is for something else, or by window. */
export function secondsToPoll(
  { poll, target }: ChildProgress,
  wakeMs: Millis,
  deadlineMs: Millis,
  { keysPerShard }: IndexLayout,
): SecondPolls | null {
  if (keysPerShard === 1 || poll.nextAt === null || poll.nextAt * 1000 !== wakeMs) return null;
  return nextSeconds(poll, target, Math.ceil(deadlineMs / 1000));
}

/** A wait that ended in the second before the deadline would be asked for again and again until then. */
export function untilOrDeadline(epochMs: Millis, deadlineMs: Millis): string {
  return waitUntil(Math.min(epochMs / 1000, Math.ceil(deadlineMs / 1000)));
}
