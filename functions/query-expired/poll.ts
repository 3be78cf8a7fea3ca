import { toEpochSeconds } from '../../expiry/ttl.ts';
import {
  type ExpiredKey,
  PAGE_KEYS,
  type PagePosition,
  type SweepTarget,
} from '../../statemachine/contract.ts';
import { type BehindSettings, secondsBehind, sweptRange } from '../child/swept-range.ts';
import { DynamoDbBusyError, DynamoDbDateMissingError } from '../runtime/errors.ts';
import type { IndexKey, IndexLayout } from '../table/index-layout.ts';
import type { IndexPage, ReadIndex, TtlRange } from '../table/index-query.ts';
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
  /** This page took TTLs up to this one for expired, epoch seconds. */
  readonly cutoff: number;
  /** How far DynamoDB's clock is ahead of the machine's, whole seconds: 0 for clocks that go together. */
  readonly ahead: number;
  /** Where the poll goes on; null when it has read everything that is due. */
  readonly position: PagePosition | null;
  /** The earliest TTL that this page saw and that is not due yet, epoch seconds; infinite when it saw none. */
  readonly nextExpiry: number;
}

/** Entries asked for beyond what is expected to be due: the first that is not due tells when to poll next. */
const SPARE_ENTRIES = 10;

/** What reading needs from outside. */
export interface ReadPageOptions {
  readonly layout: IndexLayout;
  readonly readIndex: ReadIndex;
  readonly pace: BehindSettings;
  /** The machine's clock, epoch milliseconds, so far behind as the sweep is. */
  readonly machineClock: () => number;
  /** Most keys of the page, at least 1. */
  readonly maxKeys: number;
  /** Asked before each key of the index but the first; true ends the page there. */
  readonly outOfTime: () => boolean;
}

/**
 * Reads a page of what is due of a target, one key of the index after the other.
 *
 * 1. The cutoff is DynamoDB's clock when it gave the first answer, less the grace: the one clock that also times the deletes, and never
 *    later than they are. How that goes with the machine's clock, by which it waits, is seen anew at each page.
 * 2. A poll reads everything that is due; a page at a time, from a position on. A page that DynamoDB becomes too busy or too
 *    slow for ends where it has come to.
 * 3. By window, an upcoming minute is read in the order of TTL until the first entry that is not due: that one says when the
 *    next poll is due. So that little more is read than is due, a query asks for somewhat more than the last poll found.
 *    By second, the next poll is due when the next second is.
 * 4. TTLs that an earlier poll of the same child saw are left out: whatever of these is still there has been counted.
 *
 * @throws DynamoDbBusyError when it has read nothing
 * @throws DynamoDbDateMissingError
 */
