import { type ArchiveObject, compressed, hashOfLines, OBJECT_EXTENSION } from '../archive/archive-object.ts';
import type { DynamoDbStreamRecord } from '../stream/event.ts';
import type { Removal } from './removal.ts';

/** An S3 object that is made from a batch of stream records. */
export interface BatchObject {
  /** The first record of the batch that is in the object. */
  readonly first: DynamoDbStreamRecord;
  readonly removals: readonly Removal[];
  /** Makes the object just before the put, so that a batch with many dates has one compressed object in memory at a time. */
  readonly make: () => ArchiveObject;
}

/** Hexadecimal digits of the lines' hash in an object's name: 64 bits. */
const HASH_DIGITS = 16;

/**
 * Makes the objects of a batch, one for each partition, in the order of their first records.
 *
 * The name is made from the content: the first and last sequence number, and a hash of the lines. So a batch that is delivered again
 * overwrites the same objects, and two different batches never share a name. The shard is not part of it: Lambda does not pass the shard,
 * and sequence numbers of two shards may be equal.
 *
 * @param folder what the keys begin with, with the slash at the end
 */
export function batchObjects(removals: readonly Removal[], folder: string): BatchObject[] {
  const byPartition = new Map<string, [Removal, ...Removal[]]>();
  for (const removal of removals) {
    const others = byPartition.get(removal.partition);
    if (others) others.push(removal);
    else byPartition.set(removal.partition, [removal]);
  }
  return [...byPartition].map(([partition, those]) => ({
    first: those[0].record,
    removals: those,
    make: () => objectOf(`${folder}${partition}`, those),
  }));
}

function objectOf(folder: string, removals: readonly [Removal, ...Removal[]]): ArchiveObject {
  const lines = removals.map(({ line }) => line);
  const [first, last] = [removals[0], removals.at(-1) ?? removals[0]].map(
    ({ record }) => record.dynamodb.SequenceNumber,
  );
  const hash = hashOfLines(lines).slice(0, HASH_DIGITS);
  return { key: `${folder}${first}-${last}-${hash}${OBJECT_EXTENSION}`, body: compressed(lines) };
}
