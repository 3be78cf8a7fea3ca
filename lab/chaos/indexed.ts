import type { ExpiryModel } from '../../expiry/index.ts';
import type { IndexEntry } from '../faults/index.ts';
import type { Stamped } from '../workload/stamp.ts';

/** The index entry of what was written, for answers that are stale later. */
export interface Indexed {
  readonly indexKey: string;
  readonly entry: IndexEntry;
}

/**
 * The index entry of an item that was written with these attributes, in a table whose partition key is a string and
 * its only key; undefined for an item that the index does not have.
 */
export function indexedOf(
  id: string,
  stamped: Stamped,
  { partitionKey, ttlAttribute, windowAttribute }: ExpiryModel,
): Indexed | undefined {
  const ttl = stamped[ttlAttribute];
  if (ttl === undefined) return undefined;
  const entry = { [partitionKey]: { S: id }, [ttlAttribute]: { N: String(ttl) } };
  if (windowAttribute === undefined) return { indexKey: String(ttl), entry };
  const window = stamped[windowAttribute];
  if (typeof window !== 'string') return undefined;
  return { indexKey: window, entry: { ...entry, [windowAttribute]: { S: window } } };
}
