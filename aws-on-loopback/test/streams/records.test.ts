import { VirtualClock } from 'stepfunctions-emulator';
import { readBatchAnswer, toLambdaRecord } from '../../src/streams/batch.ts';
import { FilterError, readFilter } from '../../src/streams/mapping-settings.ts';
import { machineRecordTime, virtualRecordTime } from '../../src/streams/stream-source.ts';
import { type FakeShard, numbers, polled } from './fake-stream.ts';

const BATCH = ['11', '12', '13'];
const failures = (...items: unknown[]) => ({ batchItemFailures: items });
const id = (itemIdentifier: unknown) => ({ itemIdentifier });

/** The tables of "Configuring partial batch response with DynamoDB and Lambda", and what they leave open. */
test.each([undefined, null, '', {}, { other: 1 }, { batchItemFailures: null }, failures()])(
  '%j: all is done',
  answer => {
    expect(readBatchAnswer(answer, BATCH)).toEqual({ kind: 'done' });
  },
);

test.each([
  [failures(id('13')), 2],
  [failures(id('13'), id('12')), 1],
  [failures(id('11')), 0],
  [failures(id('13'), id('')), 0],
  [failures(id('13'), id(null)), 0],
  [failures(id('13'), { sequenceNumber: '13' }), 0],
  [failures(id('13'), id('14')), 0],
  [failures(id(13)), 0],
  [failures(id('13'), null), 0],
  [{ batchItemFailures: 'all' }, 0],
  ['done', 0],
  [7, 0],
  [[], 0],
])('%j: failed from %i on', (answer, index) => {
  expect(readBatchAnswer(answer, BATCH)).toEqual({ kind: 'failed', index });
});

const origin = {
  streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Sessions/stream/local',
  region: 'us-east-1',
};

// https://github.com/awslabs/amazon-dynamodb-local-samples/issues/37
test('an empty map that DynamoDB Local wrote without its type has it again, at any depth', () => {
  const nameless = {} as never;
  const OldImage = { map: nameless, list: { L: [nameless, { L: [] }] }, deep: { M: { map: nameless } } };
  const record = toLambdaRecord({ sequenceNumber: '1', record: { dynamodb: { OldImage } } }, origin, 0);
  expect(record.dynamodb.OldImage).toEqual({
    map: { M: {} },
    list: { L: [{ M: {} }, { L: [] }] },
    deep: { M: { map: { M: {} } } },
  });
});

const REMOVED = {
  eventName: 'REMOVE',
  dynamodb: { StreamViewType: 'OLD_IMAGE', OldImage: { a: { S: 'x' } } },
};

test.each([
  ['{"eventName":["REMOVE"]}', true],
  ['{"eventName":["INSERT","REMOVE"]}', true],
  ['{"eventName":["INSERT"]}', false],
  ['{"eventName":["remove"]}', false],
  ['{"userIdentity":{"type":["Service"]}}', false],
  ['{"dynamodb":{"OldImage":{"a":{"S":["x"]}}}}', true],
  ['{"eventName":["REMOVE"],"dynamodb":{"StreamViewType":["KEYS_ONLY"]}}', false],
])('%s takes a removal: %p', (pattern, expected) => {
  expect(readFilter(pattern)(REMOVED)).toBe(expected);
});

test.each([
  [
    '{"eventName":[{"prefix":"RE"}]}',
    /^eventName: expected values, such as \["REMOVE"\], got {"prefix":"RE"}/,
  ],
  ['{"dynamodb":{"OldImage":{"a":[{"exists":true}]}}}', /^dynamodb\.OldImage\.a: expected values/],
  ['{"$or":[{"eventName":["REMOVE"]}]}', /^\$or: expected values/],
  ['{"eventName":"REMOVE"}', /^eventName: expected an object with fields, got "REMOVE"/],
  ['{"eventName":[]}', /^eventName: expected at least one value/],
  ['{}', /^the pattern: expected an object with fields, got {}/],
  ['{', /^expected JSON, got "{"/],
])('fails for %s', (pattern, message) => {
  expect(() => readFilter(pattern)).toThrow(FilterError);
  expect(() => readFilter(pattern)).toThrow(message);
});

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
