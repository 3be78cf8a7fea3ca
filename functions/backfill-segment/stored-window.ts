import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { WindowModel } from '../../expiry/model.ts';
import { shardOf } from '../../expiry/shard.ts';
import { ttlFault } from '../../expiry/ttl.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import type { ItemFate } from '../../statemachine/backfill-counts.ts';

/** An item as the scan reads it, with wrapped numbers: its key, its TTL and its window. */
export type ScannedItem = Readonly<Record<string, unknown>>;

/** A window to write, on condition that the TTL is still the one that was read. */
export interface Stamp {
  readonly window: string;
}

/**
 * Decides whether the window of an item is written, or returns the reason why not.
 *
 * 1. An item without a TTL never expires and needs no window.
 * 2. An item whose TTL no sweep would ever delete gets no window: its writer must be corrected first.
 * 3. An item whose TTL has a fraction is deleted in its second like any other, and gets the window of that second.
 * 4. A window of another granularity or shard is as wrong as a missing one.
 *
 * @param nowSeconds epoch seconds
 */
export function stampOf(model: WindowModel, item: ScannedItem, nowSeconds: number): Stamp | ItemFate {
  const stored = item[model.ttlAttribute];
  if (stored === undefined) return 'withoutTtl';
  const ttl = stored instanceof NumberValue ? Number(stored.value) : Number.NaN;
  const refused = ttlFault(ttl, nowSeconds);
  if (refused !== undefined) return { refused };
  const { granularitySeconds, shards } = model;
  const start = windowStart(ttl, granularitySeconds);
  const window = windowKey(start, granularitySeconds, shardOf(item, model, shards));
  return item[model.windowAttribute] === window ? 'rightAlready' : { window };
}
