import { MAX_PAIRS } from '../statemachine/contract.ts';
import {
  ceil,
  counted,
  difference,
  equal,
  floor,
  least,
  product,
  quotient,
  remainder,
  sum,
  when,
} from './values.ts';

/** The props that decide how much a reconcile looks at. */
interface Reconciled {
  readonly reconcileHours: number;
  readonly granularityMinutes: number;
  readonly shards: number;
}

/** One of the hourly executions that a reconcile consists of. */
export interface ReconcilePart {
  /** The minute of the hour at which it starts. */
  readonly minute: number;
  /** From how far back it looks, and where it stops, minutes before its own start. */
  readonly lookbackMinutes: number;
  readonly skipMinutes: number;
}

/** Some minutes past the hour, away from everybody else's hourly jobs. */
const FIRST_MINUTE = 7;

/** Windows that a part may touch beyond those that its time is long: it is entered and left in the middle of one. */
const EDGE_WINDOWS = 2;

/** Parts of one reconcile: one a minute, or they would probe at once again. */
export const MAX_RECONCILE_PARTS = 60;

/**
 * Cuts the lookback of a reconcile into as few parts as executions can get through, of equal length, the newest first.
 *
 * They start one after the other over an hour, so that they do not all probe at once; a part that starts later reaches
 * back that much further. So the parts of an hour lie without a gap as they would had all started with the first.
 */
export function reconcileParts(table: Reconciled): readonly ReconcilePart[] {
  return partsOf(table, partMinutes(table));
}

/** How far a part reaches, in minutes. */
export function partMinutes({ reconcileHours, granularityMinutes, shards }: Reconciled): number {
  const windows = ceil(quotient(product(reconcileHours, 60), granularityMinutes));
  const windowsOfPart = difference(floor(quotient(MAX_PAIRS, shards)), EDGE_WINDOWS);
  return product(ceil(quotient(windows, ceil(quotient(windows, windowsOfPart)))), granularityMinutes);
}

/** How many parts there are. */
export function partCount(table: Reconciled): number {
  return countOf(table, partMinutes(table));
}

function countOf({ reconcileHours }: Pick<Reconciled, 'reconcileHours'>, length: number): number {
  return ceil(quotient(product(reconcileHours, 60), length));
}

/** The parts of such a length. */
export function partsOf(table: Pick<Reconciled, 'reconcileHours'>, length: number): readonly ReconcilePart[] {
  const lookback = product(table.reconcileHours, 60);
  const count = countOf(table, length);
  return counted(count, part => {
    const later = floor(quotient(product(part, 60), count));
    return {
      minute: remainder(sum(FIRST_MINUTE, later), 60),
      lookbackMinutes: sum(least(product(sum(part, 1), length), lookback), later),
      skipMinutes: when(equal(part, 0), 0, sum(product(part, length), later)),
    };
  });
}
