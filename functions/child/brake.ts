import type { BrakeProgress, ChildLimit } from '../../statemachine/contract/child.ts';
import { CHUNK_KEYS, PAGE_KEYS } from '../../statemachine/contract/limits.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';

/*
 * The part of a child's progress that limits how fast it deletes. It is not limited unless `maxDeletesPerSecond` is set or DynamoDB
 * throttles. A limited child has a credit of keys that grows each second, since waits end on whole seconds. Credit that one second does
 * not use is not carried over to later ones.
 */

/**
 * Lowest rate to which throttling brakes a child, in keys per second: one chunk. Some tables throttle single calls at any rate; a lower
 * minimum would make even a small stream of items late there.
 */
const SLOWEST = CHUNK_KEYS;

/** Above this share of throttled keys the rate halves; below it, the rate falls by half of the share. */
const HALVING_SHARE = 0.6;

/** Growth of the rate after a page without throttling. It adds up with each such page in a row, up to a doubled rate. */
const GROWTH = 0.05;

/** Rounding error of sums of fractions that should be whole numbers. */
const TINY = 1e-9;

export function startBrake(limit: ChildLimit | null): BrakeProgress {
  return { limit, rate: null, triedLately: 0, throttledLately: 0, clearPages: 0, credit: 0, creditAt: 0 };
}

/** The results of a page's keys in DynamoDB. */
export interface PageFate {
  /** Keys that were handed to DeleteChunks. */
  readonly handedOver: number;
  /** Delete requests for these keys that DynamoDB has answered, including retries. */
  readonly tried: number;
  readonly throttled: number;
}

/** Keys per second; infinite for a child without a brake. */
function allowedRate({ rate, limit }: BrakeProgress): number {
  return Math.min(rate ?? Number.POSITIVE_INFINITY, limit?.perSecond ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the brake with the rate that follows from the results of a page.
 *
 * 1. More than three fifths of the recent requests were throttled: the rate becomes half of its value or of the keys that were just tried,
 *    whichever is less; no deletes before the next second.
 * 2. Fewer were throttled: a braked child slows down by half of their share. A child without a brake only tries them again, which does no
 *    harm as long as most succeed.
 * 3. None were throttled: the rate grows, slowly at first, so that it stays just below DynamoDB's limit for long; then faster and faster,
 *    until it is more than a page per second, and the brake is off.
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

/** Adds the credit that has grown until this second. */
export function withCredit(brake: BrakeProgress, nowSeconds: Seconds): BrakeProgress {
  const rate = allowedRate(brake);
  if (!Number.isFinite(rate)) return brake;
  const { credit, creditAt, limit } = brake;
  if (creditAt === 0) return { ...brake, credit: limit?.credit ?? 0, creditAt: nowSeconds };
  // The credit of one second, and the key that a fraction has begun.
  const most = Number.isInteger(rate) ? rate : rate + 1;
  const earned = Math.max(0, nowSeconds - creditAt) * rate;
  return { ...brake, credit: Math.min(most, credit + earned), creditAt: Math.max(creditAt, nowSeconds) };
}

/** Keys that may be passed to DeleteChunks now: at most a page. */
export function keysAllowed(brake: BrakeProgress): number {
  if (!Number.isFinite(allowedRate(brake))) return PAGE_KEYS;
  return Math.min(PAGE_KEYS, Math.floor(brake.credit + TINY));
}

/** The whole second at which the next key may be deleted; null: now. */
export function brakedUntil(brake: BrakeProgress): Seconds | null {
  if (keysAllowed(brake) > 0) return null;
  const seconds = (1 - brake.credit) / allowedRate(brake);
  return brake.creditAt + Math.max(1, Math.ceil(seconds - TINY));
}

/** Takes deleted keys off the credit. */
export function spend(brake: BrakeProgress, keys: number): BrakeProgress {
  return Number.isFinite(allowedRate(brake)) ? { ...brake, credit: brake.credit - keys } : brake;
}

/** When the child's share of a limit ends; infinite if it has no end. */
export function endOfLimitMs({ limit }: BrakeProgress): Millis {
  return (limit?.before ?? Number.POSITIVE_INFINITY) * 1000;
}
