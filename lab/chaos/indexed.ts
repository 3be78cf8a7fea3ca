import type { ExpiryModel } from '../../expiry/index.ts';
import type { IndexEntry } from '../faults/index.ts';
import type { Stamped } from '../workload/stamp.ts';

/** The index entry of what was written, for answers that are stale later. */
export interface Indexed {
  readonly indexKey: string;
  readonly entry: IndexEntry;
}

/**
 * What the index holds of an item that was written with these attributes, in a table whose partition key is a string and
 * its only key; undefined for an item without a window.
 */
export function indexedOf(
  id: string,
  stamped: Stamped,
  { partitionKey, ttlAttribute, windowAttribute }: ExpiryModel,
): Indexed | undefined {
  const indexKey = stamped[windowAttribute];
  if (typeof indexKey !== 'string') return undefined;
  const entry = {
    [partitionKey]: { S: id },
    [windowAttribute]: { S: indexKey },
    [ttlAttribute]: { N: String(stamped[ttlAttribute]) },
  };
  return { indexKey, entry };
}
