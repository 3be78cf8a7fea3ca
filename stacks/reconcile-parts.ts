import { MAX_PAIRS } from '../statemachine/contract.ts';

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
export function reconcileParts({ reconcileHours, granularityMinutes, shards }: Reconciled): ReconcilePart[] {
  const lookback = reconcileHours * 60;
  const windows = Math.ceil(lookback / granularityMinutes);
  const windowsOfPart = Math.floor(MAX_PAIRS / shards) - EDGE_WINDOWS;
  const length = Math.ceil(windows / Math.ceil(windows / windowsOfPart)) * granularityMinutes;
  const count = Math.ceil(lookback / length);
  return Array.from({ length: count }, (_unused, part) => {
    const later = Math.floor((part * 60) / count);
    return {
      minute: (FIRST_MINUTE + later) % 60,
      lookbackMinutes: Math.min((part + 1) * length, lookback) + later,
      skipMinutes: part === 0 ? 0 : part * length + later,
    };
  });
}
