import type { ExpiryModel } from '../../expiry/model.ts';
import type { ChildProgress, CountsProgress, ScanProgress } from '../../statemachine/contract/child.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import type { NamedEntry, PagePosition } from '../../statemachine/contract/targets.ts';
import { afterEntries, judgeEntry, settle, startScan } from '../child/scan.ts';
import type { ShowKey } from '../report/shown-keys.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { ScanIndex, ScannedEntry } from '../table/index-scan.ts';
import { keysThatFit } from './page.ts';
import { clockOf, type PageRead, type ReadPageOptions } from './read-page.ts';

/** Entries of a page, which is the most that is read again after a crash. Two pages are 1% of a million entries. */
export const SCAN_ENTRIES = 5_000;

/**
 * Most read units per second. A partition of the index provides 3,000, which its queries need too. Source: DynamoDB Developer Guide, "Best
 * practices for designing and using partition keys effectively".
 */
const UNITS_PER_SECOND = 600;

/** Options of scanning a page. */
export interface ScanPageOptions
  extends Pick<ReadPageOptions, 'pace' | 'machineClock' | 'maxKeys' | 'outOfTime'> {
  readonly model: ExpiryModel;
  readonly scanIndex: ScanIndex;
  /** Writes a checkpoint; false: another execution owns the scan now. Undefined: it is a dry run. */
  readonly checkpoint?: ((progress: ChildProgress) => Promise<boolean>) | undefined;
  readonly showKey: ShowKey;
  readonly sleep: (ms: number) => Promise<void>;
  /** The function's clock, milliseconds. */
  readonly clock: () => number;
}

export interface ScannedPage {
  readonly page: PageRead;
  readonly scan: ScanProgress;
  readonly counts: CountsProgress;
  /** Another execution owns the scan now. */
  readonly isTaken: boolean;
}

/**
 * Reads on in the index until something is due, time is up, or the index ends.
 *
 * 1. A page without due entries is settled at once, and written as a checkpoint, after which a scan continues when this one crashes.
 * 2. A page with due entries is settled when these are deleted. It ends when a page of keys is full. Entries behind that are read again,
 *    so the next page is only as large as there is room: overdue entries often lie together.
 * 3. Each page takes at least as long as the rate requires, and no longer: a function costs money while it waits.
 * 4. The cutoff is DynamoDB's clock at the page, as in `readPage`.
 *
 * @throws DynamoDbBusyError when it has read nothing; JournalUnwritableError; DynamoDbDateMissingError
 */
export async function scanPages(progress: ChildProgress, options: ScanPageOptions): Promise<ScannedPage> {
  const { scanIndex, checkpoint, outOfTime, machineClock, pace, sleep, clock } = options;
  const { target } = progress;
  let { counts, scan = startScan(target.position ?? null) } = progress;
  let position = progress.poll.position;
  for (let isFirst = true; ; isFirst = false) {
    const beganMs = clock();
    const sentMs = machineClock();
    let read: Awaited<ReturnType<ScanIndex>>;
    try {
      read = await scanIndex(position?.key ?? null, scan.isDense ? options.maxKeys : SCAN_ENTRIES);
    } catch (error) {
      if (isFirst || !(error instanceof DynamoDbBusyError)) throw error;
      return ended([], position, { cutoff: 0, ahead: 0, restMs: 0 });
    }
    const time = clockOf(read, sentMs, machineClock(), pace);
    const taken = takeDue(read.entries, time.cutoff, options);
    const isDense = taken.due.length > taken.read / 2 || taken.read < read.entries.length;
    scan = { ...afterEntries(scan, taken.read, taken.remarkable), isDense };
    const next =
      taken.read < read.entries.length ? (read.entries[taken.read - 1]?.position ?? null) : read.next;
    position = next === null ? null : { indexKey: 0, key: next };
    if (taken.due.length > 0) return ended(taken.due, position, time);
    ({ counts, scan } = settle(counts, scan, position));
    const isKept = (await checkpoint?.({ ...progress, counts, scan })) ?? true;
    if (!isKept) return { ...ended([], position, time), isTaken: true };
    if (position === null || outOfTime()) return ended([], position, time);
    const restMs = (read.units / UNITS_PER_SECOND) * 1000 - (clock() - beganMs);
    if (restMs > 0) await sleep(restMs);
  }

  function ended(
    due: ExpiredKey[],
    at: PagePosition | null,
    time: Pick<PageRead, 'cutoff' | 'ahead' | 'restMs'>,
  ): ScannedPage {
    const page: PageRead = {
      ...{ due, ...time, position: at },
      nextExpiry: Number.POSITIVE_INFINITY,
      sawStrays: false,
      upcoming: [],
      knownUpTo: Number.POSITIVE_INFINITY,
    };
    return { page, scan, counts, isTaken: false };
  }
}

/** Takes the due entries of a page, as far as there is room for them, and the faulty ones up to there. */
function takeDue(
  entries: readonly ScannedEntry[],
  cutoff: number,
  { model, pace, maxKeys, showKey }: ScanPageOptions,
): { readonly due: ExpiredKey[]; readonly remarkable: NamedEntry[]; readonly read: number } {
  const verdicts = entries.map(entry => judgeEntry(entry, model, cutoff, pace));
  const places = verdicts.flatMap(({ isDue }, place) => (isDue ? [place] : []));
  const all = places.map(place => entries[place] as ScannedEntry).map(({ key, ttl }) => ({ key, ttl }));
  const count = keysThatFit(all.slice(0, maxKeys));
  const read = count < all.length ? (places[count - 1] ?? 0) + 1 : entries.length;
  const remarkable = entries.slice(0, read).flatMap(({ key, ttl, window }, place) => {
    const kinds = verdicts[place]?.kinds ?? [];
    if (kinds.length === 0) return [];
    const shown = showKey(key);
    const told = { ...(shown !== undefined && { key: shown }), ttl, ...(window !== undefined && { window }) };
    return kinds.map((is): NamedEntry => ({ is, ...told }));
  });
  return { due: all.slice(0, count), remarkable, read };
}
