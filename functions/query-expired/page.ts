import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import { jsonBytes } from '../report/listed-keys.ts';

/**
 * Most bytes of keys (as JSON, with their TTLs) in one page. A state's payload may have 256 KiB. It contains the page's keys once: in
 * QueryExpired's output as chunks, and, when nothing can be deleted, in DeleteChunks' output as failed keys with their reasons, at most 60
 * bytes more for each. The payload also has the fields of 40 chunks, and the child's progress, mostly two lists of keys
 * (`CHILD_LISTED_KEYS_BYTES`) and a position. Source: Step Functions quotas.
 */
export const PAGE_BYTES = 120 * 1024;

/** Number of these keys, from the first, that fit into one page: at least one, whatever its size. */
export function keysThatFit(keys: readonly ExpiredKey[], maxBytes = PAGE_BYTES): number {
  let bytes = 0;
  for (const [index, key] of keys.entries()) {
    bytes += jsonBytes(key);
    if (bytes > maxBytes) return Math.max(index, 1);
  }
  return keys.length;
}

/** Splits the keys into groups of one DynamoDB batch each. */
export function toChunks(keys: readonly ExpiredKey[], size = CHUNK_KEYS): ExpiredKey[][] {
  const chunks: ExpiredKey[][] = [];
  for (let start = 0; start < keys.length; start += size) chunks.push(keys.slice(start, start + size));
  return chunks;
}
