import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes } from '../../../expiry/index.ts';
import type { SweepSettings } from '../../../functions/runtime/environment.ts';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import { CHUNK_KEYS } from '../../../statemachine/contract/limits.ts';

/** Calls that write at the same time. */
const IN_FLIGHT = 40;

/**
 * Writes items with the keys `item-0`, `item-1`…
 * @param ttlOf the TTL of an item, epoch seconds
 */
export async function fill(
  documents: Documents,
  { tableName, model }: Pick<SweepSettings, 'tableName' | 'model'>,
  items: number,
  ttlOf: (item: number) => number,
): Promise<void> {
  const puts = Array.from({ length: items }, (_unused, item) => {
    const key = { [model.partitionKey]: `item-${item}` };
    return { PutRequest: { Item: { ...key, ...expiryAttributes(model, key, { expiresAt: ttlOf(item) }) } } };
  });
  const chunks = Array.from({ length: Math.ceil(items / CHUNK_KEYS) }, (_unused, chunk) =>
    puts.slice(chunk * CHUNK_KEYS, (chunk + 1) * CHUNK_KEYS),
  );
  for (let first = 0; first < chunks.length; first += IN_FLIGHT)
    await Promise.all(
      chunks
        .slice(first, first + IN_FLIGHT)
        .map(some => documents.send(new BatchWriteCommand({ RequestItems: { [tableName]: some } }))),
    );
}
