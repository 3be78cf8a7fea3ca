import type { Ledger } from '../../ledger/ledger.ts';
import type { SweptItem, Tally } from '../../ledger/tally.ts';
import { lagPercentiles } from '../../report/numbers.ts';

/** The items that expire in one second. */
export interface Second {
  /** Epoch seconds. */
  readonly ttl: number;
  /** Items that are in the table. */
  readonly there: number;
  /** Items that were seen to be deleted. */
  readonly gone: number;
}

/** How late the items were that were deleted within a few seconds, milliseconds. */
export interface LagSpan {
  readonly p50: number;
  readonly max: number;
}

/** How a run of `npm start` stands at one moment: all that is shown of it while it runs. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** By their TTL; only those in which something expires. */
  readonly seconds: readonly Second[];
  readonly tally: Pick<Tally, 'written' | 'expired' | 'deleted' | 'overdue'>;
  /** By the time of the deletions, the oldest first; undefined where nothing was deleted. */
  readonly lags: readonly (LagSpan | undefined)[];
  readonly promisedLagMs: number;
  /** When the first and the last item of the plan expire, epoch seconds. */
  readonly firstTtl: number;
  readonly lastTtl: number;
  /** Items that expire in a second. */
  readonly rate: number;
  /** What the sweep does, in words: what it did last, and what it does now. */
  readonly sweep: readonly string[];
  /** Where a browser shows the executions. */
  readonly page?: string | undefined;
}

/** Seconds after its last write in which an item of a run expires: what is further away is not shown. */
const AHEAD_SECONDS = 120;
/** How long ago an item may have expired to be shown. */
const BEHIND_SECONDS = 240;
/** Seconds of a column in the plot of lags. */
export const LAG_SPAN_SECONDS = 3;
const LAG_SPANS = 20;

/** @param items all that expire up to {@link AHEAD_SECONDS} after `now`, which is epoch milliseconds */
function secondsOf(items: readonly SweptItem[], now: number): Second[] {
  const seconds = new Map<number, { ttl: number; there: number; gone: number }>();
  for (const { ttl, goneAt } of items) {
    if (ttl <= now / 1000 - BEHIND_SECONDS) continue;
    const second = seconds.get(ttl) ?? { ttl, there: 0, gone: 0 };
    seconds.set(ttl, second);
    if (goneAt === undefined) second.there += 1;
    else second.gone += 1;
  }
  return [...seconds.values()].sort((one, other) => one.ttl - other.ttl);
}

/** The lags of each few seconds up to `now`, epoch milliseconds. */
function lagSpansOf(items: readonly SweptItem[], now: number): Moment['lags'] {
  const spanOf = (ms: number) => Math.floor(ms / 1000 / LAG_SPAN_SECONDS);
  const last = spanOf(now);
  const bySpan = new Map<number, number[]>();
  for (const { ttl, goneAt } of items) {
    if (goneAt === undefined || spanOf(goneAt) <= last - LAG_SPANS) continue;
    const lags = bySpan.get(spanOf(goneAt)) ?? [];
    bySpan.set(spanOf(goneAt), lags);
    lags.push(goneAt - ttl * 1000);
  }
  return Array.from({ length: LAG_SPANS }, (_, index) => spanIn(bySpan.get(last - LAG_SPANS + 1 + index)));
}

function spanIn(lags: readonly number[] = []): LagSpan | undefined {
  const { p50, max } = lagPercentiles(lags);
  return p50 === null || max === null ? undefined : { p50, max };
}

/** What a moment is made of. */
export interface Standing
  extends Pick<Moment, 'promisedLagMs' | 'firstTtl' | 'lastTtl' | 'rate' | 'sweep' | 'page'> {
  readonly ledger: Pick<Ledger, 'tally' | 'swept'>;
}

/** @param now epoch milliseconds */
export function momentOf({ ledger, ...standing }: Standing, now: number): Moment {
  const items = ledger.swept(now + AHEAD_SECONDS * 1000);
  const { written, expired, deleted, overdue } = ledger.tally(now);
  return {
    now,
    seconds: secondsOf(items, now),
    tally: { written, expired, deleted, overdue },
    lags: lagSpansOf(items, now),
    ...standing,
  };
}

/** Share of the time that showing a run may take from running it. */
const SHARE = 0.05;
/** The longest pause: somebody watches. */
const LONGEST_MS = 2_000;

/**
 * Makes work that takes long rarer: a large run has many items to count, and its sweep runs in the same process.
 *
 * @param now milliseconds since some moment
 */
export function sparingly<Arguments extends unknown[]>(
  work: (...args: Arguments) => void,
  now: () => number = () => performance.now(),
): (...args: Arguments) => void {
  let next = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const start = now();
    if (start < next) return;
    work(...args);
    next = start + Math.min(LONGEST_MS, (now() - start) / SHARE);
  };
}
