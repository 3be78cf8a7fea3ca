import { VirtualClock } from 'stepfunctions-emulator';
import { machineRecordTime, virtualRecordTime } from '../../src/streams/record-time.ts';
import { type FakeShard, numbers, polled } from './fake-stream.ts';

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

test.each([
  ['read in its minute', '09:00:00', '09:00:41.250', '09:00:41.250'],
  ['read a minute later', '09:00:00', '09:01:20', '09:00:59.999'],
  ['read before it, by a clock that was set back', '09:00:00', '08:59:59', '09:00:00'],
  ['timed to the second', '09:00:17', '09:00:41', '09:00:17'],
])('a record that is %s', (what, approximate, read, expected) => {
  expect(machineRecordTime(new Date(at(approximate)), at(read))).toBe(at(expected));
  const isTimed = what === 'timed to the second';
  expect(virtualRecordTime(new Date(at(approximate)), at(read))).toBe(at(isTimed ? expected : read));
});

test('a record without a time has that of its first read', () => {
  expect(machineRecordTime(undefined, at('09:00:41'))).toBe(at('09:00:41'));
});

test('a record that another process reads again has the same time', async () => {
  const shard: FakeShard = { id: 'shard-1', records: numbers(1, 2), isOpen: true };
  const clock = new VirtualClock(at('09:00:10'));
  const called = Promise.withResolvers<void>();
  const killed = polled([shard], clock, {
    answer: () => {
      called.resolve();
      return new Promise(() => {});
    },
  });
  killed.poller.start();
  await called.promise;
  shard.records.push(...numbers(3, 3));
  const later = polled([shard], new VirtualClock(at('09:00:50')), { checkpoints: killed.checkpoints });
  await later.poller.drain();
  const times = later.events.flatMap(({ Records }) =>
    Records.map(({ dynamodb }) => dynamodb.ApproximateCreationDateTime * 1000),
  );
  expect(times).toEqual([at('09:00:10'), at('09:00:10'), at('09:00:50')]);
});
