import type { PreciseTtlProps } from '../config/props.ts';
import { monthlyCost } from '../operate/cost.ts';
import type { HistoryReport } from '../operate/history/report.ts';
import type { MonthCost } from './report.ts';

/** A month of the bill: 30 days. */
const MONTH_MS = 30 * 86_400_000;

/** The shortest time from which a month's cost is computed, milliseconds. */
const MIN_MEASURED_MS = 60_000;

/** Size of an item; the same as the default of the command `cost`. */
const ITEM_BYTES = 1_000;

/** The cost of a month at the rate of deletions in a history. @param nowMs epoch milliseconds */
export function monthCost(
  { since, tables: histories }: HistoryReport,
  tables: readonly PreciseTtlProps[],
  nowMs: number,
): MonthCost {
  const sweeps = histories.flatMap(each => each.sweeps);
  const first = sweeps.reduce((earliest, { startedAt }) => Math.min(earliest, Date.parse(startedAt)), nowMs);
  // The measurement begins with the first listed sweep if the deployment is younger than the history.
  const from = sweeps.length === 0 ? Date.parse(since) : first;
  const measuredMs = Math.max(MIN_MEASURED_MS, nowMs - from);
  const deleted = sweeps.reduce((sum, { outcome }) => sum + outcome.deleted, 0);
  const itemsPerMonth = Math.round((deleted / measuredMs) * MONTH_MS);
  const { bill } = monthlyCost({
    tables,
    itemsPerMonth,
    itemBytes: ITEM_BYTES,
    ...{ renewalsPerItem: 0, lifetimeHours: 24, copies: 1 },
  });
  return {
    dollars: bill.total,
    byPart: bill.byPart,
    itemsPerMonth,
    itemBytes: ITEM_BYTES,
    measuredSeconds: Math.round(measuredMs / 1000),
  };
}
