import type { LedgerEntry } from './ledger.ts';

/**
 * How far the time of a deletion in a reader's book may be from its time in the sweep's, seconds: two clocks of AWS, and the answer to the
 * delete. The books are compared so much further on both sides.
 */
export const CLOCKS_APART_SECONDS = 60;

/** Whether two entries of a key can be of one deletion. A key that is written again can be deleted again. */
export function isNear(one: Pick<LedgerEntry, 'at'>, other: Pick<LedgerEntry, 'at'>): boolean {
  return Math.abs(one.at - other.at) <= CLOCKS_APART_SECONDS;
}

/**
 * Finds for each deletion of a key what a reader has of it. A key that is deleted again and again, as that of a lock is, has several that are
 * near: those whose times are the nearest to each other belong together.
 *
 * @param deleted entries of one key, each deletion once
 * @param seen the reader's entries of that key, each once
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
