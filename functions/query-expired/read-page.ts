import type { SweepTarget } from '../../statemachine/contract/child.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { KEYS_AT_ONCE, LISTED_KEYS, PAGE_KEYS } from '../../statemachine/contract/limits.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { type Planning, sweptRange } from '../child/plan-chunks.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { DynamoDbDateMissingError } from '../runtime/errors.ts';
import type { IndexKey, IndexLayout } from '../table/index-layout.ts';
import type { CountIndex, ReadIndex } from '../table/index-query.ts';
import { keyText } from '../table/item-key.ts';

export interface IndexReaders {
  readonly layout: IndexLayout;
  readonly readIndex: ReadIndex;
  readonly countIndex: CountIndex;
}

export interface ReadPageOptions
  extends Omit<IndexReaders, 'countIndex'>,
    Pick<Planning, 'marginSeconds' | 'machineClock'> {
  readonly patienceMs: Millis;
  /**
   * Number of unprocessed keys of earlier pages. The page also has room for new keys: one throttled shard must not delay others. @default 0
   */
  readonly left?: number;
}

export interface Page {
  readonly entries: readonly ExpiredKey[];
  /** Items with TTLs up to this second have expired: the earliest date of DynamoDB's answers minus `marginSeconds`. No query: `upTo`. */
  readonly cutoff: Seconds;
  /** The page has all the target's entries with TTLs after the cursor and up to this second. */
  readonly knownUpTo: Seconds;
  /** Latest TTL of entries that may be taken. It is later than `knownUpTo` only if one second has more entries than a query returns. */
  readonly takenUpTo: Seconds;
  /** DynamoDB's clock is at most this many milliseconds behind `machineClock`. Infinity without a query. */
  readonly clockSkewMs: Millis;
}

