import { turnOf } from '../table/turn.ts';

/* The index of each table is scanned once a day, each table of a deployment at another minute. */

const DAY_SECONDS = 86_400;

/** Seconds for which the first scan of a table stays due after its daily time, because a tick may be late or throttled. */
const FIRST_TURN_SECONDS = 3_600;

/** Seconds for which no tick starts another scan after one was started. A running scan extends them. */
export const SCAN_TAKEN_SECONDS = 3_600;

/** Minimum seconds between two scans. Scans that were started by hand count too; but no table waits for more than a day and a half. */
const MIN_SECONDS = 43_200;

/**
 * When the next scan is due after one that has read the whole index: at the table's first daily time that is at least twelve hours later.
 * A scan that begins late does not move later ones.
 *
 * @param began epoch seconds
 * @returns epoch seconds
 */
export function nextScanAt(table: string, began: number): number {
  const earliest = began + MIN_SECONDS;
  return earliest + DAY_SECONDS - sinceTurn(table, earliest);
}

/**
 * Whether a scan of the table's index is due.
 *
 * @param scanAt value in the journal, epoch seconds; undefined: the table has never been scanned
 */
export function isScanDue(table: string, scanAt: number | undefined, now: number): boolean {
  return scanAt === undefined ? sinceTurn(table, now) < FIRST_TURN_SECONDS : scanAt <= now;
}

/** Earliest time at which ticks start the next scan of a table, epoch seconds. @param scanAt as in {@link isScanDue} */
export function nextTurnAt(table: string, scanAt: number | undefined, now: number): number {
  if (isScanDue(table, scanAt, now)) return now;
  return scanAt ?? now + DAY_SECONDS - sinceTurn(table, now);
}

/** Seconds since the table's last daily time. */
function sinceTurn(table: string, now: number): number {
  const turn = turnOf(table, DAY_SECONDS / 60) * 60;
  return (((now - turn) % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
}
