import { type ArchiveObject, compressed, hashOfLines, OBJECT_EXTENSION } from '../archive/archive-object.ts';
import type { DynamoDbStreamRecord } from '../stream/event.ts';
import type { Removal } from './removal.ts';

/** An object of a batch. */
export interface BatchObject {
  /** The first of the records that are in it. */
  readonly first: DynamoDbStreamRecord;
  readonly removals: readonly Removal[];
  /** Made when it is put: a batch of many dates has one compressed object at a time. */
  readonly make: () => ArchiveObject;
}

/** Hexadecimal digits of the lines' hash in an object's name: 64 bits. */
const HASH_DIGITS = 16;

/**
 * The objects of a batch, one for each partition, in the order of their first records.
 *
 * The name is made of what is in it: the first and last sequence number, and a hash of its lines. So what is delivered again is
 * written again to the same object, and nothing else ever is: Lambda does not tell the shard, and two shards are not
 * promised to have different sequence numbers.
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
