import type { ChildProgress, ShardResult } from '../../statemachine/contract/child.ts';
import { MAX_CHILD_SECONDS } from '../../statemachine/contract/limits.ts';
import type { Millis } from '../../statemachine/times.ts';
import { brakedUntil, endOfLimitMs } from '../child/brake.ts';
import { NOTHING_DEFERRED } from '../child/deferred.ts';
import { isUnread } from '../child/poll.ts';
import { endShard, handOn, madeProgress } from '../child/shard-result.ts';

/* How a child ends before it is done. */

/** How long a child has. */
export interface Lifetime {
  /** The child has come to the age of MAX_CHILD_SECONDS. */
  readonly isOver: boolean;
  /** Somebody else can go on with what it has not read. */
  readonly handsOn: boolean;
  /** Its part of `maxDeletesPerSecond` has ended. */
  readonly isLimitOver: boolean;
  /** No delete begins from then on. */
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
    // The entries that its last poll finds may still be deleted.
    deadlineMs: isLimitOver ? ageMs : Math.min(ageMs, limitMs),
  };
}

/**
 * How a child ends before it is done; null: it goes on.
 *
 * @param gaveUp keys that were tried for as long as they may be
 */
export function earlyEnd(
  progress: ChildProgress,
  gaveUp: number,
  { isOver, handsOn, isLimitOver }: Lifetime,
  nowMs: Millis,
): ShardResult | null {
  // One that only waits has nothing that another one would do sooner.
  if (handsOn && progress.poll.position !== null && madeProgress(progress)) return handOn(progress);
  if (isLimitOver && (isOver || !hasKeptUp(progress, nowMs))) return leaveForLater(progress);
  return gaveUp > 0 || isOver ? stopEarly(progress) : null;
}

/** All that is left is the last poll of its upcoming minute, which is due at the end of that. */
function hasKeptUp({ poll, deferred, busy }: ChildProgress, nowMs: Millis): boolean {
  const { position, nextAt } = poll;
  const waitsForNothing = position === null && deferred.count === 0 && busy.untilMs === null;
  return waitsForNothing && nextAt !== null && nextAt * 1000 > nowMs - 1000;
}

/** It is late, not failed: a later sweep finds again what is left. */
export function leaveForLater(progress: ChildProgress): ShardResult {
  const { poll, deferred, busy, counts } = progress;
  const isDone = !isUnread(poll) && deferred.count === 0 && busy.polls === 0;
  const left = { ...counts, leftForLater: isDone ? 0 : 1 };
  return endShard({ ...progress, deferred: NOTHING_DEFERRED, counts: left }, { interrupted: false });
}

/** Time or attempts ran out. What could be done in this child can be done in the next one too. */
function stopEarly(progress: ChildProgress): ShardResult {
  const { poll, deferred, busy, brake, counts } = progress;
  const unread = isUnread(poll) || busy.polls > 0;
  if (!unread && deferred.count === 0) return endShard(progress, { interrupted: false });
  const isOnlyBraked = brakedUntil(brake) !== null && counts.throttled === 0 && counts.failed === 0;
  return madeProgress(progress) || isOnlyBraked
    ? handOn(progress)
    : endShard(progress, { interrupted: unread });
}
