import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  type GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { StreamObserver } from '../../../lab/watch/observer.ts';

const client = {
  send: async () => ({
    Table: { LatestStreamArn: 'arn:stream', StreamSpecification: { StreamViewType: 'OLD_IMAGE' } },
  }),
} as unknown as DynamoDBClient;

/** A stream of one shard whose first iterator is refused, `refusals` times. */
function streamsThatTrim(refusals: number): DynamoDBStreamsClient {
  let iterators = 0;
  const send = async (command: unknown) => {
    if (command instanceof DescribeStreamCommand)
      return { StreamDescription: { Shards: [{ ShardId: 'shard' }] } };
    if (command instanceof GetShardIteratorCommand) {
      iterators += 1;
      return { ShardIterator: iterators <= refusals ? 'refused' : 'from the beginning' };
    }
    const iterator = (command as GetRecordsCommand).input.ShardIterator;
    if (iterator === 'refused') {
      throw new TrimmedDataAccessException({ message: 'trimmed', $metadata: {} });
    }
    const Records = [{ eventName: 'REMOVE', dynamodb: { OldImage: { id: { S: 'gone' } } } }];
    return iterator === 'from the beginning'
      ? { Records, NextShardIterator: 'behind' }
      : { Records: [], NextShardIterator: 'behind' };
  };
  return { send } as unknown as DynamoDBStreamsClient;
}

async function observe(streams: DynamoDBStreamsClient) {
  const seen: (string | undefined)[] = [];
  const errors: unknown[] = [];
  const observer = await StreamObserver.start({
    client,
    streams,
    tableName: 'any',
    onRemoval: image => seen.push(image['id']?.S),
    onError: error => errors.push(error),
    intervalMs: 1,
  });
  await observer.stop();
  return { seen, errors };
}

test('a shard whose iterator is refused is read from its beginning', async () => {
  expect(await observe(streamsThatTrim(1))).toEqual({ seen: ['gone'], errors: [] });
});

test('a shard that stays refused is an error', async () => {
  const { seen, errors } = await observe(streamsThatTrim(2));
  expect(seen).toEqual([]);
  expect(errors).toEqual([expect.any(TrimmedDataAccessException)]);
});

test('what has happened up to a moment is seen when it says so', async () => {
  const records: object[] = [];
  const send = async (command: unknown) => {
    if (command instanceof DescribeStreamCommand)
      return { StreamDescription: { Shards: [{ ShardId: 'shard' }] } };
    if (command instanceof GetShardIteratorCommand) return { ShardIterator: 'any' };
    return { Records: records.splice(0), NextShardIterator: 'any' };
  };
  const seen: (string | undefined)[] = [];
  const observer = await StreamObserver.start({
    client,
    streams: { send } as unknown as DynamoDBStreamsClient,
    tableName: 'any',
    onRemoval: image => seen.push(image['id']?.S),
    onError: error => expect(error).toBeUndefined(),
    intervalMs: 5,
  });
  for (const id of ['a', 'b', 'c']) {
    records.push({ eventName: 'REMOVE', dynamodb: { OldImage: { id: { S: id } } } });
    while (records.length > 0) await new Promise(resolve => setTimeout(resolve, 5));
    expect(seen.at(-1)).toBe(id);
  }
  await observer.stop();
});
