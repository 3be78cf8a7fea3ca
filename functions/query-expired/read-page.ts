import { toEpochSeconds } from '../../expiry/ttl.ts';
import type { KeyRead, PollProgress } from '../../statemachine/contract/child.ts';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import { PAGE_KEYS } from '../../statemachine/contract/limits.ts';
import type { PagePosition, SweepTarget } from '../../statemachine/contract/targets.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { type KeyReads, knownOf } from '../child/known-keys.ts';
import { isPlanned } from '../child/planned.ts';
import type { PolledPage, PollPace } from '../child/poll.ts';
import { type BehindSettings, secondsBehind, sweptRange } from '../child/swept-range.ts';
import { DynamoDbBusyError, DynamoDbDateMissingError } from '../runtime/errors.ts';
import type { IndexKey, IndexLayout } from '../table/index-layout.ts';
import type { IndexPage, ReadIndex, TtlRange } from '../table/index-query.ts';
import { keysThatFit } from './page.ts';

/** Entries requested beyond those that are expected to be due: the first that is not due determines the next poll. */
const SPARE_ENTRIES = 10;

/** Options of reading a page. */
export interface ReadPageOptions {
  readonly layout: IndexLayout;
  readonly readIndex: ReadIndex;
  readonly pace: BehindSettings & Pick<PollPace, 'pollSeconds'>;
  /** The machine's clock, minus the sweep's delay. */
  readonly machineClock: () => Millis;
  /** Most keys of the page, at least 1. */
  readonly maxKeys: number;
  /** Called before each index key except the first; true ends the page. */
  readonly outOfTime: () => boolean;
  /** Entries that will be due within this time are read too. @default 0 */
  readonly ahead?: Seconds;
}

/** An entry that is not due yet. */
export interface UpcomingEntry {
  /** Index of its key among the target's index keys. */
  readonly indexKey: number;
  readonly entry: ExpiredKey;
}

/** A page and the entries read beyond the due ones. */
export interface PageRead extends PolledPage {
  /** Entries of the target that are neither due nor planned yet. */
  readonly upcoming: readonly UpcomingEntry[];
  /** `upcoming` is complete up to this second. */
  readonly knownUpTo: Seconds;
  /** How far the machine's clock was ahead of the cutoff at the answer, minus the whole seconds of `ahead`. */
  readonly restMs: Millis;
}

/**
 * Reads a page of a target's due entries, one index key after the other.
 *
 * 1. The cutoff is DynamoDB's clock at the first answer, minus the margin. The deletes are timed by the same clock, and never earlier. Each
 *    page compares it anew with the machine's clock, which times the waits.
 * 2. A poll reads everything that is due, one page at a time, from a position. If DynamoDB becomes too busy or too slow, the page ends at
 *    the position reached.
 * 3. By window, an upcoming minute is read in the order of TTL up to the first entry that is not due, which determines the next poll. To
 *    read little more than is due, a query requests somewhat more entries than the last poll found. By second, the next poll is due at the
 *    next second.
 * 4. TTLs that an earlier poll of the child has read are skipped: those that still exist are counted already. So a window that ended
 *    before that poll is not read again, unless it holds later TTLs, which were stamped wrong. Entries that are stamped so after that poll
 *    are found by the next tick's lookback.
 * 5. With `pollSeconds: 0` a poll skips keys that are known to have nothing due now or within `ahead`: a child of several shards then
 *    costs only as much as its items.
 * 6. Entries that an earlier poll has planned are skipped; entries that are not due yet are returned, so that their deletes can be
 *    planned.
 *
 * @throws DynamoDbBusyError when it has read nothing
 * @throws DynamoDbDateMissingError
 */
export async function readPage(
  target: SweepTarget,
  poll: PollProgress,
  options: ReadPageOptions,
): Promise<PageRead> {
  const page = new Page(target, poll, options);
  const answers = readKeys(target, poll, page, options);
  for (;;) {
    const { done, value } = await answers.next();
    if (done) return page.upTo(value);
    page.take(value);
  }
}

