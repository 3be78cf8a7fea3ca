import type { Millis, Seconds } from '../../../statemachine/times.ts';
import type { ExpiredItem, Ledger, Tally } from '../../ledger/ledger.ts';
import { lagPercentiles } from '../../report/numbers.ts';

export interface Second {
  readonly ttl: Seconds;
  readonly there: number;
  readonly gone: number;
}

/** Percentiles of the lags within a few seconds, milliseconds. */
export interface LagSpan {
  readonly p50: number;
  readonly max: number;
}

export interface Standing {
  readonly promisedLagMs: number;
  /** TTLs of the first and the last planned item, epoch seconds. Items with earlier TTLs are the backlog. */
  readonly firstTtl: number;
  readonly lastTtl: number;
  readonly rate: number;
  readonly sweep: string;
  readonly page: string;
}

export interface Moment extends Standing {
  readonly now: Millis;
  readonly seconds: readonly Second[];
  readonly tally: Pick<Tally, 'written' | 'expired' | 'deleted' | 'overdue'>;
  /** Lags of each span of time, the oldest span first, without the backlog; undefined without deletions. */
  readonly lags: readonly (LagSpan | undefined)[];
}

/** A moment shows the items that expire within this time. */
const AHEAD_SECONDS = 120;
const LAG_SPAN_SECONDS = 3;
const LAG_SPANS = 20;

function secondsOf(items: readonly ExpiredItem[]): Second[] {
  const seconds = Map.groupBy(items, ({ ttl }) => ttl);
  return [...seconds]
    .map(([ttl, those]) => {
      const there = those.filter(({ deletedAt }) => deletedAt === undefined).length;
      return { ttl, there, gone: those.length - there };
    })
    .sort((one, other) => one.ttl - other.ttl);
}

function lagSpansOf(items: readonly ExpiredItem[], now: number): Moment['lags'] {
  const spanOf = (ms: number) => Math.floor(ms / 1000 / LAG_SPAN_SECONDS);
  const spans = Map.groupBy(items, ({ deletedAt }) => deletedAt && spanOf(deletedAt));
  return Array.from({ length: LAG_SPANS }, (_, index) => {
    const those = spans.get(spanOf(now) - LAG_SPANS + 1 + index) ?? [];
    const { p50, max } = lagPercentiles(those.map(({ ttl, deletedAt = 0 }) => deletedAt - ttl * 1000));
    return p50 === null || max === null ? undefined : { p50, max };
  });
}

export function momentOf(ledger: Pick<Ledger, 'tally' | 'expired'>, standing: Standing, now: number): Moment {
  const items = ledger.expired(now + AHEAD_SECONDS * 1000).filter(({ ttl }) => ttl >= standing.firstTtl);
  const { written, expired, deleted, overdue } = ledger.tally(now);
  const tally = { written, expired, deleted, overdue };
  return { now, seconds: secondsOf(items), tally, lags: lagSpansOf(items, now), ...standing };
}
