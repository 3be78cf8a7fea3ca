import type { ExpiryModel } from '../../expiry/model.ts';
import { readWindowKey, windowStart } from '../../expiry/window.ts';
import { classifyTtl, type StoredItem, type TtlKind, ttlCandidates } from '../table/sample.ts';
import type { ItemFindingId } from './findings.ts';

/** Something that is wrong with one item. */
export interface ItemFault {
  readonly id: ItemFindingId;
  /** A detail with few different values: a name, a length, a shard. */
  readonly detail?: string;
}

export interface JudgedItem {
  /** Empty: nothing is wrong. */
  readonly faults: readonly ItemFault[];
  /** Epoch seconds; undefined unless it expired so long ago that no tick looks for it any more. */
  readonly overdue: number | undefined;
}

export interface Judge {
  readonly model: ExpiryModel;
  readonly lookbackMinutes: number;
  /** An item that has expired is due so much later. @default 0 */
  readonly graceSeconds?: number;
  /** An item that has it stays. @default none */
  readonly holdAttribute?: string | undefined;
  /** Attributes that held items before, or will have until the configuration is deployed. @default none */
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

/** The tick that looked for an item last may still be deleting. */
const LAST_TICK_SECONDS = 60;

/** The faults of a stored item, and whether it should be gone. */
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
  // The sweep asks the index for the text that windowKey writes, and no other.
  const window = readWindowKey(value.S ?? '');
  if (window === undefined) return [{ id: 'window-malformed' }];
  const { start, granularitySeconds: length, shard } = window;
  if (length !== granularitySeconds) return [{ id: 'window-granularity', detail: describeLength(length) }];
  if (windowStart(start, length) !== start) return [{ id: 'window-malformed' }];
  return [
    ...(shard < shards ? [] : [{ id: 'window-shard-unswept', detail: `shard ${shard}` } as const]),
    // Also one that ends at the TTL: the older form, (start, end], which the sweep finds: expiry/window-starts.ts.
    ...(ttl < start || ttl > start + length ? [{ id: 'window-differs' } as const] : []),
  ];
}

function describeLength(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}
