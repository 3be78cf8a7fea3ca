import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import { jsonBytes } from '../report/listed-keys.ts';

/**
 * Bytes of keys (as JSON, with their TTLs) in one page. A state's payload may have 256 KiB. The page's keys stand in it
 * once: in the output of QueryExpired as chunks, and, when nothing can be deleted, in that of DeleteChunks as failed keys
 * with their reasons, at most 60 bytes more around each. Beside them stand what 40 chunks say of themselves, and the
 * child's progress, most of which is two lists of keys (`CHILD_LISTED_KEYS_BYTES`) and a position.
 * Source: Step Functions quotas.
 */
export const PAGE_BYTES = 120 * 1024;

/** How many of these keys, from the first, one page may hold: at least one, whatever its size. */
export function keysThatFit(keys: readonly ExpiredKey[], maxBytes = PAGE_BYTES): number {
  let bytes = 0;
  for (const [index, key] of keys.entries()) {
    bytes += jsonBytes(key);
    if (bytes > maxBytes) return Math.max(index, 1);
  }
  return keys.length;
}

/** The keys in groups of what one DynamoDB batch takes. */
export function toChunks(keys: readonly ExpiredKey[], size = CHUNK_KEYS): ExpiredKey[][] {
  const chunks: ExpiredKey[][] = [];
  for (let start = 0; start < keys.length; start += size) chunks.push(keys.slice(start, start + size));
  return chunks;
}
