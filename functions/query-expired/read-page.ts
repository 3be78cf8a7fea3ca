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

/** Entries asked for beyond what is expected to be due: the first that is not due tells when to poll next. */
const SPARE_ENTRIES = 10;

/** Options of reading a page. */
export interface ReadPageOptions {
  readonly layout: IndexLayout;
  readonly readIndex: ReadIndex;
  readonly pace: BehindSettings & Pick<PollPace, 'pollSeconds'>;
  /** The machine's clock, so far behind as the sweep is. */
  readonly machineClock: () => Millis;
  /** Most keys of the page, at least 1. */
  readonly maxKeys: number;
  /** Asked before each key of the index but the first; true ends the page there. */
  readonly outOfTime: () => boolean;
  /** The entries that will be due in so many seconds are read now. @default 0 */
  readonly ahead?: Seconds;
}

/** An entry that is not due yet. */
export interface UpcomingEntry {
  /** Which of the target's index keys. */
  readonly indexKey: number;
  readonly entry: ExpiredKey;
}

/** A page with what it saw beyond what is due. */
export interface PageRead extends PolledPage {
  /** Entries of the target that are not due yet, nor planned. */
  readonly upcoming: readonly UpcomingEntry[];
  /** None that is due by then is missing among them. */
  readonly knownUpTo: Seconds;
  /** How far the machine's clock was beyond the cutoff when that was told, by whole seconds of `ahead` besides. */
  readonly restMs: Millis;
}

/**
 * Reads a page of what is due of a target, one key of the index after the other.
 *
 * 1. The cutoff is DynamoDB's clock when it gave the first answer, less the grace: the one clock that also times the deletes, and never
 *    later than they are. How that goes with the machine's clock, by which it waits, is seen anew at each page.
 * 2. A poll reads everything that is due; a page at a time, from a position on. A page that DynamoDB becomes too busy or too slow for ends
 *    where it has come to.
 * 3. By window, an upcoming minute is read in the order of TTL until the first entry that is not due: that one says when the next poll is
 *    due. So that little more is read than is due, a query asks for somewhat more than the last poll found. By second, the next poll is due
 *    when the next second is.
 * 4. TTLs that an earlier poll of the same child saw are left out: whatever of these is still there has been counted. So a window that
 *    ended before that is not read again, unless it holds what is due later, which its writer stamped wrong. What is stamped so after that
 *    poll is found by the lookback of the next tick.
 * 5. With `pollSeconds: 0` a poll leaves out the keys of which it is known that nothing is due, nor will be within `ahead`: what several
 *    shards cost in one child is then what their items cost.
 * 6. What was planned by an earlier poll is left out, and what is not due yet is handed on: deletes are planned of it.
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

/** The answer to one Query of a key. */
interface Answer extends IndexPage {
  readonly key: IndexKey;
  /** Which of the target's index keys. */
  readonly indexKey: number;
  /** The machine's clock when it was asked. */
  readonly sentMs: Millis;
}

/**
 * Asks for the entries of a target from the poll's position on, in the order of its keys, with no more of them in an answer than the page
 * has room for when it is asked.
 *
 * @returns where the poll goes on; null: there is nothing more that is due
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
      // In the order of TTL: behind one that is not due yet, or not the target's any more, nothing is due.
      more = answer.more && startKey !== null && answer.entries.every(({ ttl }) => page.isOwn(ttl));
      limit *= 4;
    }
    page.end(key, indexKey);
  }
  return null;
}

/** Undefined for a DynamoDB that becomes too busy in the middle of a page, which then ends where it has come to. */
async function unlessBusy(answer: Promise<IndexPage>, { isBegun }: Page): Promise<IndexPage | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isBegun && error instanceof DynamoDbBusyError) return undefined;
    throw error;
  }
}

/** Takes of the entries what is due, as long as there is room. */
class Page {
  readonly #target: SweepTarget;
  readonly #poll: PollProgress;
  readonly #known: KeyReads;
  /** The earliest of the TTLs that earlier polls know of. */
  readonly #earliest: Seconds;
  readonly #options: Pick<ReadPageOptions, 'pace' | 'machineClock' | 'maxKeys' | 'ahead'>;
  /** By their places: the keys that were read to their ends, and the earliest TTL of each that is not due. */
  readonly #read = new Map<number, KeyRead>();
  readonly #nextOf = new Map<number, Seconds>();
  readonly #due: ExpiredKey[] = [];
  /** For each entry that is due, where a poll goes on behind it. */
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

