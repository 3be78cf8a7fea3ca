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

/* The slice of a child's progress that says what it has read of a whole index. */

/**
 * A scan leaves to the ticks what has expired so lately, seconds: they look back as far by themselves, to what one of them was throttled at
 * or what a missed one has left.
 */
export const LEFT_TO_TICKS_SECONDS = 600;

/** Entries of a kind that are named. */
const NAMED_OF_KIND = 3;

/** UTF-8 bytes of the entries that are named, as JSON: they stand in each checkpoint. */
const NAMED_BYTES = 3_000;

export const NO_SCAN_COUNTS: Readonly<Record<ScanCount, number>> = noCounts(SCAN_COUNTS);

export const NOTHING_SCANNED: ScanRecord = { ...NO_SCAN_COUNTS, found: 0, deleted: 0, failed: 0, named: [] };

export function startScan(position: PagePosition | null): ScanProgress {
  return { settled: position, named: [], pending: NO_SCAN_COUNTS, pendingNamed: [], isDense: false };
}

/** The judgement of a scan on an entry. */
export interface ScanVerdict {
  /** It is to be deleted, if it still is what the index says. */
  readonly isDue: boolean;
  /** The kinds as which it is counted and named. */
  readonly kinds: readonly NamedEntry['is'][];
}

/**
 * Judges an entry.
 *
 * 1. A TTL that no sweep and no native TTL ever takes for expired, or that is out of range, is named with its fault, and stays.
 * 2. An entry that no sweep looks for where it lies, or when its time has come, is named, since its writer goes on. By second that is a TTL
 *    with a fraction; by window it is a window of another length, another time or another shard.
 * 3. Whatever is overdue for longer than the ticks look back is due, these two as well.
 *
 * @param cutoff epoch seconds: DynamoDB's clock less what the sweep is behind it
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

/** The older way of stamping puts a TTL on the edge of two windows into the one that ends there, and a sweep looks for it there. */
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

/** So many entries were read, of which these are remarkable. */
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

/** The first few of each kind, as far as there is room for them. */
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

/** Nothing of what was read is under way any more: the scan goes on from there, whoever goes on with it. */
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

/** The record of the whole scan, up to where it is settled. */
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
