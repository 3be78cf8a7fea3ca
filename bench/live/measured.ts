import type { Tally } from '../../lab/ledger/tally.ts';
import { type LagPercentiles, lagPercentiles } from '../../lab/report/lag.ts';
import { count } from '../../lab/report/numbers.ts';
import { seconds } from './format.ts';

/** What became of a table's items, as its stream shows it, whoever deleted them. */
export interface Measured {
  readonly written: number;
  readonly expired: number;
  /** Of the expired ones, those seen to be deleted. */
  readonly deleted: number;
  /** Of the expired ones, those that were still there at the end. */
  readonly left: number;
  /** Items deleted before their TTL; anything but 0 is a failure. */
  readonly early: number;
  /** From expiry to deletion, milliseconds, of what was deleted. */
  readonly lagMs: LagPercentiles;
}

/** @param lags milliseconds, of every expired item that was deleted */
export function measured(
  { written, expired, deleted, overdue, liveDeleted }: Tally,
  lags: readonly number[],
): Measured {
  return { written, expired, deleted, left: overdue, early: liveDeleted, lagMs: lagPercentiles(lags) };
}

/** Titles of {@link measuredCells}. */
export const MEASURED_HEAD = ['written', 'expired', 'deleted', 'left', 'early', 'p50, s', 'p99, s', 'max, s'];

export function measuredCells({ written, expired, deleted, left, early, lagMs }: Measured): string[] {
  return [
    ...[written, expired, deleted, left, early].map(count),
    ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
  ];
}
