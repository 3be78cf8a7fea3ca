import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ExpiryModel } from '../expiry/model.ts';
import { ttlFault } from '../expiry/ttl.ts';
import { readWindowKey, windowStart } from '../expiry/window.ts';
import { commandLine } from './command-line.ts';
import type { StoredItem } from './whole-table.ts';

export type Severity = 'broken' | 'warning';

interface Fault {
  readonly severity: Severity;
  readonly is: string;
  /** A command or advice that mends the items with TTLs from `from` to `to` (whole minutes, ISO-8601). */
  readonly remedy: (tableName: string, from: string, to: string) => string;
  /** Returns true or a detail if the item has the fault. FaultTally keeps all different details, so there must be few. */
  seen(item: ReadItem, model: ExpiryModel): boolean | string | undefined;
}

/** Seconds after the TTL at which ticks should have deleted an item. */
const GONE_SECONDS = 600;

type Test = (is: string, remedy: Fault['remedy'], seen: Fault['seen']) => Fault;
const broken: Test = (is, remedy, seen) => ({ severity: 'broken', is, remedy, seen });
const warning: Test = (is, remedy, seen) => ({ severity: 'warning', is, remedy, seen });

const ttlIs = (fault: ReadItem['ttlFault']) => (item: ReadItem) => item.ttlFault === fault;
const writer = () =>
  'Correct the writer (docs/use.md), and then write these items once more, or delete them.';
const backfill = (tableName: string) => commandLine('backfill', ['--table', tableName]);

