import { CHUNK_KEYS, type ChildLimit, type ChildProgress, PAGE_KEYS } from '../../statemachine/contract.ts';
import { sumOfFates } from '../../statemachine/counts.ts';

/*
 * How fast a child may delete: as fast as it can, unless `maxDeletesPerSecond` says less or DynamoDB throttles. What it may
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

type Braking = Pick<ChildProgress, 'rate' | 'credit' | 'creditAt'> & { readonly limit?: ChildLimit | null };

/** Keys a second; infinite for a child that nothing brakes. */
function allowedRate({ rate, limit }: Braking): number {
  return Math.min(rate ?? Number.POSITIVE_INFINITY, limit?.perSecond ?? Number.POSITIVE_INFINITY);
}

/**
 * The rate after what DynamoDB did with the keys of a page.
 *
 * 1. More than three fifths of what was tried lately throttled: half the rate, or half of what was tried if that was less; no deletes before
 *    the next second.
 * 2. Fewer throttled: a child that is braked slows down by half of their share. One that is not tries them again, which it
 *    can do without harm as long as most get through.
 * 3. None throttled: the rate grows, slowly at first, so that it stays long just below what DynamoDB takes; then faster and
 *    faster, until it is more than a page a second, and the brake is off.
 */
export function afterDeletes(before: ChildProgress, added: ChildProgress, nowSeconds: number): ChildProgress {
  const throttled = added.throttled - before.throttled;
  const tried = throttled + sumOfFates(added) - sumOfFates(before);
  if (tried === 0) return added;
  const after = {
    ...added,
    triedLately: before.triedLately / 2 + tried,
    throttledLately: before.throttledLately / 2 + throttled,
  };
  if (throttled === 0) return withoutThrottling(before, after);
  const share = after.throttledLately / after.triedLately;
  if (share > HALVING_SHARE) {
    const used = Math.max(before.inFlight, after.triedLately / 2);
    const rate = Math.max(SLOWEST, Math.min(before.rate ?? used, used) / 2);
    return { ...after, rate, clearPages: 0, credit: 0, creditAt: nowSeconds };
  }
  if (before.rate === null) return after;
  return { ...after, rate: Math.max(SLOWEST, before.rate * (1 - share / 2)), clearPages: 0 };
}

function withoutThrottling(before: ChildProgress, after: ChildProgress): ChildProgress {
  if (before.rate === null) return after;
  const clearPages = before.clearPages + 1;
  const rate = before.rate * (1 + Math.min(1, GROWTH * clearPages));
  return rate > PAGE_KEYS ? { ...after, rate: null, clearPages: 0 } : { ...after, rate, clearPages };
}

/** The credit as of this second. */
export function withCredit(progress: ChildProgress, nowSeconds: number): ChildProgress {
  const rate = allowedRate(progress);
  if (!Number.isFinite(rate)) return progress;
  const { credit, creditAt, limit } = progress;
  if (creditAt === 0) return { ...progress, credit: limit?.credit ?? 0, creditAt: nowSeconds };
  // A second's worth, and the key that a fraction has begun.
  const most = Number.isInteger(rate) ? rate : rate + 1;
  const earned = Math.max(0, nowSeconds - creditAt) * rate;
  return { ...progress, credit: Math.min(most, credit + earned), creditAt: Math.max(creditAt, nowSeconds) };
}

/** Keys that may be handed to DeleteChunks now: the most that a page may have. */
export function keysAllowed(progress: Braking): number {
  if (!Number.isFinite(allowedRate(progress))) return PAGE_KEYS;
  return Math.min(PAGE_KEYS, Math.floor(progress.credit + TINY));
}

/** When the next key may be handed over, epoch seconds, whole; null: now. */
export function brakedUntil(progress: Braking): number | null {
  if (keysAllowed(progress) > 0) return null;
  const seconds = (1 - progress.credit) / allowedRate(progress);
  return progress.creditAt + Math.max(1, Math.ceil(seconds - TINY));
}

/** So many keys are handed over. */
export function spend<Progress extends Braking>(progress: Progress, keys: number): Progress {
  return Number.isFinite(allowedRate(progress)) ? { ...progress, credit: progress.credit - keys } : progress;
}
