import type { DeferredProgress, PollProgress } from '../../statemachine/contract/child.ts';
import type { ListedFailure } from '../../statemachine/contract/keys.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { listFailedKeys } from '../report/listed-keys.ts';
import { type BackoffSettings, backoffMs } from '../retry/backoff.ts';

/* The slice of a child's progress that says what a poll from the start of the windows will find again, and when that is due. */

export const NOTHING_DEFERRED: DeferredProgress = {
  count: 0,
  keys: [],
  retryAtMs: null,
  polls: 0,
  retriedUpTo: null,
};

/**
 * So many keys are left to a later poll.
 *
 * @param maxBytes of the keys that are listed, as JSON
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
 * Gives what is deferred a poll of its own: soon for what is deferred for the first time, whatever else has been waiting
 * for long; later and later for what such a poll has left again.
 *
 * @param ttls those of the keys that were deferred right now
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
    // Only the end of a poll tells that it left nothing.
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

/** A poll from the start of the windows begins: it finds again what is deferred, which of these is still there. */
export function beginRetry({ polls }: DeferredProgress, seen: Seconds | null): DeferredProgress {
  return { ...NOTHING_DEFERRED, polls, retriedUpTo: seen };
}

/** Any other poll begins. */
export function noRetry(deferred: DeferredProgress): DeferredProgress {
  return { ...deferred, retriedUpTo: null };
}
