import type { ExpiryModel } from '../../expiry/model.ts';
import { readWindowKey, windowStart } from '../../expiry/window.ts';
import { classifyTtl, type StoredItem, type TtlKind, ttlCandidates } from '../table/sample.ts';
import type { ItemFindingId } from './findings.ts';

/** A fault of one item. */
export interface ItemFault {
  readonly id: ItemFindingId;
  /** A detail with few different values, such as a name, a length or a shard. */
  readonly detail?: string;
}

export interface JudgedItem {
  /** Empty if the item has no faults. */
  readonly faults: readonly ItemFault[];
  /** Epoch seconds of an expiry that is further back than any tick looks; otherwise undefined. */
  readonly overdue: number | undefined;
}

export interface Judge {
  readonly model: ExpiryModel;
  readonly lookbackMinutes: number;
  /** Seconds between the expiry of an item and the time when it is due. @default 0 */
  readonly graceSeconds?: number;
  /** Items with this attribute are not deleted. @default none */
  readonly holdAttribute?: string | undefined;
  /** Other hold attributes, which are in effect until the configuration is deployed. @default none */
  readonly formerHolds?: readonly string[];
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

/** Time that the last tick that queried an item may need to delete it. */
const LAST_TICK_SECONDS = 60;

/** Finds the faults of a stored item, and whether it should have been deleted. */
export function judgeItem(item: StoredItem, judge: Judge): JudgedItem {
  const { model, now, lookbackMinutes, graceSeconds = 0, holdAttribute, formerHolds = [] } = judge;
  const kind = classifyTtl(item[model.ttlAttribute], now);
  if (kind === 'missing') return { faults: faultsWithoutTtl(item, judge), overdue: undefined };
  if (kind !== 'seconds' && kind !== 'fraction') {
    return { faults: [{ id: OF_KIND[kind] }], overdue: undefined };
  }
  const ttl = Number(item[model.ttlAttribute]?.N);
  const lookback = lookbackMinutes * 60 + LAST_TICK_SECONDS;
  const isHeld = holdAttribute !== undefined && item[holdAttribute] !== undefined;
  const overdue = !isHeld && ttl <= now - graceSeconds - lookback ? ttl : undefined;
  const ofTtl: ItemFault[] = kind === 'fraction' ? [{ id: fractionId(model) }] : [];
  const released = isHeld ? [] : formerHolds.filter(attribute => item[attribute] !== undefined);
  const ofHolds = released.map(attribute => ({ id: 'hold-released', detail: `\`${attribute}\`` }) as const);
  const faults = [...ofTtl, ...windowFaults(item, ttl, model), ...ofHolds];
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
