import { CHUNK_KEYS, type Chunk, type ExpiredKey } from '../../statemachine/contract.ts';

/**
 * Bytes of keys (as JSON, with their TTLs) in one page. A state's payload may have 256 KiB, and the page's keys stand
 * in it once, with at most 60 bytes more around each: in the output of QueryExpired as chunks, and, when nothing can be
 * deleted, in that of DeleteChunks as failed keys with their reasons. 180 KiB + 1,000 × 60 bytes stays below it.
 * Source: Step Functions quotas.
 */
export const PAGE_BYTES = 180 * 1024;

/** How many of these keys, from the first, one page may hold: at least one, whatever its size. */
export function keysThatFit(keys: readonly ExpiredKey[], mostBytes = PAGE_BYTES): number {
  let bytes = 0;
  for (const [index, key] of keys.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(key));
    if (bytes > mostBytes) return Math.max(index, 1);
  }
  return keys.length;
}

/** The keys in groups of what one DynamoDB batch takes. */
export function toChunks(keys: readonly ExpiredKey[], size = CHUNK_KEYS): Chunk[] {
  const chunks: Chunk[] = [];
  for (let start = 0; start < keys.length; start += size)
    chunks.push({ keys: keys.slice(start, start + size) });
  return chunks;
}