  /** DynamoDB has answered. */
  get isBegun(): boolean {
    return this.#clock !== null;
  }

  get room(): number {
    return this.#options.maxKeys - this.#due.length;
  }

  /** Neither a key of one TTL that is not due is asked for, nor a window that an earlier poll has seen to its end. */
  mayHold(key: IndexKey, indexKey: number): boolean {
    const { ttl } = key;
    if (ttl === undefined) return this.isOpen(key, indexKey);
    if (this.#isDue(ttl, indexKey)) return true;
    this.#see(ttl, key, indexKey);
    this.#knowUpTo(ttl);
    return false;
  }

  /** No earlier poll has seen the window to its end, or it holds something all the same. */
  isOpen(key: IndexKey, indexKey: number): boolean {
    return !this.#hasEnded(key, indexKey) || this.#poll.holdsStrays;
  }

  /** TTLs of the key up to this one were seen by an earlier poll; null: none were. */
  seenOf(indexKey: number): Seconds | null {
    const { seen } = this.#poll;
    const { from } = this.#target;
    const known = this.#known[indexKey]?.seen ?? seen;
    return known === null ? null : Math.max(from, known);
  }

  /**
   * Earlier polls have seen that nothing of the key is due. As long as DynamoDB has not said what time it is, the key of the earliest TTL
   * is asked, with those that may be due, too.
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

  /** The key was read to its end. */
  end({ ttl }: IndexKey, indexKey: number): void {
    if (ttl !== undefined || this.#target.upcomingFrom === null) return;
    const seen = this.#time.cutoff;
    const planned = this.#known[indexKey]?.planned?.filter(entry => entry.ttl > seen) ?? [];
    const next = this.#nextOf.get(indexKey) ?? null;
    this.#read.set(indexKey, { seen, next, ...(planned.length > 0 && { planned }) });
  }

  /** The TTL is expired, and one of the target's. */
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

  /** The page, as far as a state's payload has room for it: the poll goes on behind that, or else at `next`. */
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

  /** Nothing is left of a target without a key to ask. */
  get #time(): DynamoDbClock {
    return this.#clock ?? { cutoff: this.#target.before, ahead: 0, restMs: 0 };
  }

  #isDue(ttl: Seconds, indexKey: number): boolean {
    const seen = this.#known[indexKey]?.seen ?? this.#poll.seen;
    const { after } = sweptRange(this.#time.cutoff, this.#options.pace);
    return this.isOwn(ttl) && ttl > after && (seen === null || ttl > seen);
  }

  /** TTLs up to the window's end were seen by an earlier poll. */
  #hasEnded({ end }: IndexKey, indexKey: number): boolean {
    const seen = this.seenOf(indexKey);
    return end !== undefined && seen !== null && seen >= end;
  }

  #isUpcoming(ttl: Seconds): boolean {
    return !this.isOwn(ttl) && ttl < this.#target.before;
  }

  /** From this TTL on there may be more than was seen. */
  #knowUpTo(ttl: Seconds): void {
    this.#knownUpTo = Math.min(this.#knownUpTo, Math.ceil(ttl) - 1);
  }

  /** A TTL that is not due now says when the next poll is, and whether that reads a window which has ended. */
  #see(ttl: Seconds, { end = Number.POSITIVE_INFINITY }: IndexKey, indexKey: number): void {
    if (!this.#isUpcoming(ttl)) return;
    this.#nextOf.set(indexKey, Math.min(this.#nextOf.get(indexKey) ?? ttl, ttl));
    this.#nextExpiry = Math.min(this.#nextExpiry, ttl);
    this.#sawStrays ||= ttl > end;
  }
}

/** DynamoDB's clock, less what the sweep is behind it. */
type DynamoDbClock = Pick<PageRead, 'cutoff' | 'ahead' | 'restMs'>;

/**
 * Reads DynamoDB's clock off a page. It is compared with the machine's by whole seconds: DynamoDB tells no less, and a wait takes no
 * less.
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
 * Everything under a key of one TTL is due; of others only what is read ahead is not. A query asks at least for as many entries as it pays
 * for.
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
