import type { ExpiryModel } from '../../expiry/index.ts';
import type { IndexEntry } from '../faults/index.ts';
import type { Stamped } from '../workload/stamp.ts';

/** The index entry of a written item, for later stale answers. */
export interface Indexed {
  readonly indexKey: string;
  readonly entry: IndexEntry;
}

/**
 * Returns the index entry of an item with these attributes, in a table whose only key is a partition key of type string; undefined for an
 * item that is not in the index.
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
