import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';
import { plainDecimal } from '../../expiry/shard.ts';
import type { Millis } from '../../statemachine/times.ts';

/** TTL of an item, epoch seconds; undefined for an item that does not expire. */
export type Ttl = number | undefined;

export type Write = 'wrote' | 'renewed' | 'made permanent';

export interface Removal {
  readonly ttl: Ttl;
  /** Time at which the deletion was seen, epoch milliseconds. */
  readonly seenAt: number;
  /** The stream's record of the removal; undefined when the ledger (list of writes and deletions) keeps no records. */
  readonly record?: RemovalRecord;
}

export interface RemovalRecord {
  /** The record's `eventID`. An event that a pipe makes from this record has the same id. */
  readonly id: string;
  readonly key: EventImage;
  readonly image: EventImage;
  /** Creation time of the record, epoch milliseconds; undefined when unknown. */
  readonly madeAt?: number;
}

/** An item from one write to the next. Each version can have a deletion, because an item can be deleted and written again. */
export interface Version {
  /** Number of the write, from 1. */
  readonly number: number;
  ttl: Ttl;
  /** Undefined until DynamoDB has acknowledged the write; `at` in epoch milliseconds. */
  written: { readonly how: Write; readonly at: number } | undefined;
  removal: Removal | undefined;
  byApplication: boolean;
}

export interface Entry {
  readonly versions: Version[];
  /** The version that was acknowledged last; undefined for an item without an acknowledged write. */
  current: Version | undefined;
  readonly notes: Note[];
}

export interface Note {
  readonly at: Millis;
  readonly what: string;
  readonly version: number;
  readonly ttl: Ttl;
}

export interface Present {
  readonly version: number;
  readonly ttl: Ttl;
}

/** The sweep keeps items that expired this long ago or earlier, as native TTL does: five years of 365 days. */
const FIVE_YEARS_SECONDS = 5 * 365 * 24 * 60 * 60;
/** For an item that expired five years ± 600 seconds ago, keeping and deleting are both correct. */
const BOUND_SECONDS = 600;

/** Whether the sweep must keep an item with this TTL. Uses no code of the sweep, because it judges the sweep. @param at epoch seconds */
export function isLive(ttl: Ttl, at: number): boolean {
  return ttl === undefined || ttl > at || ttl <= at - FIVE_YEARS_SECONDS - BOUND_SECONDS;
}

/** Whether the sweep must have deleted an item with this TTL. @param at epoch seconds */
export function isOverdue(ttl: Ttl, at: number): boolean {
  return ttl !== undefined && ttl <= at && ttl > at - FIVE_YEARS_SECONDS + BOUND_SECONDS;
}

export function isEarly({ ttl, seenAt }: Removal): boolean {
  return isLive(ttl, Math.floor(seenAt / 1000));
}

export function wasDeletedLive({ versions }: Entry): boolean {
  return versions.some(
    ({ removal, byApplication }) => !byApplication && removal !== undefined && isEarly(removal),
  );
}

/** The version before `current`, if the write of `current` renewed the item or made the item permanent; undefined otherwise. */
export function renewedVersion({ versions, current }: Entry): Version | undefined {
  const how = current?.written?.how;
  if (how !== 'renewed' && how !== 'made permanent') return undefined;
  return versions.find(({ number }) => number === Number(current?.number) - 1);
}

export function removalOf(entry: Entry): Removal | undefined {
  return entry.current?.removal ?? renewedVersion(entry)?.removal;
}

export function describeNote({ at, what, version, ttl }: Note): string {
  const expiry = ttl === undefined ? 'without TTL' : `TTL ${ttl} (${new Date(ttl * 1000).toISOString()})`;
  return `${new Date(at).toISOString()} ${what}: version ${version}, ${expiry}`;
}

/** Formats an item or its key as text. Equal items give equal text: attributes and sets are sorted, and equal numbers are written alike. */
export function itemText(image: EventImage): string {
  return JSON.stringify(sorted(image));
}

function sorted(image: EventImage): unknown {
  return Object.entries(image)
    .map(([name, value]) => [name, plain(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function plain(value: EventValue): unknown {
  if ('N' in value) return { N: digits(value.N) };
  if ('B' in value) return { B: base64(value.B) };
  if ('SS' in value) return { SS: [...value.SS].sort() };
  if ('NS' in value) return { NS: value.NS.map(digits).sort() };
  if ('BS' in value) return { BS: value.BS.map(base64).sort() };
  if ('M' in value) return { M: sorted(value.M) };
  if ('L' in value) return { L: value.L.map(plain) };
  return value;
}

const digits = (number: string): string => plainDecimal(number) ?? `no number: ${number}`;

/** Bytes as text in base64. The SDK's client returns a Uint8Array; DynamoDB JSON already has base64. */
const base64 = (bytes: string | Uint8Array): string =>
  typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('base64');
