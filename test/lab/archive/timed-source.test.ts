import { TimedSource } from '../../../lab/archive/timed-source.ts';
import { machineRecordTime } from '../../../local/streams/record-time.ts';
import type { StreamedRecord } from '../../../local/streams/stream-source.ts';

const MINUTE_MS = 60_000;
const streamed = (sequenceNumber: string, eventName: 'INSERT' | 'REMOVE'): StreamedRecord => ({
  sequenceNumber,
  record: { eventName, dynamodb: { ApproximateCreationDateTime: new Date(MINUTE_MS) } },
});

test('a removal has the time at which it was recorded, also for a reader who comes much later', async () => {
  const asked: unknown[] = [];
  const recorded = [MINUTE_MS + 1_234, 2 * MINUTE_MS];
  const source = new TimedSource(
    {
      shards: async () => [],
      read: async () => ({
        records: [streamed('1', 'REMOVE'), streamed('2', 'INSERT'), streamed('3', 'REMOVE')],
        isEnd: true,
      }),
    },
    async (...question) => {
      asked.push(question);
      return recorded;
    },
  );
  const { records, isEnd } = await source.read('shard', undefined, 10);
  const timeOf = (index: number) => records[index]?.record.dynamodb?.ApproximateCreationDateTime;
  const late = 10 * MINUTE_MS;
  expect(asked).toEqual([['shard', ['1', '3']]]);
  expect(isEnd).toBe(true);
  expect(machineRecordTime(timeOf(0), late)).toBe(recorded[0]);
  expect(timeOf(1)).toEqual(new Date(MINUTE_MS));
  // A full minute, to the second: a time without seconds would be taken for a rounded one.
  expect(Math.floor(machineRecordTime(timeOf(2), late) / 1000)).toBe(120);
});