/** The answer to one query of a key. */
interface Answer extends IndexPage {
  readonly key: IndexKey;
  /** Index of the key among the target's index keys. */
  readonly indexKey: number;
  /** The machine's clock when the query was sent. */
  readonly sentMs: Millis;
}

/**
 * Queries the entries of a target from the poll's position, in the order of its keys. Each answer has at most as many entries as the page
 * has room for when the query is sent.
 *
 * @returns where the poll continues; null: nothing more is due
 */
async function* readKeys(
  target: SweepTarget,
  { position, lastDue }: PollProgress,
  page: Page,
  { layout, readIndex, machineClock, outOfTime }: ReadPageOptions,
): AsyncGenerator<Answer, PagePosition | null> {
  if (target.before < target.from) return null;
  const first = position?.indexKey ?? 0;
  const keys = layout.keys(target);
  const dueOfKey = lastDue / Math.max(1, keys.filter((key, indexKey) => page.isOpen(key, indexKey)).length);
  for (const [indexKey, key] of keys.entries()) {
    if (indexKey < first || !page.mayHold(key, indexKey) || page.isKnownNotDue(indexKey)) continue;
    const range: TtlRange = { from: page.seenOf(indexKey) ?? target.from, upTo: target.before };
    if (range.upTo < range.from) continue;
    if (page.isBegun && outOfTime()) return { indexKey, key: null };
    let startKey: ItemKey | null = indexKey === first ? (position?.key ?? null) : null;
    let limit = expectedEntries(key, target, dueOfKey, layout);
    let more = true;
    while (more) {
      if (page.room === 0) return { indexKey, key: startKey };
      const sentMs = machineClock();
      const answer = await unlessBusy(readIndex(key, range, startKey, Math.min(page.room, limit)), page);
      if (answer === undefined) return { indexKey, key: startKey };
      yield { ...answer, key, indexKey, sentMs };
      startKey = answer.positions.at(-1) ?? null;
      // Entries are in the order of TTL: after one that is not due yet, or not the target's, none is due.
      more = answer.more && startKey !== null && answer.entries.every(({ ttl }) => page.isOwn(ttl));
      limit *= 4;
    }
    page.end(key, indexKey);
  }
  return null;
}

/** Returns undefined when DynamoDB becomes too busy after the page's first answer; the page then ends at the position reached. */
async function unlessBusy(answer: Promise<IndexPage>, { isBegun }: Page): Promise<IndexPage | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isBegun && error instanceof DynamoDbBusyError) return undefined;
    throw error;
  }
}

/** Collects due entries while there is room. */
class Page {
  readonly #target: SweepTarget;
  readonly #poll: PollProgress;
  readonly #known: KeyReads;
  /** The earliest of the upcoming TTLs that earlier polls found. */
  readonly #earliest: Seconds;
  readonly #options: Pick<ReadPageOptions, 'pace' | 'machineClock' | 'maxKeys' | 'ahead'>;
  /** The keys that were read to their ends, by index, with the earliest TTL of each that is not due. */
  readonly #read = new Map<number, KeyRead>();
  readonly #nextOf = new Map<number, Seconds>();
  readonly #due: ExpiredKey[] = [];
  /** For each due entry, the position after it. */
  readonly #positions: PagePosition[] = [];
  readonly #upcoming: UpcomingEntry[] = [];
  #knownUpTo: Seconds = Number.POSITIVE_INFINITY;
  #clock: DynamoDbClock | null = null;
  #nextExpiry: Seconds = Number.POSITIVE_INFINITY;
  #sawStrays = false;

  constructor(target: SweepTarget, poll: PollProgress, options: ReadPageOptions) {
    this.#target = target;
    this.#poll = poll;
    this.#known = knownOf(poll.known);
    this.#earliest = Math.min(...(poll.known ?? []).map(({ next }) => next ?? Number.POSITIVE_INFINITY));
    this.#options = options;
  }

