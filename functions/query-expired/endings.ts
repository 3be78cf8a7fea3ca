import type { ChildProgress, ShardResult } from '../../statemachine/contract/child.ts';
import { MAX_CHILD_SECONDS } from '../../statemachine/contract/limits.ts';
import type { Millis } from '../../statemachine/times.ts';
import { brakedUntil, endOfLimitMs } from '../child/brake.ts';
import { NOTHING_DEFERRED } from '../child/deferred.ts';
import { isUnread } from '../child/poll.ts';
import { endShard, handOn, madeProgress } from '../child/shard-result.ts';

/* The ways in which a child ends before it is done. */

/** The time limits of a child. */
export interface Lifetime {
  /** The child has reached the age of MAX_CHILD_SECONDS. */
  readonly isOver: boolean;
  /** The child has reached the age `handsOnAfter`, at which another child may continue with what it has not read. */
  readonly handsOn: boolean;
  /** The child's share of `maxDeletesPerSecond` has ended. */
  readonly isLimitOver: boolean;
  /** No delete begins after this time. */
  readonly deadlineMs: Millis;
}

export function lifetime({ brake, handsOnAfter }: ChildProgress, startedAt: string, nowMs: Millis): Lifetime {
  const ageMs = Date.parse(startedAt) + MAX_CHILD_SECONDS * 1000;
  const limitMs = endOfLimitMs(brake);
  const isLimitOver = nowMs >= limitMs;
  return {
    isOver: nowMs >= ageMs,
    handsOn: handsOnAfter !== undefined && nowMs >= Date.parse(startedAt) + handsOnAfter * 1000,
    isLimitOver,
    // The entries that its last poll finds can still be deleted.
    deadlineMs: isLimitOver ? ageMs : Math.min(ageMs, limitMs),
  };
}

/**
 * How a child ends before it is done; null: it continues.
 *
 * @param gaveUp number of keys whose attempts or time are used up
 */
export function earlyEnd(
  progress: ChildProgress,
  gaveUp: number,
  { isOver, handsOn, isLimitOver }: Lifetime,
  nowMs: Millis,
): ShardResult | null {
  // A child that only waits hands nothing on: another one would not be faster.
  if (handsOn && progress.poll.position !== null && madeProgress(progress)) return handOn(progress);
  if (isLimitOver && (isOver || !hasKeptUp(progress, nowMs))) return leaveForLater(progress);
  return gaveUp > 0 || isOver ? stopEarly(progress) : null;
}

/** Whether only the last poll of its upcoming minute is left, which is due at the end of that minute. */
function hasKeptUp({ poll, deferred, busy }: ChildProgress, nowMs: Millis): boolean {
  const { position, nextAt } = poll;
  const waitsForNothing = position === null && deferred.count === 0 && busy.untilMs === null;
  return waitsForNothing && nextAt !== null && nextAt * 1000 > nowMs - 1000;
}

/** Ends the child without a failure: a later sweep finds what is left, only later. */
function leaveForLater(progress: ChildProgress): ShardResult {
  const { poll, deferred, busy, counts } = progress;
  const isDone = !isUnread(poll) && deferred.count === 0 && busy.polls === 0;
  const left = { ...counts, leftForLater: isDone ? 0 : 1 };
  return endShard({ ...progress, deferred: NOTHING_DEFERRED, counts: left }, { interrupted: false });
}

/** Ends a child whose time or attempts ran out. If it made progress, the next child can too. */
function stopEarly(progress: ChildProgress): ShardResult {
  const { poll, deferred, busy, brake, counts } = progress;
  const unread = isUnread(poll) || busy.polls > 0;
  if (!unread && deferred.count === 0) return endShard(progress, { interrupted: false });
  const isOnlyBraked = brakedUntil(brake) !== null && counts.throttled === 0 && counts.failed === 0;
  return madeProgress(progress) || isOnlyBraked
    ? handOn(progress)
    : endShard(progress, { interrupted: unread });
}
