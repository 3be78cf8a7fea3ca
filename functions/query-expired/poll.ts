import {
  type ExpiredKey,
  PAGE_KEYS,
  type PagePosition,
  type SweepTarget,
} from '../../statemachine/contract.ts';
import type { ReadWindow, TtlRange } from '../table/window-query.ts';
import { keysThatFit } from './page.ts';

/** Where a poll is, and what is known of the index from the one before it. */
export interface PollState {
  readonly target: SweepTarget;
  /** Where the previous page of this poll ended; null at the beginning of a poll. */
  readonly position: PagePosition | null;
  /** TTLs up to this one were seen by an earlier poll, epoch seconds; null when none was, or all are to be read again. */
  readonly seen: number | null;
  /** Entries that the last poll found due. */
  readonly lastDue: number;
}

/** One page of what is due. */
export interface PolledPage {
  readonly due: ExpiredKey[];
  /** What this page took for expired. */
  readonly cutoff: number;
  /** Where the poll goes on; null when it has read everything that is due. */
  readonly position: PagePosition | null;
  /** The earliest TTL that this page saw and that is not due yet, epoch seconds; infinite when it saw none. */
  readonly nextExpiry: number;
}

/** Entries asked for beyond what is expected to be due: the first that is not due tells when to poll next. */
const SPARE_ENTRIES = 10;

/**
 * Reads the windows of a target, one after the other, until one holds something due, and gives a page of that.
 *
 * 1. The cutoff is the target's, or the second `nowSeconds`.
 * 2. A poll reads everything that is due; a page at a time, from a position on.
 * 3. An upcoming minute is read in the order of TTL until the first entry that is not due: that one says when the next
 *    poll is due. So that little more is read than is due, a query asks for somewhat more than the last poll found.
 * 4. TTLs that an earlier poll of the same child saw are left out: whatever of these is still there has been counted.
 *
 * @throws DynamoDbBusyError
 */
export async function readPage(
  { target, position, seen, lastDue }: PollState,
  nowSeconds: number,
  readWindow: ReadWindow,
): Promise<PolledPage> {
  const { windowKeys, from, before, upcomingFrom } = target;
  const cutoff = target.cutoff ?? nowSeconds;
  const upcoming = upcomingFrom !== null;
  const range: TtlRange = {
    from: Math.max(from, seen ?? from),
    upTo: upcoming ? before : Math.min(cutoff, before),
  };
  const isOwn = (ttl: number) => ttl <= cutoff && ttl < before;
  const isDue = (ttl: number) => isOwn(ttl) && (seen === null || ttl > seen);

  let nextExpiry = Number.POSITIVE_INFINITY;
  for (let window = position?.window ?? 0; window < windowKeys.length; window += 1) {
    let startKey = window === position?.window ? position.key : null;
    let limit = upcoming ? Math.min(PAGE_KEYS, Math.ceil(lastDue * 1.25) + SPARE_ENTRIES) : PAGE_KEYS;
    const due: ExpiredKey[] = [];
    const positions: PagePosition[] = [];
    let moreDue: boolean;
    do {
      const page = await readWindow(windowKeys[window] ?? '', range, startKey, limit);
      for (const [index, entry] of page.entries.entries()) {
        if (isDue(entry.ttl)) {
          due.push(entry);
          positions.push({ window, key: page.positions[index] ?? null });
        } else if (!isOwn(entry.ttl) && entry.ttl < before) {
          nextExpiry = Math.min(nextExpiry, entry.ttl);
        }
      }
      // In the order of TTL: behind one that is not due yet, or not the target's any more, nothing is due.
      moreDue = page.more && page.entries.every(({ ttl }) => isOwn(ttl));
      startKey = page.positions.at(-1) ?? null;
      limit = Math.min(PAGE_KEYS - due.length, limit * 4);
    } while (moreDue && limit > 0 && startKey !== null);

    if (due.length === 0) continue;
    const count = keysThatFit(due);
    const here = count < due.length || moreDue;
    const next: PagePosition = here
      ? (positions[count - 1] ?? { window, key: null })
      : { window: window + 1, key: null };
    return {
      due: due.slice(0, count),
      cutoff,
      position: next.window < windowKeys.length ? next : null,
      nextExpiry,
    };
  }
  return { due: [], cutoff, position: null, nextExpiry };
}

/** How often an upcoming minute is polled. */
export interface PollPace {
  /** Seconds between two polls at least. */
  readonly precisionSeconds: number;
  /** Seconds between two polls at most; 0 = only when something known expires. */
  readonly pollSeconds: number;
}

/**
 * When the poll after a complete one is due, epoch seconds; null when the target is done. Whole seconds apart, so that
 * polls do not drift. A poll that took several pages took time: it is followed by another one at once.
 */
export function nextPollAt(
  { before, upcomingFrom }: SweepTarget,
  { precisionSeconds, pollSeconds }: PollPace,
  nowSeconds: number,
  { nextExpiry, tookSeveralPages }: { readonly nextExpiry: number; readonly tookSeveralPages: boolean },
): number | null {
  if (upcomingFrom === null || nowSeconds >= before) return null;
  if (tookSeveralPages) return nowSeconds;
  const next = Math.min(
    Math.max(Math.ceil(nextExpiry), nowSeconds + precisionSeconds),
    pollSeconds > 0 ? nowSeconds + pollSeconds : Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(next) ? Math.min(next, before) : null;
}
