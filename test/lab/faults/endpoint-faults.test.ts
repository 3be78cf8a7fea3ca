import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { startEventBridge } from 'aws-on-loopback/eventbridge/start-eventbridge';
import { startKinesis } from 'aws-on-loopback/kinesis/start-kinesis';
import { startS3 } from 'aws-on-loopback/s3/start-s3';
import { startSqs } from 'aws-on-loopback/sqs/start-sqs';
import {
  eventBridgeClient,
  kinesisClient,
  s3Client,
  sqsClient,
} from '../../../aws-on-loopback/test/support/endpoint-clients.ts';
import { type EndpointFaultRates, SeededEndpointFaults } from '../../../lab/faults/index.ts';
import type { ServiceName } from '../../../local/services/local-services.ts';

const CALL = { operation: 'PutObject', method: 'PUT', target: '/' };

test('faults come at their rates, the same ones for the same seed', () => {
  const rates = { throttled: 0.1, unavailable: 0.1, hanging: 0.01, cut: 0.05 };
  const draw = (seed: number) => {
    const faults = new SeededEndpointFaults({ service: 's3', seed, rates });
    return { drawn: Array.from({ length: 20_000 }, () => faults.choose(CALL)), counts: faults.counts };
  };
  const { drawn, counts } = draw(7);
  expect(draw(7).drawn).toEqual(drawn);
  expect(draw(8).drawn).not.toEqual(drawn);
  // Five standard deviations.
  for (const [name, rate] of Object.entries(rates)) {
    const deviation = Math.sqrt(20_000 * rate * (1 - rate));
    expect(Math.abs((counts[name as keyof typeof rates] ?? 0) - 20_000 * rate)).toBeLessThan(5 * deviation);
  }
  const kinds = drawn.flatMap(fault => (fault === undefined ? [] : [JSON.stringify(fault)]));
  expect([...new Set(kinds)].sort()).toEqual([
    '{"kind":"cut","done":false}',
    '{"kind":"cut","done":true}',
    '{"kind":"hang","done":false}',
    '{"kind":"hang","done":true}',
    '{"kind":"refuse","error":"InternalError","status":500}',
    '{"kind":"refuse","error":"ServiceUnavailable","status":503}',
    '{"kind":"refuse","error":"SlowDown","status":503}',
  ]);
});

test('other rates end them', () => {
  const faults = new SeededEndpointFaults({ service: 'sqs', rates: { throttled: 1, entries: 1 } });
  expect(faults.choose(CALL)).toEqual({ kind: 'refuse', error: 'RequestThrottled', status: 403 });
  expect(faults.failEntry()).toEqual(expect.any(String));
  faults.setRates({});
  expect(faults.choose(CALL)).toBeUndefined();
  expect(faults.failEntry()).toBeUndefined();
  expect(faults.counts).toEqual({ throttled: 1, entries: 1 });
});

test.each<[EndpointFaultRates, string]>([
  [{ cut: 1.1 }, 'rates.cut: expected a share from 0 to 1'],
  [{ hanging: -0.1 }, 'rates.hanging'],
  [{ throttled: Number.NaN }, 'rates.throttled'],
  [{ slow: 0.1 } as EndpointFaultRates, 'rates.slow'],
  [{ throttled: 0.6, unavailable: 0.6 }, 'to add up to 1 at the most, got 1.2'],
])('refuses the rates %j', (rates, message) => {
  expect(() => new SeededEndpointFaults({ service: 's3', rates })).toThrow(message);
});

test("the SDK's own attempts get through a fifth of refused calls", async () => {
  const { choose } = new SeededEndpointFaults({
    service: 's3',
    seed: 3,
    rates: { throttled: 0.1, unavailable: 0.1 },
  });
  let calls = 0;
  const s3 = await startS3({
    buckets: ['archive'],
    choose: call => {
      calls += 1;
      return choose(call);
    },
  });
  const client = s3Client(s3.endpoint, { maxAttempts: 5 });
  try {
    const keys = Array.from({ length: 20 }, (_, index) => `${index}`);
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: 'archive', Key, Body: Key }));
    expect(await s3.keys('archive')).toEqual(keys.sort());
    expect(calls).toBeGreaterThan(20);
  } finally {
    client.destroy();
    await s3.stop();
  }
});

test('single entries fail, and have no effect', async () => {
  const rates = { entries: 0.5 };
  const faults = (service: ServiceName) => new SeededEndpointFaults({ service, rates }).failEntry;
  const events: string[] = [];
  const records: string[] = [];
  const [sqs, eventBridge, kinesis] = [
    await startSqs({ queues: ['jobs'], failEntry: faults('sqs') }),
    await startEventBridge({
      failEntry: faults('eventBridge'),
      onEvent: ({ detail }) => events.push(detail),
    }),
    await startKinesis({
      streams: ['expired'],
      failEntry: faults('kinesis'),
      onRecord: ({ data }) => records.push(data.toString()),
    }),
  ];
  const sqsSdk = sqsClient(sqs.endpoint);
  const eventsSdk = eventBridgeClient(eventBridge.endpoint);
  const kinesisSdk = kinesisClient(kinesis.endpoint);
  try {
    const ids = Array.from({ length: 10 }, (_, index) => `${index}`);
    const sent = await sqsSdk.send(
      new SendMessageBatchCommand({
        QueueUrl: sqs.queueUrl('jobs'),
        Entries: ids.map(Id => ({ Id, MessageBody: Id })),
      }),
    );
    const successful = sent.Successful?.map(({ Id }) => Id);
    expect(sqs.messages('jobs').map(({ body }) => body)).toEqual(successful);
    expect(sent.Failed?.length).toBeGreaterThan(0);
    expect(sent.Failed?.length).toBe(10 - (successful?.length ?? 0));
    expect(sent.Failed?.every(({ SenderFault }) => SenderFault === false)).toBe(true);
    const put = await eventsSdk.send(
      new PutEventsCommand({
        Entries: ids.map(id => ({ Source: 's', DetailType: 'd', Detail: `{"id":${id}}` })),
      }),
    );
    const failed = put.Entries?.filter(({ ErrorCode }) => ErrorCode !== undefined) ?? [];
    expect(put.FailedEntryCount).toBe(failed.length);
    expect(failed.length).toBeGreaterThan(0);
    expect(events).toEqual(
      ids.filter(id => put.Entries?.[Number(id)]?.EventId !== undefined).map(id => `{"id":${id}}`),
    );
    const written = await kinesisSdk.send(
      new PutRecordsCommand({
        StreamName: 'expired',
        Records: ids.map(id => ({ PartitionKey: id, Data: Buffer.from(id) })),
      }),
    );
    const refused = written.Records?.filter(({ ErrorCode }) => ErrorCode !== undefined) ?? [];
    expect(written.FailedRecordCount).toBe(refused.length);
    expect(refused.length).toBeGreaterThan(0);
    expect(records).toEqual(ids.filter(id => written.Records?.[Number(id)]?.SequenceNumber !== undefined));
  } finally {
    for (const client of [sqsSdk, eventsSdk, kinesisSdk]) client.destroy();
    await Promise.all([sqs.stop(), eventBridge.stop(), kinesis.stop()]);
  }
});