  /** Whether DynamoDB has answered. */
  get isBegun(): boolean {
    return this.#clock !== null;
  }

  get room(): number {
    return this.#options.maxKeys - this.#due.length;
  }

  /** Whether to query a key: not if its only TTL is not due, or an earlier poll has read its window to the end. */
  mayHold(key: IndexKey, indexKey: number): boolean {
    const { ttl } = key;
    if (ttl === undefined) return this.isOpen(key, indexKey);
    if (this.#isDue(ttl, indexKey)) return true;
    this.#see(ttl, key, indexKey);
    this.#knowUpTo(ttl);
    return false;
  }

  /** Whether a window must be read: no earlier poll has read it to its end, or it holds later TTLs. */
  isOpen(key: IndexKey, indexKey: number): boolean {
    return !this.#hasEnded(key, indexKey) || this.#poll.holdsStrays;
  }

  /** TTLs of the key up to this one were read by an earlier poll; null: none were. */
  seenOf(indexKey: number): Seconds | null {
    const { seen } = this.#poll;
    const { from } = this.#target;
    const known = this.#known[indexKey]?.seen ?? seen;
    return known === null ? null : Math.max(from, known);
  }

  /**
   * Whether earlier polls have shown that nothing of the key is due. Until DynamoDB's clock is known from an answer, the key with the
   * earliest TTL is queried too, with those that may be due.
   */
  isKnownNotDue(indexKey: number): boolean {
    const { pace, machineClock } = this.#options;
    const { holdsStrays, position, ahead = 0 } = this.#poll;
    const known = this.#known[indexKey];
    if (known === undefined || pace.pollSeconds > 0 || holdsStrays || position?.indexKey === indexKey)
      return false;
    const next = known.next ?? Number.POSITIVE_INFINITY;
    const cutoff = this.#clock?.cutoff ?? Math.max(toEpochSeconds(machineClock()) + ahead, this.#earliest);
    if (next <= cutoff + (this.#options.ahead ?? 0)) return false;
    this.#nextExpiry = Math.min(this.#nextExpiry, next);
    this.#knowUpTo(next);
    return true;
  }

  /** Records that the key was read to its end. */
  end({ ttl }: IndexKey, indexKey: number): void {
    if (ttl !== undefined || this.#target.upcomingFrom === null) return;
    const seen = this.#time.cutoff;
    const planned = this.#known[indexKey]?.planned?.filter(entry => entry.ttl > seen) ?? [];
    const next = this.#nextOf.get(indexKey) ?? null;
    this.#read.set(indexKey, { seen, next, ...(planned.length > 0 && { planned }) });
  }

  /** Whether the TTL is expired and belongs to the target. */
  isOwn(ttl: Seconds): boolean {
    return ttl <= this.#time.cutoff && ttl < this.#target.before;
  }

  take({ key, indexKey, entries, positions, sentMs, ...answer }: Answer): void {
    const { machineClock, pace } = this.#options;
    this.#clock ??= clockOf(answer, sentMs, machineClock(), pace);
    if (key.ttl !== undefined) this.#see(key.ttl, key, indexKey);
    const last = entries.at(-1);
    if (answer.more && last !== undefined && !this.isOwn(last.ttl)) this.#knowUpTo(last.ttl);
    for (const [index, entry] of entries.entries()) {
      if (isPlanned(this.#known[indexKey] ?? {}, entry)) continue;
      if (this.#isDue(entry.ttl, indexKey)) {
        this.#due.push(entry);
        this.#positions.push({ indexKey, key: positions[index] ?? null });
      } else {
        this.#see(entry.ttl, key, indexKey);
        if (this.#isUpcoming(entry.ttl)) this.#upcoming.push({ indexKey, entry });
      }
    }
  }

  /** The page, limited to the room in a state's payload: the poll continues after the last entry that fits, or at `next` if all fit. */
  upTo(next: PagePosition | null): PageRead {
    const count = keysThatFit(this.#due);
    const position = count < this.#due.length ? (this.#positions[count - 1] ?? null) : next;
    const read = [...this.#read].filter(([indexKey]) => position === null || indexKey < position.indexKey);
    return {
      due: this.#due.slice(0, count),
      ...this.#time,
      position,
      nextExpiry: this.#nextExpiry,
      sawStrays: this.#sawStrays,
      upcoming: this.#upcoming,
      knownUpTo: this.#knownUpTo,
      ...(read.length > 0 && { keys: Object.fromEntries(read) }),
    };
  }

  /** DynamoDB's clock; a target without a key to query has nothing left. */
  get #time(): DynamoDbClock {
    return this.#clock ?? { cutoff: this.#target.before, ahead: 0, restMs: 0 };
  }

  #isDue(ttl: Seconds, indexKey: number): boolean {
    const seen = this.#known[indexKey]?.seen ?? this.#poll.seen;
    const { after } = sweptRange(this.#time.cutoff, this.#options.pace);
    return this.isOwn(ttl) && ttl > after && (seen === null || ttl > seen);
  }

  /** Whether an earlier poll has read the TTLs up to the window's end. */
  #hasEnded({ end }: IndexKey, indexKey: number): boolean {
    const seen = this.seenOf(indexKey);
    return end !== undefined && seen !== null && seen >= end;
  }

  #isUpcoming(ttl: Seconds): boolean {
    return !this.isOwn(ttl) && ttl < this.#target.before;
  }

  /** Records that entries from this TTL on may be missing. */
  #knowUpTo(ttl: Seconds): void {
    this.#knownUpTo = Math.min(this.#knownUpTo, Math.ceil(ttl) - 1);
  }

  /** Takes a TTL that is not due into account: it may determine the next poll, and whether that must read a window that has ended. */
  #see(ttl: Seconds, { end = Number.POSITIVE_INFINITY }: IndexKey, indexKey: number): void {
    if (!this.#isUpcoming(ttl)) return;
    this.#nextOf.set(indexKey, Math.min(this.#nextOf.get(indexKey) ?? ttl, ttl));
    this.#nextExpiry = Math.min(this.#nextExpiry, ttl);
    this.#sawStrays ||= ttl > end;
  }
}

/** DynamoDB's clock, minus the sweep's delay. */
type DynamoDbClock = Pick<PageRead, 'cutoff' | 'ahead' | 'restMs'>;

/**
 * Reads DynamoDB's clock from a page. It is compared with the machine's clock in whole seconds, the resolution of DynamoDB's clock and of
 * waits.
 */
export function clockOf(
  { readAt }: Pick<IndexPage, 'readAt'>,
  sentMs: Millis,
  receivedMs: Millis,
  pace: BehindSettings,
): DynamoDbClock {
  if (readAt === undefined) {
    throw new DynamoDbDateMissingError(
      "Query: expected an answer with the header Date, by which the sweep knows DynamoDB's clock, got none; whatever stands before DynamoDB has to hand it on",
    );
  }
  const cutoff = readAt - secondsBehind(pace);
  const [sent, received] = [toEpochSeconds(sentMs), toEpochSeconds(receivedMs)];
  const ahead = cutoff - Math.max(sent, Math.min(cutoff, received));
  return { cutoff, ahead, restMs: receivedMs - (cutoff - ahead) * 1000 };
}

/**
 * Number of entries to request. Under a key with a single TTL everything is due; elsewhere all but the entries read ahead. A query
 * requests at least as many entries as its minimum price covers.
 */
function expectedEntries(
  { ttl }: IndexKey,
  { upcomingFrom }: SweepTarget,
  dueOfKey: number,
  { entriesOfLeastRead }: IndexLayout,
): number {
  if (upcomingFrom === null || ttl !== undefined) return PAGE_KEYS;
  return Math.max(Math.ceil(dueOfKey * 1.25) + SPARE_ENTRIES, entriesOfLeastRead);
}
