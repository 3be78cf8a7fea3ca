import type { DeferredProgress, PollProgress } from '../../statemachine/contract/child.ts';
import type { ListedFailure } from '../../statemachine/contract/keys.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { listFailedKeys } from '../report/listed-keys.ts';
import { type BackoffSettings, backoffMs } from '../retry/backoff.ts';

/*
 * The part of a child's progress about deferred keys, whose single attempt to delete them has failed: how many a poll from the start of the
 * windows will find again, and when it is due.
 */

export const NOTHING_DEFERRED: DeferredProgress = {
  count: 0,
  keys: [],
  retryAtMs: null,
  polls: 0,
  retriedUpTo: null,
};

/**
 * Defers keys to a later poll.
 *
 * @param maxBytes most bytes of the listed keys, as JSON
 */
export function defer(
  deferred: DeferredProgress,
  count: number,
  listed: readonly ListedFailure[],
  maxBytes: number,
): DeferredProgress {
  const keys = listFailedKeys([...deferred.keys, ...listed], maxBytes);
  return { ...deferred, count: deferred.count + count, keys };
}

/**
 * Schedules a poll for the deferred keys: soon after keys are deferred for the first time, even if others have waited long; later and
 * later for keys that such a poll has deferred again.
 *
 * @param ttls TTLs of the keys that were just deferred
 */
export function scheduleRetry(
  deferred: DeferredProgress,
  ttls: readonly Seconds[],
  { position }: PollProgress,
  nowMs: Millis,
  { pace, random }: { readonly pace: BackoffSettings; readonly random: () => number },
): DeferredProgress {
  const { count, retriedUpTo } = deferred;
  if (ttls.length === 0) {
    // Only at its end is it known that a poll has deferred nothing.
    return count === 0 && position === null ? { ...deferred, polls: 0 } : deferred;
  }
  const isAgain = (ttl: Seconds) => retriedUpTo !== null && ttl <= retriedUpTo;
  const leftAgain = ttls.some(isAgain);
  const polls = Math.max(1, deferred.polls + (leftAgain ? 1 : 0));
  const waits = [
    ...(deferred.retryAtMs === null ? [] : [deferred.retryAtMs]),
    ...(leftAgain ? [nowMs + backoffMs(polls, pace, random)] : []),
    ...(ttls.every(isAgain) ? [] : [nowMs + backoffMs(1, pace, random)]),
  ];
  return { ...deferred, polls, retryAtMs: Math.min(...waits) };
}

/** Begins a poll from the start of the windows, which finds those deferred keys that are still there. */
export function beginRetry({ polls }: DeferredProgress, seen: Seconds | null): DeferredProgress {
  return { ...NOTHING_DEFERRED, polls, retriedUpTo: seen };
}

/** Begins a poll that does not retry deferred keys. */
export function noRetry(deferred: DeferredProgress): DeferredProgress {
  return { ...deferred, retriedUpTo: null };
}
