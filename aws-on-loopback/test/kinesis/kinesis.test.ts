import { type KinesisClient, ListShardsCommand, PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { type LocalRecord, startKinesis } from '../../src/kinesis/start-kinesis.ts';
import type { LocalService } from '../../src/service.ts';
import { kinesisClient } from '../support/endpoint-clients.ts';

const ARN = 'arn:aws:kinesis:eu-central-1:999999999999:stream/expired';
const MEBIBYTE = 1_048_576;

let records: LocalRecord[];
let failures: (string | undefined)[];
let server: LocalService;
let client: KinesisClient;
beforeAll(async () => {
  server = await startKinesis({
    streams: ['expired'],
    onRecord: record => records.push(record),
    failEntry: () => failures.shift(),
  });
  client = kinesisClient(server.endpoint);
});
afterAll(async () => {
  client?.destroy();
  await server?.stop();
});
beforeEach(() => {
  records = [];
  failures = [];
});

const record = (text: string, PartitionKey = 'k') => ({ Data: Buffer.from(text), PartitionKey });
const put = (Records: ReturnType<typeof record>[], StreamARN = ARN) =>
  client.send(new PutRecordsCommand({ StreamARN, Records }));

test('records are told of as they were sent, in their order', async () => {
  const answer = await put([record('{"n":1}', 'a'), record('ö', 'b')]);
  expect(answer.FailedRecordCount).toBe(0);
  const numbers = answer.Records?.map(({ SequenceNumber }) => SequenceNumber) ?? [];
  expect(new Set(numbers).size).toBe(2);
  expect(records.map(({ data, ...rest }) => ({ ...rest, text: data.toString() }))).toEqual([
    { stream: 'expired', partitionKey: 'a', sequenceNumber: numbers[0], text: '{"n":1}' },
    { stream: 'expired', partitionKey: 'b', sequenceNumber: numbers[1], text: 'ö' },
  ]);
});

test('a record fails alone', async () => {
  failures = [undefined, 'ProvisionedThroughputExceededException'];
  const answer = await put([record('1'), record('2'), record('3')]);
  expect(answer.FailedRecordCount).toBe(1);
  expect(answer.Records?.[1]).toEqual({
    ErrorCode: 'ProvisionedThroughputExceededException',
    ErrorMessage: 'injected',
  });
  expect(records.map(({ data }) => data.toString())).toEqual(['1', '3']);
});

test('a record of a mebibyte with its key is taken', async () => {
  await put([record('x'.repeat(MEBIBYTE - 1))]);
  expect(records).toHaveLength(1);
});

test.each([
  ['ValidationException', 'none', []],
  ['ValidationException', 'too many', Array.from({ length: 501 }, () => record('1'))],
  ['ValidationException', 'a key that is too long', [record('1', 'k'.repeat(257))]],
  ['ValidationException', 'a record that is too large', [record('x'.repeat(MEBIBYTE))]],
  [
    'InvalidArgumentException',
    'records that are too large together',
    Array.from({ length: 6 }, () => record('x'.repeat(1_000_000))),
  ],
])('refuses with %s: %s', async (name, _what, given) => {
  await expect(put(given)).rejects.toMatchObject({ name });
  expect(records).toEqual([]);
});

test('another stream is not found', async () => {
  await expect(put([record('1')], ARN.replace('expired', 'other'))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('other operations are refused by their names', async () => {
  await expect(client.send(new ListShardsCommand({ StreamARN: ARN }))).rejects.toMatchObject({
    message: expect.stringContaining(
      'one of PutRecords, in AWS JSON as an AWS SDK or the AWS CLI sends it, got "Kinesis_20131202.ListShards"',
    ),
  });
});

test('fails with a name that is none', async () => {
  await expect(startKinesis({ streams: ['a b'] })).rejects.toThrow(/^streams: expected different names/);
});
