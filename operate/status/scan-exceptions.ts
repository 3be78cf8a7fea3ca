import { NOTHING_SCANNED } from '../../functions/child/scan.ts';
import type { FinishedScan } from '../../functions/journal/index-scans.ts';
import type { NamedEntry, ScanRecord } from '../../statemachine/contract/targets.ts';

/** Kinds of entries that a scan finds and no sweep deletes in time, each with a phrase for it. */
const KINDS: readonly (readonly [
  'fractional' | 'misfiled' | 'outOfRange',
  string,
  (is: NamedEntry['is']) => boolean,
])[] = [
  ['fractional', 'whose TTL has a fraction', is => is === 'fractional'],
  ['misfiled', 'where no sweep looks', is => is === 'misfiled'],
  ['outOfRange', 'whose TTL is out of range', is => !['fractional', 'misfiled', 'overdue'].includes(is)],
];

/** Number of entries that the last scan found and that no tick deletes; they may be due or deleted by now. */
export function exceptionsOf(finished: Pick<FinishedScan, 'record'> | undefined): number {
  const { failed, fractional, misfiled, outOfRange } = finished?.record ?? NOTHING_SCANNED;
  return failed + fractional + misfiled + outOfRange;
}

/**
 * The items that an index scan has left, in words; empty if there are none. Items that it could not delete may have been deleted
 * since.
 *
 * @param keyText formats a key; undefined if it may not be shown. @default no keys are shown
 */
export function describeExceptions(
  record: ScanRecord,
  keyText: (entry: NamedEntry) => string | undefined = () => undefined,
): string {
  const parts = KINDS.flatMap(([kind, what, isOf]) => {
    if (record[kind] === 0) return [];
    const keys = record.named.filter(({ is }) => isOf(is)).flatMap(entry => keyText(entry) ?? []);
    const shown = keys.length === 0 ? '' : ` (${keys.join(', ')}${record[kind] > keys.length ? ', …' : ''})`;
    return [`${count(record[kind])} ${what}${shown}`];
  });
  if (record.failed > 0) parts.unshift(`${count(record.failed)} that it could not delete`);
  return parts.join(', ');
}

const count = (value: number): string => value.toLocaleString('en-US');
