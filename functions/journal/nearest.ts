import type { LedgerEntry } from './ledger.ts';

/**
 * Greatest difference between the times that the sweep's book and a reader's book have for the same deletion, in seconds: it covers two
 * clocks of AWS and the latency of the delete. A comparison reads the books that much further on both sides.
 */
export const CLOCKS_APART_SECONDS = 60;

/** Whether two entries of a key can belong to the same deletion. A key that is written again can be deleted again. */
export function isNear(one: Pick<LedgerEntry, 'at'>, other: Pick<LedgerEntry, 'at'>): boolean {
  return Math.abs(one.at - other.at) <= CLOCKS_APART_SECONDS;
}

/**
 * Finds the reader's entry of each deletion of a key. A key that is deleted often, such as that of a lock, can have several candidates:
 * entries whose times are nearest to each other are matched.
 *
 * @param deleted entries of one key, one for each deletion
 * @param seen the reader's entries of that key, without duplicates
 */
export function nearest(
  deleted: readonly LedgerEntry[],
  seen: readonly LedgerEntry[],
): Map<LedgerEntry, LedgerEntry> {
  const apart = (one: LedgerEntry, other: LedgerEntry) => Math.abs(one.at - other.at);
  const pairs = deleted
    .flatMap(one => seen.filter(other => isNear(one, other)).map(other => [one, other] as const))
    .sort((one, other) => apart(...one) - apart(...other) || one[0].at - other[0].at);
  const matched = new Map<LedgerEntry, LedgerEntry>();
  const taken = new Set<LedgerEntry>();
  for (const [one, other] of pairs) {
    if (matched.has(one) || taken.has(other)) continue;
    matched.set(one, other);
    taken.add(other);
  }
  return matched;
}
