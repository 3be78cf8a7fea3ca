import type { ExpiryModel } from '../../expiry/model.ts';
import { readWindowKey, windowStart } from '../../expiry/window.ts';
import type { Subject } from '../deployment/subject.ts';
import { type KeyTextOptions, keyText, storedKey } from '../table/key-text.ts';
import { classifyTtl, type StoredItem, type TtlKind, ttlCandidates } from '../table/sample.ts';
import { ITEM_FINDINGS, type ItemFindingId } from './findings.ts';
import { type Finding, finding, type Seen } from './report.ts';

/** Keys that are shown for each finding. */
export const SAMPLES = 3;

/** Different details that are shown for one finding. */
const DETAILS = 5;

/** Unused shards count as a fault if chance leaves them unused with a lower probability than this. */
const BY_CHANCE = 1e-6;

interface Counted {
  count: number;
  overdue: number;
  readonly samples: string[];
  readonly details: Map<string, number>;
}

function nothingCounted(): Counted {
  return { count: 0, overdue: 0, samples: [], details: new Map() };
}

/** Counts the faults of items and lists a few keys, so that the memory does not grow with the table. */
export class ItemTally {
  readonly #judge: Judge;
  readonly #keys: KeyTextOptions;
  readonly #found = new Map<ItemFindingId, Counted>();
  #read = 0;
  /** Number of items in windows of this table's length, and their highest shard. */
  #sharded = { items: 0, highest: 0 };
  #oldest = Number.POSITIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(judge: Judge, keys: KeyTextOptions) {
    this.#judge = judge;
    this.#keys = keys;
  }

  /** Number of items so far. */
  get read(): number {
    return this.#read;
  }

  add(item: StoredItem): void {
    this.#read += 1;
    const judged = judgeItem(item, this.#judge);
    this.#noteShard(item);
    for (const { id, detail } of judged.faults) {
      const counted = this.#found.get(id) ?? nothingCounted();
      this.#found.set(id, counted);
      counted.count += 1;
      if (judged.overdue !== undefined) counted.overdue += 1;
      if (counted.samples.length < SAMPLES) {
        const text = keyText(storedKey(item, this.#keys.keyNames), this.#keys);
        if (text !== undefined) counted.samples.push(text);
      }
      if (detail !== undefined) counted.details.set(detail, (counted.details.get(detail) ?? 0) + 1);
      if (id === 'expired-present') this.#noteSpan(judged);
    }
  }

  #noteShard(item: StoredItem): void {
    const { windowAttribute, granularitySeconds } = this.#judge.model;
    const window = windowAttribute === undefined ? undefined : readWindowKey(item[windowAttribute]?.S ?? '');
    if (window?.granularitySeconds !== granularitySeconds) return;
    const { items, highest } = this.#sharded;
    this.#sharded = { items: items + 1, highest: Math.max(highest, window.shard) };
  }

  /** The finding of unused shards; undefined if all are used, or if the items are too few to decide. */
  #unusedShards(): Seen | undefined {
    const { items, highest } = this.#sharded;
    const { shards } = this.#judge.model;
    if (highest >= shards || ((highest + 1) / shards) ** items >= BY_CHANCE) return undefined;
    const used = highest === 0 ? 'shard 0' : `shards 0 to ${highest}`;
    return { detail: `${used} of ${shards} (${items.toLocaleString('en-US')} items)` };
  }

  #noteSpan({ overdue }: JudgedItem): void {
    if (overdue === undefined) return;
    this.#oldest = Math.min(this.#oldest, overdue);
    this.#newest = Math.max(this.#newest, overdue);
  }

  /** The findings, in the order of the report. */
  findings(subject: Subject): Finding[] {
    return ITEM_FINDINGS.flatMap(id => {
      if (id === 'window-shards-unused') {
        const unused = this.#unusedShards();
        return unused === undefined ? [] : [finding(id, subject, unused)];
      }
      const counted = this.#found.get(id);
      return counted === undefined ? [] : [finding(id, subject, this.#seen(id, counted))];
    });
  }

  #seen(id: ItemFindingId, { count, overdue, samples, details }: Counted): Seen {
    const common = [...details].sort(([, one], [, other]) => other - one).slice(0, DETAILS);
    const listed = common.map(([detail, times]) => `${detail} (${times.toLocaleString('en-US')})`);
    const parts = [
      ...(listed.length > 0
        ? [`${listed.join(', ')}${details.size > DETAILS ? ' and other ones' : ''}`]
        : []),
      ...(overdue > 0 && id !== 'expired-present'
        ? [`${overdue.toLocaleString('en-US')} of them should be gone already`]
        : []),
    ];
    const seen = { count, samples, ...(parts.length > 0 && { detail: parts.join('; ') }) };
    if (id !== 'expired-present') return seen;
    const [oldest, to] = [minute(this.#oldest), minute(this.#newest + 60)];
    return { ...seen, detail: `expiry times from ${oldest} to ${to}`, values: { from: oldest, to } };
  }
}

/** The whole minute at or before a time, ISO-8601. */
function minute(epochSeconds: number): string {
  return new Date(Math.floor(epochSeconds / 60) * 60_000).toISOString().replace('.000Z', 'Z');
}

/** A fault of one item. */
export interface ItemFault {
  readonly id: ItemFindingId;
  /** A detail with few different values, such as a name, a length or a shard. */
  readonly detail?: string;
}

export interface JudgedItem {
  /** Empty if the item has no faults. */
  readonly faults: readonly ItemFault[];
  /** Epoch seconds of an expiry that is longer ago than {@link GONE_SECONDS}; otherwise undefined. */
  readonly overdue: number | undefined;
}

export interface Judge {
  readonly model: ExpiryModel;
  /** Epoch seconds. */
  readonly now: number;
}

const OF_KIND: Readonly<Record<Exclude<TtlKind, 'seconds' | 'missing' | 'fraction'>, ItemFindingId>> = {
  string: 'ttl-string',
  otherType: 'ttl-other-type',
  milliseconds: 'ttl-milliseconds',
  negative: 'ttl-negative',
  tooOld: 'ttl-too-old',
  tooFarAhead: 'ttl-too-far-ahead',
};

/** Seconds in which several ticks should have deleted an item. */
const GONE_SECONDS = 10 * 60;

/** Finds the faults of a stored item, and whether it should have been deleted. */
export function judgeItem(item: StoredItem, judge: Judge): JudgedItem {
  const { model, now } = judge;
  const kind = classifyTtl(item[model.ttlAttribute], now);
  if (kind === 'missing') return { faults: faultsWithoutTtl(item, judge), overdue: undefined };
  if (kind !== 'seconds' && kind !== 'fraction') {
    return { faults: [{ id: OF_KIND[kind] }], overdue: undefined };
  }
  const ttl = Number(item[model.ttlAttribute]?.N);
  const overdue = ttl <= now - GONE_SECONDS ? ttl : undefined;
  const ofTtl: ItemFault[] = kind === 'fraction' ? [{ id: fractionId(model) }] : [];
  const faults = [...ofTtl, ...windowFaults(item, ttl, model)];
  const isExplained = faults.some(({ id }) => id !== 'ttl-fraction-by-window');
  if (overdue !== undefined && !isExplained) faults.push({ id: 'expired-present' });
  return { faults, overdue };
}

function fractionId({ indexedBy }: ExpiryModel): ItemFindingId {
  return indexedBy === 'second' ? 'ttl-fraction' : 'ttl-fraction-by-window';
}

function faultsWithoutTtl(item: StoredItem, { model, now }: Judge): ItemFault[] {
  const [candidate] = ttlCandidates([item], now);
  const { windowAttribute } = model;
  return [
    ...(candidate === undefined
      ? []
      : [{ id: 'ttl-elsewhere', detail: `\`${candidate.attribute}\`` } as const]),
    ...(windowAttribute !== undefined && item[windowAttribute] !== undefined
      ? [{ id: 'window-without-ttl' } as const]
      : []),
  ];
}

function windowFaults(item: StoredItem, ttl: number, model: ExpiryModel): ItemFault[] {
  const { windowAttribute, granularitySeconds, shards } = model;
  if (windowAttribute === undefined) return [];
  const value = item[windowAttribute];
  if (value === undefined) return [{ id: 'window-missing' }];
  // The sweep queries the index only for the texts that windowKey writes.
  const window = readWindowKey(value.S ?? '');
  if (window === undefined) return [{ id: 'window-malformed' }];
  const { start, granularitySeconds: length, shard } = window;
  if (length !== granularitySeconds) return [{ id: 'window-granularity', detail: describeLength(length) }];
  if (windowStart(start, length) !== start) return [{ id: 'window-malformed' }];
  return [
    ...(shard < shards ? [] : [{ id: 'window-shard-unswept', detail: `shard ${shard}` } as const]),
    // A window that ends at the TTL is accepted too: the older form (start, end], which the sweep also finds
    // (expiry/window-starts.ts).
    ...(ttl < start || ttl > start + length ? [{ id: 'window-differs' } as const] : []),
  ];
}

function describeLength(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}