/** Reads a page of a target's index entries with TTLs after `cursor`, up to `upTo`. @throws DynamoDbBusyError, DynamoDbDateMissingError */
export async function readPage(
  target: SweepTarget,
  cursor: Seconds,
  upTo: Seconds,
  { layout, readIndex, machineClock, marginSeconds, patienceMs, left = 0 }: ReadPageOptions,
): Promise<Page> {
  const range = { from: Math.max(target.from, cursor), upTo };
  const keys = layout
    .keys({ ...target, ...range, before: upTo + 1 })
    .filter(({ ttl }) => ttl === undefined || ttl > cursor);
  const together = readTogether(keys);
  const withLeft = (room: number) => Math.max(room, Math.ceil(room / 2) + left);
  const share = Math.ceil(PAGE_KEYS / Math.max(1, ...together.map(({ length }) => length)));
  const limit = Math.max(layout.entriesOfLeastRead, withLeft(share) + 1);
  const entries: ExpiredKey[] = [];
  let [cutoff, clockSkewMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [knownUpTo, takenUpTo] = [upTo, upTo];
  const startedMs = machineClock();
  for (const [index, some] of together.entries()) {
    const begin = some[0]?.from ?? 0;
    const isOver = entries.length >= withLeft(PAGE_KEYS) || machineClock() - startedMs > patienceMs;
    if (isOver && begin > (together[index - 1]?.at(-1)?.from ?? Number.POSITIVE_INFINITY)) {
      knownUpTo = Math.min(knownUpTo, begin - 1);
      takenUpTo = Math.min(takenUpTo, begin - 1);
      break;
    }
    for (const page of await Promise.all(some.map(key => readIndex(key, range, limit)))) {
      if (page.readAt !== undefined) {
        cutoff = Math.min(cutoff, page.readAt - marginSeconds);
        clockSkewMs = Math.min(clockSkewMs, machineClock() - page.readAt * 1000);
      } else if (page.entries.length > 0) throw dateMissing();
      const last = page.entries.at(-1);
      // The query stopped at its limit. Unread entries may have the last entry's TTL, so only entries with earlier TTLs are complete.
      if (page.more && last !== undefined) {
        const before = Math.ceil(last.ttl) - 1;
        knownUpTo = Math.min(knownUpTo, before);
        takenUpTo = Math.min(takenUpTo, Math.max(before, page.entries[0]?.ttl ?? before));
      }
      entries.push(
        ...page.entries.filter(({ ttl }) => ttl > cursor && ttl >= target.from && ttl < target.before),
      );
    }
  }
  if (keys.length === 0) cutoff = upTo;
  if (!Number.isFinite(cutoff)) throw dateMissing();
  return { entries, cutoff, knownUpTo, takenUpTo, clockSkewMs };
}

function dateMissing(): DynamoDbDateMissingError {
  return new DynamoDbDateMissingError(
    'DynamoDB: expected an answer with the header Date, got none. No other clock can decide what is expired, so nothing was deleted.',
  );
}

function readTogether(keys: readonly IndexKey[]): IndexKey[][] {
  const together: IndexKey[][] = [];
  for (const window of Map.groupBy(keys, ({ from }) => from).values()) {
    const last = together.at(-1);
    if (last !== undefined && last.length + window.length <= KEYS_AT_ONCE) last.push(...window);
    else
      for (let first = 0; first < window.length; first += KEYS_AT_ONCE)
        together.push(window.slice(first, first + KEYS_AT_ONCE));
  }
  return together;
}

/** Returns the page's entries to delete and the expired unprocessed keys of earlier pages (`left`) that are not among these entries. */
export function entriesToTake(
  { entries, cutoff, takenUpTo }: Page,
  left: readonly ExpiredKey[],
  ahead: Seconds,
  settings: Pick<SweepSettings, 'marginSeconds'>,
): ExpiredKey[] {
  const { after } = sweptRange(cutoff, settings);
  const wanted = entries.filter(({ ttl }) => ttl > after && ttl <= Math.min(takenUpTo, cutoff + ahead));
  const known = new Set(left.length > 0 ? wanted.map(textOf) : []);
  return [...wanted, ...left.filter(key => key.ttl <= cutoff && !known.has(textOf(key)))].sort(
    (one, other) => one.ttl - other.ttl,
  );

  function textOf({ key }: ExpiredKey): string {
    return keyText(key, Object.keys(key).sort());
  }
}

export async function countEntries(
  target: SweepTarget,
  cursor: Seconds,
  {
    layout,
    readIndex,
    countIndex,
    machineClock,
    patienceMs,
  }: ReadPageOptions & { readonly countIndex: CountIndex },
): Promise<{ count: number; samples: ExpiredKey[]; upTo: Seconds }> {
  const startedMs = machineClock();
  const from = Math.max(target.from, Math.floor(cursor) + 1);
  const last = target.before - 1;
  const samples: ExpiredKey[] = [];
  let count = 0;
  let seconds: readonly IndexKey[] = layout.keys({ ...target, from });
  if (seconds[0]?.ttl === undefined) {
    // The cursor is a TTL, so it cannot say which shards of a window are counted. So one call of QueryExpired counts the whole target.
    for (const key of seconds) await countKey(key);
    return { count, samples, upTo: last };
  }
  for (;;) {
    const some = seconds.slice(0, KEYS_AT_ONCE);
    seconds = seconds.slice(KEYS_AT_ONCE);
    await Promise.all(some.map(countKey));
    if (seconds.length === 0) return { count, samples, upTo: last };
    if (machineClock() - startedMs > patienceMs) return { count, samples, upTo: some.at(-1)?.ttl ?? last };
  }

  async function countKey(key: IndexKey): Promise<void> {
    const range = { from, upTo: last };
    const found = await countIndex(key, range);
    count += found;
    if (found === 0 || samples.length >= LISTED_KEYS) return;
    samples.push(...(await readIndex(key, range, LISTED_KEYS)).entries);
  }
}
