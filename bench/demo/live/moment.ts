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

/** Percentiles of the lags within a few seconds, milliseconds. */
export interface LagSpan {
  readonly p50: number;
  readonly max: number;
}

/** The state of a run of `npm start` at one moment, as far as it is shown. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The seconds in which items expire, in the order of time. */
  readonly seconds: readonly Second[];
  readonly tally: Pick<Tally, 'written' | 'expired' | 'deleted' | 'overdue'>;
  /** Lags in the order of the deletions' times; undefined for a span without deletions. */
  readonly lags: readonly (LagSpan | undefined)[];
  readonly promisedLagMs: number;
  /** When the first and the last item of the plan expire, epoch seconds. */
  readonly firstTtl: number;
  readonly lastTtl: number;
  /** Items that expire in a second. */
  readonly rate: number;
  /** Two sentences: what the sweep did last, and what it does now. */
  readonly sweep: readonly string[];
  /** Address of the page that shows the executions. */
  readonly page?: string | undefined;
}

/** Longest time from an item's write to its expiry in a run; later expiries are not shown. */
const AHEAD_SECONDS = 120;
/** An item that expired longer ago is not shown. */
const BEHIND_SECONDS = 240;
/** Seconds for each bar of the lags. */
export const LAG_SPAN_SECONDS = 3;
const LAG_SPANS = 20;

/**
 * Counts items by the second in which they expire. @param items those that expire up to {@link AHEAD_SECONDS} after `now`, which is epoch
 * milliseconds
 */
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

/** The lags of each span of some seconds up to `now`, epoch milliseconds. */
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

/** The data from which a moment is made. */
export interface Standing
  extends Pick<Moment, 'promisedLagMs' | 'firstTtl' | 'lastTtl' | 'rate' | 'sweep' | 'page'> {
  readonly ledger: Pick<Ledger, 'tally' | 'swept'>;
}

/** The moment of a run at this time. @param now epoch milliseconds */
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
const MAX_PAUSE_MS = 2_000;

/**
 * Does work less often the longer it takes: a large run has many items to count, and its sweep runs in the same process.
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
    next = start + Math.min(MAX_PAUSE_MS, (now() - start) / SHARE);
  };
}