export async function readPage(
  { target, position, seen, lastDue }: PollState,
  { layout, readIndex, pace, machineClock, maxKeys, outOfTime }: ReadPageOptions,
): Promise<PolledPage> {
  const { from, before, upcomingFrom } = target;
  const upcoming = upcomingFrom !== null;
  const range: TtlRange = { from: Math.max(from, seen ?? from), upTo: before };
  // Nothing is left of a target without a key to ask.
  let time = { cutoff: before, ahead: 0 };
  let readAny = false;
  const isOwn = (ttl: number) => ttl <= time.cutoff && ttl < before;
  const isDue = (ttl: number) =>
    isOwn(ttl) && ttl > sweptRange(time.cutoff, pace).after && (seen === null || ttl > seen);
  const keys = layout.keys(target);
  const due: ExpiredKey[] = [];
  const positions: PagePosition[] = [];
  let nextExpiry = Number.POSITIVE_INFINITY;
  const notDueYet = (ttl: number) => {
    if (!isOwn(ttl) && ttl < before) nextExpiry = Math.min(nextExpiry, ttl);
  };
  const pageUpTo = (next: PagePosition | null): PolledPage => {
    const count = keysThatFit(due);
    const end = count < due.length ? (positions[count - 1] ?? null) : next;
    return { due: due.slice(0, count), ...time, position: end, nextExpiry };
  };

  const first = position?.indexKey ?? 0;
  for (const [indexKey, key] of keys.entries()) {
    if (indexKey < first || range.upTo < range.from) continue;
    if (key.ttl !== undefined && !isDue(key.ttl)) {
      notDueYet(key.ttl);
      continue;
    }
    if (readAny && (due.length >= maxKeys || outOfTime())) return pageUpTo({ indexKey, key: null });
    let startKey = indexKey === first ? (position?.key ?? null) : null;
    let limit = Math.min(maxKeys - due.length, expectedEntries(key, upcoming, lastDue));
    let moreDue: boolean;
    do {
      let page: IndexPage;
      const sentMs = machineClock();
      try {
        page = await readIndex(key, range, startKey, limit);
      } catch (error) {
        if (!readAny || !(error instanceof DynamoDbBusyError)) throw error;
        return pageUpTo({ indexKey, key: startKey });
      }
      if (!readAny) time = timeOf(page, sentMs, machineClock(), pace);
      readAny = true;
      if (key.ttl !== undefined) notDueYet(key.ttl);
      for (const [index, entry] of page.entries.entries()) {
        if (isDue(entry.ttl)) {
          due.push(entry);
          positions.push({ indexKey, key: page.positions[index] ?? null });
        } else {
          notDueYet(entry.ttl);
        }
      }
      // In the order of TTL: behind one that is not due yet, or not the target's any more, nothing is due.
      moreDue = page.more && page.entries.every(({ ttl }) => isOwn(ttl));
      startKey = page.positions.at(-1) ?? null;
      limit = Math.min(maxKeys - due.length, limit * 4);
    } while (moreDue && limit > 0 && startKey !== null);
    if (moreDue && startKey !== null) return pageUpTo({ indexKey, key: startKey });
  }
  return pageUpTo(null);
}

/**
 * Reads DynamoDB's clock off a page. It is compared with the machine's by whole seconds: DynamoDB tells no less, and a wait takes no
 * less.
 */
function timeOf(
  { readAt }: IndexPage,
  sentMs: number,
  receivedMs: number,
  pace: BehindSettings,
): { readonly cutoff: number; readonly ahead: number } {
  if (readAt === undefined) {
    throw new DynamoDbDateMissingError(
      "Query: expected an answer with the header Date, by which the sweep knows DynamoDB's clock, got none; whatever stands before DynamoDB has to hand it on",
    );
  }
  const cutoff = readAt - secondsBehind(pace);
  const [sent, received] = [toEpochSeconds(sentMs), toEpochSeconds(receivedMs)];
  return { cutoff, ahead: cutoff - Math.max(sent, Math.min(cutoff, received)) };
}

/** Everything under a key of one TTL is due; of others only what is read ahead is not. */
function expectedEntries(key: IndexKey, upcoming: boolean, lastDue: number): number {
  return upcoming && key.ttl === undefined ? Math.ceil(lastDue * 1.25) + SPARE_ENTRIES : PAGE_KEYS;
}

/** How often an upcoming minute is polled. */
export interface PollPace {
  /** Seconds between two polls at least. */
  readonly precisionSeconds: number;
  /** Seconds between two polls at most; 0 = only when something known expires. */
  readonly pollSeconds: number;
}

/**
 * When the poll after a complete one is due, epoch seconds by the clock of its cutoff; null when the target is done. Whole seconds
 * apart, so that polls do not drift. A poll that took several pages took time: it is followed by another one at once.
 */
export function nextPollAt(
  { before, upcomingFrom }: SweepTarget,
  { precisionSeconds, pollSeconds }: PollPace,
  cutoff: number,
  { nextExpiry, tookSeveralPages }: { readonly nextExpiry: number; readonly tookSeveralPages: boolean },
): number | null {
  if (upcomingFrom === null || cutoff >= before) return null;
  if (tookSeveralPages) return cutoff;
  const next = Math.min(
    Math.max(Math.ceil(nextExpiry), cutoff + precisionSeconds),
    pollSeconds > 0 ? cutoff + pollSeconds : Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(next) ? Math.min(next, before) : null;
}
