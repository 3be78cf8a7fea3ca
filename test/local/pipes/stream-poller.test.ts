import { VirtualClock } from 'stepfunctions-emulator';
import type { DynamoDbStreamRecord } from '../../../functions/only-expiries/contract.ts';
import { StreamPoller, type StreamPollerOptions } from '../../../local/pipes/stream-poller.ts';

interface FakeShard {
  readonly id: string;
  readonly parentId?: string;
  /** Numbers of its records; grows while the shard is open. A negative one is no removal. */
  readonly records: number[];
  isOpen: boolean;
}

const START = Date.parse('2026-11-20T09:00:10Z');
const minute = Date.parse('2026-11-20T09:00:00Z');

const toRecord = (number: number): DynamoDbStreamRecord => ({
  eventID: String(Math.abs(number)),
  eventName: number < 0 ? 'INSERT' : 'REMOVE',
  dynamodb: {
    Keys: { id: { S: 'a' } },
    SequenceNumber: String(Math.abs(number)).padStart(21, '0'),
    ApproximateCreationDateTime: minute / 1000,
  },
});

/** A poller that a failed test has left running would keep the virtual clock running. */
const running: StreamPoller[] = [];
afterEach(() => Promise.all(running.splice(0).map(poller => poller.stop())));

const numberOf = ({ dynamodb }: DynamoDbStreamRecord) => Number(dynamodb.SequenceNumber);

function streamOf(shards: readonly FakeShard[]): StreamPollerOptions['stream'] {
  return {
    shards: async () => shards,
    async read(shardId, after = '0', limit) {
      const { records, isOpen } = shards.find(({ id }) => id === shardId) as FakeShard;
      const left = records.filter(number => Math.abs(number) > Number(after));
      return { records: left.slice(0, limit).map(toRecord), isEnd: !isOpen && left.length <= limit };
    },
  };
}

/** A poller over these shards, and the batches that were taken. @param fails what a batch fails with, by its numbers */
async function polled(
  shards: readonly FakeShard[],
  fails: (numbers: number[]) => boolean = () => false,
  over: Partial<StreamPollerOptions> = {},
) {
  const clock = new VirtualClock(START);
  const batches: number[][] = [];
  const taken: DynamoDbStreamRecord[] = [];
  const errors: unknown[] = [];
  const poller = await StreamPoller.open({
    stream: streamOf(shards),
    batchSize: 4,
    fromLatest: false,
    clock,
    timeOf: (_minute, firstReadAt) => firstReadAt,
    take: async removals => {
      const numbers = removals.map(numberOf);
      batches.push(numbers);
      if (fails(numbers)) throw new Error(`failed: ${numbers}`);
      taken.push(...removals);
    },
    onError: error => errors.push(error),
    ...over,
  });
  running.push(poller);
  return { clock, poller, batches, errors, taken, numbers: () => taken.map(numberOf) };
}

const open = (...records: number[]): FakeShard => ({ id: 'one', records, isOpen: true });

test('removals are taken in batches, in order, once each; other changes are not', async () => {
  const shard = open(1, -2, 3, 4, 5);
  const { poller, batches } = await polled([shard]);
  await poller.drain();
  expect(batches).toEqual([[1, 3, 4], [5]]);
  shard.records.push(-6, 7);
  await poller.drain();
  await poller.drain();
  expect(batches).toEqual([[1, 3, 4], [5], [7]]);
});

test('a batch that fails is taken in halves; the record that is left holds up its shard, and no other', async () => {
  const other = { id: 'other', records: [11, 12], isOpen: true };
  let isBroken = true;
  const { poller, batches, numbers } = await polled(
    [open(1, 2, 3, 4, 5), other],
    given => isBroken && given.includes(3),
  );
  await expect(poller.drain()).rejects.toThrow('failed: 3');
  expect(batches).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [11, 12]]);
  await expect(poller.drain()).rejects.toThrow('failed: 3');
  expect(numbers()).toEqual([1, 2, 11, 12]);
  isBroken = false;
  await poller.drain();
  expect(numbers()).toEqual([1, 2, 11, 12, 3, 4, 5]);
});

test('a shard is read after its parent has ended, also one that begins later', async () => {
  const parent: FakeShard = { id: 'one', records: [1], isOpen: true };
  const shards: FakeShard[] = [{ id: 'two', parentId: 'one', records: [2], isOpen: false }, parent];
  const { poller, numbers } = await polled(shards);
  await poller.drain();
  expect(numbers()).toEqual([1]);
  shards.push({ id: 'three', parentId: 'two', records: [3], isOpen: true });
  parent.isOpen = false;
  await poller.drain();
  expect(numbers()).toEqual([1, 2, 3]);
});

test('from the latest record on, what was there is passed over', async () => {
  const shard = open(1, 2);
  const closed = { id: 'closed', records: [11], isOpen: false };
  const { poller, numbers } = await polled([shard, closed], undefined, { fromLatest: true });
  shard.records.push(3);
  await poller.drain();
  expect(numbers()).toEqual([3]);
});

test('it reads on until it is stopped, and tells the first of several failures', async () => {
  const shard = open(1);
  let isBroken = true;
  const { clock, poller, errors, numbers } = await polled([shard], () => isBroken);
  poller.start();
  await clock.sleep(2_000);
  expect(errors).toEqual([new Error('failed: 1')]);
  isBroken = false;
  await clock.sleep(5_000);
  shard.records.push(2);
  await clock.sleep(1_000);
  expect(numbers()).toEqual([1, 2]);
  await poller.stop();
  shard.records.push(3);
  await clock.sleep(60_000);
  expect(numbers()).toEqual([1, 2]);
});

test('a record has the second in which it was first read, each time that it is read', async () => {
  let isBroken = true;
  const { clock, poller, taken } = await polled([open(1)], () => isBroken);
  await expect(poller.drain()).rejects.toThrow('failed');
  await clock.sleep(40_000);
  isBroken = false;
  await poller.drain();
  expect(taken.map(({ dynamodb }) => dynamodb.ApproximateCreationDateTime * 1000)).toEqual([START]);
});
