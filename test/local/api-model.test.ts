import { once } from 'node:events';
import { request } from 'node:http';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { startEventBridge } from '../../local/eventbridge/start-eventbridge.ts';
import { startKinesis } from '../../local/kinesis/start-kinesis.ts';
import type { ServiceName } from '../../local/services/local-services.ts';
import { startSqs } from '../../local/sqs/start-sqs.ts';
import { eventBridgeClient, kinesisClient, sqsClient } from '../support/endpoint-clients.ts';

/** The names in a value, each with the names that lead to it. */
function namesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(one => namesIn(one, `${path}[]`)))].sort();
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .flatMap(([name, one]) => [`${path}.${name}`, ...namesIn(one, `${path}.${name}`)])
    .sort();
}

/** What is answered to a request in AWS JSON, as it is. */
async function raw(endpoint: string, target: string, input: object): Promise<unknown> {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
    body: JSON.stringify(input),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

/** A call as AWS's SDK makes it, and its input again: made anew where a second one of the same would be another. */
interface Call {
  readonly target: string;
  readonly input: () => object;
  readonly send: (input: never) => Promise<object>;
}

interface Service {
  readonly endpoint: string;
  readonly calls: readonly Call[];
  stop(): Promise<void>;
}

/** Those that speak AWS JSON. */
const SERVICES: Readonly<Record<Exclude<ServiceName, 's3'>, () => Promise<Service>>> = {
  async sqs() {
    const sqs = await startSqs({ queues: ['jobs.fifo'] });
    const sdk = sqsClient(sqs.endpoint);
    let sent = 0;
    const QueueUrl = sqs.queueUrl('jobs.fifo');
    const message = () => {
      sent += 1;
      return { MessageBody: `${sent}`, MessageGroupId: `${sent}`, MessageDeduplicationId: `${sent}` };
    };
    const batch = () => ({
      QueueUrl,
      Entries: [
        { Id: 'a', ...message() },
        { Id: 'b', ...message(), DelaySeconds: 1 },
      ],
    });
    const call = <Input extends object>(
      name: string,
      input: () => Input,
      send: (input: Input) => Promise<object>,
    ): Call => ({ target: `AmazonSQS.${name}`, input, send });
    return {
      endpoint: sqs.endpoint,
      calls: [
        call(
          'SendMessage',
          () => ({ QueueUrl, ...message() }),
          input => sdk.send(new SendMessageCommand(input)),
        ),
        call('SendMessageBatch', batch, input => sdk.send(new SendMessageBatchCommand(input))),
        call(
          'ReceiveMessage',
          () => ({ QueueUrl, MessageSystemAttributeNames: ['All' as const] }),
          input => sdk.send(new ReceiveMessageCommand(input)),
        ),
        call(
          'DeleteMessageBatch',
          () => ({ QueueUrl, Entries: [{ Id: 'a', ReceiptHandle: 'x' }] }),
          input => sdk.send(new DeleteMessageBatchCommand(input)),
        ),
        call(
          'GetQueueAttributes',
          () => ({ QueueUrl, AttributeNames: ['All' as const] }),
          input => sdk.send(new GetQueueAttributesCommand(input)),
        ),
        call(
          'GetQueueUrl',
          () => ({ QueueName: 'jobs.fifo' }),
          input => sdk.send(new GetQueueUrlCommand(input)),
        ),
        call(
          'ListQueues',
          () => ({}),
          input => sdk.send(new ListQueuesCommand(input)),
        ),
      ],
      async stop() {
        sdk.destroy();
        await sqs.stop();
      },
    };
  },
  async eventBridge() {
    const eventBridge = await startEventBridge();
    const sdk = eventBridgeClient(eventBridge.endpoint);
    const input = () => ({ Entries: [{ Source: 's', DetailType: 'd', Detail: '{}' }, { Source: 's' }] });
    const send = (given: ReturnType<typeof input>) => sdk.send(new PutEventsCommand(given));
    return {
      endpoint: eventBridge.endpoint,
      calls: [{ target: 'AWSEvents.PutEvents', input, send }],
      async stop() {
        sdk.destroy();
        await eventBridge.stop();
      },
    };
  },
  async kinesis() {
    let records = 0;
    const kinesis = await startKinesis({
      streams: ['expired'],
      failEntry: () => {
        records += 1;
        return records % 2 === 0 ? 'InternalFailure' : undefined;
      },
    });
    const sdk = kinesisClient(kinesis.endpoint);
    const record = { PartitionKey: 'a', Data: 'AAAA' };
    const input = () => ({ StreamName: 'expired', Records: [record, record] });
    const send = ({ Records, ...rest }: ReturnType<typeof input>) =>
      sdk.send(
        new PutRecordsCommand({
          ...rest,
          Records: Records.map(({ Data, ...each }) => ({ ...each, Data: Buffer.from(Data, 'base64') })),
        }),
      );
    return {
      endpoint: kinesis.endpoint,
      calls: [{ target: 'Kinesis_20131202.PutRecords', input, send }],
      async stop() {
        sdk.destroy();
        await kinesis.stop();
      },
    };
  },
};

/** Entries that were taken, and entries that failed. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'AWSEvents.PutEvents': [
    '.Entries',
    '.Entries[].ErrorCode',
    '.Entries[].ErrorMessage',
    '.Entries[].EventId',
    '.FailedEntryCount',
  ],
  'Kinesis_20131202.PutRecords': [
    '.FailedRecordCount',
    '.Records',
    '.Records[].ErrorCode',
    '.Records[].ErrorMessage',
    '.Records[].SequenceNumber',
    '.Records[].ShardId',
  ],
};

// The SDK is made from AWS's models of the APIs and drops every name that they don't have.
test.each(Object.entries(SERVICES))(
  "every name in the answers of %s is one of AWS's models",
  async (_, start) => {
    const { endpoint, calls, stop } = await start();
    try {
      for (const { target, input, send } of calls) {
        const { $metadata, ...read } = (await send(input() as never)) as Record<string, unknown>;
        const names = namesIn(read);
        expect([target, namesIn(await raw(endpoint, target, input()))]).toEqual([target, names]);
        expect([target, names]).toEqual([target, NAMES[target] ?? names]);
      }
    } finally {
      await stop();
    }
  },
);

test('other hosts are refused', async () => {
  for (const start of Object.values(SERVICES)) {
    const service = await start();
    try {
      const outgoing = request(service.endpoint, { method: 'POST', headers: { host: 'example.org' } });
      outgoing.end('{}');
      const [incoming] = await once(outgoing, 'response');
      expect(incoming.statusCode).toBe(403);
      incoming.resume();
    } finally {
      await service.stop();
    }
  }
});
