import type { BrakeProgress, ChildLimit } from '../../statemachine/contract/child.ts';
import { CHUNK_KEYS, PAGE_KEYS } from '../../statemachine/contract/limits.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';

/*
 * The slice of a child's progress that says how fast it may delete: as fast as it can, unless `maxDeletesPerSecond` says less or DynamoDB throttles. What it may
 * hand to DeleteChunks is a credit that grows each second, since waits end on whole seconds. What one second did not use is
 * not made up for in later ones.
 */

/**
 * Keys a second below which no throttling brings a child: one chunk. Where single calls are throttled now and then, whatever the rate,
 * less than that would make a small stream of items late for nothing.
 */
const SLOWEST = CHUNK_KEYS;

/** Above this share of throttled keys the rate halves; below, it falls by half of that share. */
const HALVING_SHARE = 0.6;

/** Growth of the rate after each page that was not throttled, once more for each such page in a row; at most doubled. */
const GROWTH = 0.05;

/** Sums of fractions miss a whole number by that. */
const TINY = 1e-9;

export function startBrake(limit: ChildLimit | null): BrakeProgress {
  return { limit, rate: null, triedLately: 0, throttledLately: 0, clearPages: 0, credit: 0, creditAt: 0 };
}

/** The fate of a page's keys in DynamoDB. */
export interface PageFate {
  /** Keys that were handed to DeleteChunks. */
  readonly handedOver: number;
  /** Those that DynamoDB is known to have been asked for, each as often as it was. */
  readonly tried: number;
  readonly throttled: number;
}

/** Keys a second; infinite for a child that nothing brakes. */
function allowedRate({ rate, limit }: BrakeProgress): number {
  return Math.min(rate ?? Number.POSITIVE_INFINITY, limit?.perSecond ?? Number.POSITIVE_INFINITY);
}

/**
 * The rate after what DynamoDB did with the keys of a page.
 *
 * 1. More than three fifths of what was tried lately throttled: half the rate, or half of what was tried if that was less; no deletes
 *    before the next second.
 * 2. Fewer throttled: a child that is braked slows down by half of their share. One that is not tries them again, which it can do without
 *    harm as long as most get through.
 * 3. None throttled: the rate grows, slowly at first, so that it stays long just below what DynamoDB takes; then faster and faster, until
 *    it is more than a page a second, and the brake is off.
 */
export function afterDeletes(
  before: BrakeProgress,
  { handedOver, tried, throttled }: PageFate,
  nowSeconds: Seconds,
): BrakeProgress {
  if (tried === 0) return before;
  const after = {
    ...before,
    triedLately: before.triedLately / 2 + tried,
    throttledLately: before.throttledLately / 2 + throttled,
  };
  if (throttled === 0) return withoutThrottling(after);
  const share = after.throttledLately / after.triedLately;
  if (share > HALVING_SHARE) {
    const used = Math.max(handedOver, after.triedLately / 2);
    const rate = Math.max(SLOWEST, Math.min(before.rate ?? used, used) / 2);
    return { ...after, rate, clearPages: 0, credit: 0, creditAt: nowSeconds };
  }
  if (before.rate === null) return after;
  return { ...after, rate: Math.max(SLOWEST, before.rate * (1 - share / 2)), clearPages: 0 };
}

function withoutThrottling(brake: BrakeProgress): BrakeProgress {
  if (brake.rate === null) return brake;
  const clearPages = brake.clearPages + 1;
  const rate = brake.rate * (1 + Math.min(1, GROWTH * clearPages));
  return rate > PAGE_KEYS ? { ...brake, rate: null, clearPages: 0 } : { ...brake, rate, clearPages };
}

/** The credit as of this second. */
export function withCredit(brake: BrakeProgress, nowSeconds: Seconds): BrakeProgress {
  const rate = allowedRate(brake);
  if (!Number.isFinite(rate)) return brake;
  const { credit, creditAt, limit } = brake;
  if (creditAt === 0) return { ...brake, credit: limit?.credit ?? 0, creditAt: nowSeconds };
  // A second's worth, and the key that a fraction has begun.
  const most = Number.isInteger(rate) ? rate : rate + 1;
  const earned = Math.max(0, nowSeconds - creditAt) * rate;
  return { ...brake, credit: Math.min(most, credit + earned), creditAt: Math.max(creditAt, nowSeconds) };
}

/** Keys that may be handed to DeleteChunks now: the most that a page may have. */
export function keysAllowed(brake: BrakeProgress): number {
  if (!Number.isFinite(allowedRate(brake))) return PAGE_KEYS;
  return Math.min(PAGE_KEYS, Math.floor(brake.credit + TINY));
}

/** When the next key may be handed over, whole; null: now. */
export function brakedUntil(brake: BrakeProgress): Seconds | null {
  if (keysAllowed(brake) > 0) return null;
  const seconds = (1 - brake.credit) / allowedRate(brake);
  return brake.creditAt + Math.max(1, Math.ceil(seconds - TINY));
}

/** So many keys are handed over. */
export function spend(brake: BrakeProgress, keys: number): BrakeProgress {
  return Number.isFinite(allowedRate(brake)) ? { ...brake, credit: brake.credit - keys } : brake;
}

/** When the child's part of a limit ends; infinite when it does not. */
export function endOfLimitMs({ limit }: BrakeProgress): Millis {
  return (limit?.before ?? Number.POSITIVE_INFINITY) * 1000;
}
