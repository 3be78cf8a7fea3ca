import type { ExpiryModel } from '../../expiry/model.ts';
import { ttlFault } from '../../expiry/ttl.ts';
import { readWindowKey, windowStart } from '../../expiry/window.ts';
import type { ChildProgress, CountsProgress, ScanProgress } from '../../statemachine/contract/child.ts';
import type { IndexScan, NamedEntry, PagePosition, ScanRecord } from '../../statemachine/contract/targets.ts';
import { addCounts, noCounts, SCAN_COUNTS, type ScanCount, sumOfFates } from '../../statemachine/counts.ts';
import type { Seconds } from '../../statemachine/times.ts';
import { jsonBytes } from '../report/listed-keys.ts';
import type { ScannedEntry } from '../table/index-scan.ts';
import { type BehindSettings, secondsBehind, sweptRange } from './swept-range.ts';

/* The part of a child's progress that says what it has read of a whole index. */

/**
 * Seconds since the expiry below which a scan leaves an entry to the ticks: they look back as far by themselves, for items of a throttled
 * or a missed tick.
 */
export const LEFT_TO_TICKS_SECONDS = 600;

/** Entries of each kind that are listed. */
const NAMED_OF_KIND = 3;

/** UTF-8 bytes of the listed entries, as JSON: every checkpoint contains them. */
const NAMED_BYTES = 3_000;

export const NO_SCAN_COUNTS: Readonly<Record<ScanCount, number>> = noCounts(SCAN_COUNTS);

export const NOTHING_SCANNED: ScanRecord = { ...NO_SCAN_COUNTS, found: 0, deleted: 0, failed: 0, named: [] };

export function startScan(position: PagePosition | null): ScanProgress {
  return { settled: position, named: [], pending: NO_SCAN_COUNTS, pendingNamed: [], isDense: false };
}

/** The judgement of a scan on an entry. */
export interface ScanVerdict {
  /** The entry is deleted if the item still has the values that the index shows. */
  readonly isDue: boolean;
  /** The kinds by which the entry is counted and listed. */
  readonly kinds: readonly NamedEntry['is'][];
}

/**
 * Judges an entry.
 *
 * 1. A TTL that is out of range, or that neither a sweep nor native TTL ever treats as expired, is listed with its fault and not deleted.
 * 2. An entry that no sweep finds under its index key, or at its time, is listed, since its writer makes more of them. By second it is a
 *    TTL with a fraction; by window it is a window of another length, another time or another shard.
 * 3. Any entry that is overdue for longer than the ticks look back is due, including those of 2.
 *
 * @param cutoff epoch seconds: DynamoDB's clock minus the sweep's margin
 */
export function judgeEntry(
  { ttl, window }: Pick<ScannedEntry, 'ttl' | 'window'>,
  model: ExpiryModel,
  cutoff: Seconds,
  behind: BehindSettings,
): ScanVerdict {
  const fault = ttlFault(ttl, cutoff + secondsBehind(behind));
  if (fault !== undefined) return { isDue: false, kinds: [fault] };
  const isDue = ttl <= cutoff - LEFT_TO_TICKS_SECONDS && ttl > sweptRange(cutoff, behind).after;
  return {
    isDue,
    kinds: [
      ...(model.indexedBy === 'second' && !Number.isInteger(ttl) ? (['fractional'] as const) : []),
      ...(isMisfiled(ttl, window, model) ? (['misfiled'] as const) : []),
      ...(isDue ? (['overdue'] as const) : []),
    ],
  };
}

/**
 * Whether an entry lies in a wrong window. The older way of stamping puts a TTL on the edge of two windows into the one that ends there; a
 * sweep also looks there.
 */
function isMisfiled(ttl: number, window: string | undefined, model: ExpiryModel): boolean {
  if (model.indexedBy === 'second') return false;
  const { granularitySeconds, shards } = model;
  const read = readWindowKey(window ?? '');
  if (read === undefined || read.granularitySeconds !== granularitySeconds || read.shard >= shards)
    return true;
  const start = windowStart(ttl, granularitySeconds);
  return read.start !== start && !(ttl === start && read.start === start - granularitySeconds);
}

const COUNTED_AS: Readonly<Record<NamedEntry['is'], ScanCount | undefined>> = {
  overdue: undefined,
  fractional: 'fractional',
  misfiled: 'misfiled',
  notNumber: 'outOfRange',
  negative: 'outOfRange',
  tooOld: 'outOfRange',
  milliseconds: 'outOfRange',
  tooFarAhead: 'outOfRange',
};

/** Adds entries that were read, and lists the faulty ones. */
export function afterEntries(
  scan: ScanProgress,
  read: number,
  remarkable: readonly NamedEntry[],
): ScanProgress {
  const count = (name: ScanCount) => remarkable.filter(({ is }) => COUNTED_AS[is] === name).length;
  const { pending } = scan;
  return {
    ...scan,
    pending: {
      scanned: pending.scanned + read,
      misfiled: pending.misfiled + count('misfiled'),
      fractional: pending.fractional + count('fractional'),
      outOfRange: pending.outOfRange + count('outOfRange'),
    },
    pendingNamed: firstNamed([...scan.pendingNamed, ...remarkable]),
  };
}

/** The first entries of each kind, as far as there is room for them. */
export function firstNamed(all: readonly NamedEntry[]): NamedEntry[] {
  const named: NamedEntry[] = [];
  let bytes = 0;
  for (const entry of all) {
    if (named.filter(({ is }) => is === entry.is).length === NAMED_OF_KIND) continue;
    const size = jsonBytes(entry) + 1;
    if (bytes + size > NAMED_BYTES) continue;
    named.push(entry);
    bytes += size;
  }
  return named;
}

/** Settles the scan's position: no delete of the entries before it is pending, so any later child can continue there. */
export function settle(
  counts: CountsProgress,
  scan: ScanProgress,
  position: PagePosition | null,
): { readonly counts: CountsProgress; readonly scan: ScanProgress } {
  return {
    counts: { ...counts, ...addCounts(SCAN_COUNTS, counts, scan.pending) },
    scan: {
      ...startScan(position),
      isDense: scan.isDense,
      named: firstNamed([...scan.named, ...scan.pendingNamed]),
    },
  };
}

/** The record of the whole scan, up to its settled position. */
export function recordOf(
  { before }: IndexScan,
  { counts, scan }: Pick<ChildProgress, 'counts' | 'scan'>,
): ScanRecord {
  return {
    ...addCounts(SCAN_COUNTS, before, counts),
    found: before.found + sumOfFates(counts),
    deleted: before.deleted + counts.deleted,
    failed: before.failed + counts.failed,
    named: firstNamed([...before.named, ...(scan?.named ?? [])]),
  };
}
