import { once } from 'node:events';
import { request } from 'node:http';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
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
import { startSqs } from '../../local/sqs/start-sqs.ts';
import { eventBridgeClient, sqsClient } from '../support/endpoint-clients.ts';

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

// The SDK is made from AWS's models of the APIs and drops every name that they don't have.
test("every name in the answers is one of AWS's models", async () => {
  const sqs = await startSqs({ queues: ['jobs.fifo'] });
  const eventBridge = await startEventBridge();
  const [sqsSdk, eventsSdk] = [sqsClient(sqs.endpoint), eventBridgeClient(eventBridge.endpoint)];
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
  const handles = { QueueUrl, Entries: [{ Id: 'a', ReceiptHandle: 'x' }] };
  const all = { QueueUrl, AttributeNames: ['All' as const] };
  const received = { QueueUrl, MessageSystemAttributeNames: ['All' as const] };
  const events = { Entries: [{ Source: 's', DetailType: 'd', Detail: '{}' }, { Source: 's' }] };
  const known = async (target: string, input: () => object, answer: Promise<object>) => {
    const { $metadata, ...read } = (await answer) as Record<string, unknown>;
    const service = target.startsWith('AWSEvents') ? eventBridge : sqs;
    expect([target, namesIn(await raw(service.endpoint, target, input()))]).toEqual([target, namesIn(read)]);
    return namesIn(read);
  };
  try {
    await known(
      'AmazonSQS.SendMessage',
      () => ({ QueueUrl, ...message() }),
      sqsSdk.send(new SendMessageCommand({ QueueUrl, ...message() })),
    );
    await known('AmazonSQS.SendMessageBatch', batch, sqsSdk.send(new SendMessageBatchCommand(batch())));
    await known('AmazonSQS.ReceiveMessage', () => received, sqsSdk.send(new ReceiveMessageCommand(received)));
    await known(
      'AmazonSQS.DeleteMessageBatch',
      () => handles,
      sqsSdk.send(new DeleteMessageBatchCommand(handles)),
    );
    await known('AmazonSQS.GetQueueAttributes', () => all, sqsSdk.send(new GetQueueAttributesCommand(all)));
    await known(
      'AmazonSQS.GetQueueUrl',
      () => ({ QueueName: 'jobs.fifo' }),
      sqsSdk.send(new GetQueueUrlCommand({ QueueName: 'jobs.fifo' })),
    );
    await known('AmazonSQS.ListQueues', () => ({}), sqsSdk.send(new ListQueuesCommand({})));
    expect(
      await known('AWSEvents.PutEvents', () => events, eventsSdk.send(new PutEventsCommand(events))),
    ).toEqual([
      '.Entries',
      '.Entries[].ErrorCode',
      '.Entries[].ErrorMessage',
      '.Entries[].EventId',
      '.FailedEntryCount',
    ]);
  } finally {
    sqsSdk.destroy();
    eventsSdk.destroy();
    await Promise.all([sqs.stop(), eventBridge.stop()]);
  }
});

test('other hosts are refused', async () => {
  for (const start of [() => startSqs({ queues: ['jobs'] }), () => startEventBridge()]) {
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
