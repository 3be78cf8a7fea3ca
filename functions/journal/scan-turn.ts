import { turnOf } from '../table/turn.ts';

/* When the index of a table is scanned: once a day, each table of a deployment at another minute. */

const DAY_SECONDS = 86_400;

/** A tick may be late, or throttled: a table that has never been scanned has its turn for so long. */
const FIRST_TURN_SECONDS = 3_600;

/** No tick starts a scan again for so long, unless the one before has said meanwhile that it is under way. */
export const SCAN_TAKEN_SECONDS = 3_600;

/** Scans that were begun by hand count, too; but no table waits for more than a day and a half. */
const MIN_SECONDS = 43_200;

/**
 * When the next scan is due after one that has read the whole index: the first turn that is twelve hours later or more. A scan that begins
 * late does not move the ones after it.
 *
 * @param began epoch seconds
 * @returns epoch seconds
 */
export function nextScanAt(table: string, began: number): number {
  const earliest = began + MIN_SECONDS;
  return earliest + DAY_SECONDS - sinceTurn(table, earliest);
}

/** @param scanAt as the journal has it, epoch seconds; undefined: the table has never been scanned */
export function isScanDue(table: string, scanAt: number | undefined, now: number): boolean {
  return scanAt === undefined ? sinceTurn(table, now) < FIRST_TURN_SECONDS : scanAt <= now;
}

/** When ticks start the next scan of a table at the earliest, epoch seconds. @param scanAt as in {@link isScanDue} */
export function nextTurnAt(table: string, scanAt: number | undefined, now: number): number {
  if (isScanDue(table, scanAt, now)) return now;
  return scanAt ?? now + DAY_SECONDS - sinceTurn(table, now);
}

/** Seconds since the table's last turn. */
function sinceTurn(table: string, now: number): number {
  const turn = turnOf(table, DAY_SECONDS / 60) * 60;
  return (((now - turn) % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
}