/** An item counts only for its first fault in this order. */
export const FAULTS = {
  'ttl-string': broken(
    'the TTL is a String: only a Number expires, by native TTL too',
    writer,
    ({ ttlFault, item }, { ttlAttribute }) => ttlFault === 'notNumber' && item[ttlAttribute]?.S !== undefined,
  ),
  'ttl-no-number': broken(
    'the TTL is neither a Number nor a String: it never expires',
    writer,
    ttlIs('notNumber'),
  ),
  'ttl-milliseconds': broken(
    'the TTL is in milliseconds: a time thousands of years ahead',
    writer,
    ttlIs('milliseconds'),
  ),
  'ttl-negative': broken('the TTL is negative: it never expires', writer, ttlIs('negative')),
  'ttl-too-old': broken(
    'the TTL is more than five years back: native TTL and the sweep ignore it',
    () => 'Delete these items yourself, or correct the writer if it is a wrong time.',
    ttlIs('tooOld'),
  ),
  'ttl-too-far-ahead': warning(
    'the TTL is more than 20 years ahead: it looks like a wrong unit',
    writer,
    ttlIs('tooFarAhead'),
  ),
  'ttl-fraction': broken(
    'the TTL has a fraction: the sweep asks an index by second for whole seconds',
    writer,
    ({ isFraction }, { indexedBy }) => isFraction && indexedBy === 'second',
  ),
  'ttl-elsewhere': warning(
    'no TTL, but a time in another attribute',
    () => 'Correct ttlAttribute in the configuration, or the writer (docs/use.md).',
    ({ ttl, item, now }) => (ttl === undefined ? timeElsewhere(item, now) : undefined),
  ),
  'window-without-ttl': warning(
    'a window and no TTL: it never expires',
    writer,
    ({ ttl, stamp }) => ttl === undefined && Boolean(stamp),
  ),
  'window-missing': broken(
    'a TTL and no window: the index does not have it',
    backfill,
    ({ ttl, stamp }) => ttl !== undefined && stamp === '',
  ),
  'window-malformed': broken(
    'the window does not have the form of one',
    backfill,
    ({ ttl, stamp, window }) => ttl !== undefined && Boolean(stamp) && window === undefined,
  ),
  'window-length': broken(
    'the window has another length than granularityMinutes: writer and deployment differ',
    backfill,
    ({ window }, { granularitySeconds }) =>
      window &&
      window.granularitySeconds !== granularitySeconds &&
      `${window.granularitySeconds / 60} minutes`,
  ),
  'window-shard': broken(
    'a shard that is not swept: the writer has more shards than the deployment',
    () => `Raise shards in the configuration, and then ${commandLine('deploy')}`,
    ({ window }, { shards }) => window && window.shard >= shards && `shard ${window.shard}`,
  ),
  'window-other': broken(
    'the window is not that of the TTL: somebody wrote the TTL alone',
    backfill,
    // A window that ends exactly at the TTL is accepted: earlier versions wrote such windows, and sweeps find these items, too.
    ({ ttl, window }) =>
      ttl !== undefined &&
      window !== undefined &&
      (ttl < window.start || ttl > window.start + window.granularitySeconds),
  ),
  'expired-present': broken(
    'expired more than ten minutes ago, with nothing wrong, and still there',
    (tableName, from, to) => commandLine('replay', ['--table', tableName, '--from', from, '--to', to]),
    ({ ttl, now }) => ttl !== undefined && ttl <= now - GONE_SECONDS,
  ),
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultId = keyof typeof FAULTS;
export const FAULT_IDS = Object.keys(FAULTS) as FaultId[];

type ReadItem = ReturnType<typeof readItem>;

/** @param now epoch seconds */
export function readItem(item: StoredItem, { ttlAttribute, windowAttribute }: ExpiryModel, now: number) {
  const stored = item[ttlAttribute];
  // Undefined: the item has no TTL; NaN: the TTL is no Number.
  const ttl = stored && Number(stored.N ?? Number.NaN);
  const stamp = windowAttribute === undefined ? undefined : (item[windowAttribute]?.S ?? '');
  const window = readWindowKey(stamp ?? '');
  const isAligned = window && windowStart(window.start, window.granularitySeconds) === window.start;
  return {
    ...{ item, ttl, now },
    // The stored window: undefined if the table is indexed by second, '' if the item has no window, '(no String)' for another type.
    stamp: item[windowAttribute ?? ''] !== undefined && stamp === '' ? '(no String)' : stamp,
    ttlFault: ttl === undefined ? undefined : ttlFault(ttl, now),
    // The Number's text is checked, because a JavaScript number has fewer digits than a Number of DynamoDB, which has up to 38.
    isFraction: /^-?\d+\.\d*[1-9]/.test(stored?.N ?? '') || /E-/i.test(stored?.N ?? ''),
    // Undefined: the stored window is missing, or has a form that no correct writer stores.
    window: isAligned ? window : undefined,
  };
}

export function faultOf(
  read: ReadItem,
  model: ExpiryModel,
): { readonly id: FaultId; readonly detail: string | undefined } | undefined {
  for (const id of FAULT_IDS) {
    const seen = FAULTS[id].seen(read, model);
    if (seen) return { id, detail: typeof seen === 'string' ? seen : undefined };
  }
  return undefined;
}

const EXAMPLES = 3;

interface Counted {
  readonly id: FaultId;
  items: number;
  readonly examples: StoredItem[];
  readonly details: Set<string>;
  oldest: number;
  newest: number;
}

export class FaultTally {
  readonly #model: ExpiryModel;
  readonly #now: number;
  readonly #counted = new Map<FaultId, Counted>();
  read = 0;

  constructor(model: ExpiryModel, now: number) {
    this.#model = model;
    this.#now = now;
  }

  add(item: StoredItem): void {
    this.read += 1;
    const read = readItem(item, this.#model, this.#now);
    const fault = faultOf(read, this.#model);
    if (fault === undefined) return;
    const { id, detail } = fault;
    const nothing = { id, items: 0, examples: [], details: new Set<string>(), oldest: Infinity, newest: 0 };
    const counted: Counted = this.#counted.get(id) ?? nothing;
    this.#counted.set(id, counted);
    counted.items += 1;
    if (counted.examples.length < EXAMPLES) counted.examples.push(item);
    if (detail !== undefined) counted.details.add(detail);
    counted.oldest = Math.min(counted.oldest, read.ttl ?? counted.oldest);
    counted.newest = Math.max(counted.newest, read.ttl ?? counted.newest);
  }

  get counted(): readonly Counted[] {
    return FAULT_IDS.flatMap(id => this.#counted.get(id) ?? []);
  }
}

const EXPIRY_NAME =
  /^(ttl|timetolive|expir(y|es?|ed|ation)(s)?(at|on|in|date|time|timestamp|epoch)?|(end|delete|remove)(at|after|on))$/;

export function looksLikeExpiry(name: string, value: AttributeValue | undefined, now: number): boolean {
  const number = Number(value?.N ?? (/^\d+$/.test(value?.S ?? '') ? value?.S : Number.NaN));
  const fault = ttlFault(number, now);
  const isTime = fault === undefined || fault === 'milliseconds';
  return isTime && EXPIRY_NAME.test(name.toLowerCase().replaceAll(/[_-]/g, ''));
}

const timeElsewhere = (item: StoredItem, now: number): string | undefined =>
  Object.entries(item).find(([name, value]) => looksLikeExpiry(name, value, now))?.[0];
