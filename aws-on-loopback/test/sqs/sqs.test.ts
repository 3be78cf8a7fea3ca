import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { realClock } from 'stepfunctions-emulator';
import type { ChooseCallFault } from '../../src/call-fault.ts';
import { type LocalSqs, startSqs } from '../../src/sqs/start-sqs.ts';
import { sqsClient } from '../support/endpoint-clients.ts';

const START = Date.parse('2026-11-22T09:00:00Z');

let now: number;
let told: [string, string][];
let fault: ChooseCallFault | undefined;
let sqs: LocalSqs;
let client: SQSClient;
beforeEach(async () => {
  now = START;
  told = [];
  fault = undefined;
  sqs = await startSqs({
    queues: [
      'jobs',
      { name: 'small', visibilityTimeoutSeconds: 5, delaySeconds: 2, maximumMessageBytes: 1_024 },
      'jobs.fifo',
      { name: 'by-content.fifo', contentBasedDeduplication: true },
    ],
    clock: { now: () => now, sleep: realClock.sleep },
    onMessage: (queue, { body }) => told.push([queue, body]),
    choose: call => fault?.(call),
  });
  client = sqsClient(sqs.endpoint);
});
afterEach(async () => {
  client?.destroy();
  await sqs?.stop();
});

const send = (queue: string, MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
  client.send(new SendMessageCommand({ QueueUrl: sqs.queueUrl(queue), MessageBody, ...more }));
const receive = async (queue: string, more: Partial<ReceiveMessageCommandInput> = {}) => {
  const command = new ReceiveMessageCommand({
    QueueUrl: sqs.queueUrl(queue),
    MaxNumberOfMessages: 10,
    ...more,
  });
  return (await client.send(command)).Messages ?? [];
};
const bodies = async (queue: string, more?: Partial<ReceiveMessageCommandInput>) =>
  (await receive(queue, more)).map(({ Body }) => Body);
const remove = (queue: string, ReceiptHandle: string | undefined) =>
  client.send(new DeleteMessageCommand({ QueueUrl: sqs.queueUrl(queue), ReceiptHandle }));
const attributes = async (queue: string) =>
  (
    await client.send(
      new GetQueueAttributesCommand({ QueueUrl: sqs.queueUrl(queue), AttributeNames: ['All'] }),
    )
  ).Attributes;

test('a message is received by one, again after its time, and not after its deletion', async () => {
  const { MessageId } = await send('jobs', 'Straße 😀');
  expect(sqs.messages('jobs')).toMatchObject([
    { messageId: MessageId, body: 'Straße 😀', sentAt: START, receives: 0 },
  ]);
  now += 1_000;
  const [first] = await receive('jobs', { MessageSystemAttributeNames: ['All'] });
  expect(first).toEqual({
    MessageId,
    Body: 'Straße 😀',
    MD5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/), // the SDK compares it
    ReceiptHandle: expect.any(String),
    Attributes: {
      SenderId: '123456789012',
      SentTimestamp: `${START}`,
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: `${START + 1_000}`,
    },
  });
  now += 29_999;
  expect(await receive('jobs')).toEqual([]);
  now += 1;
  const [second] = await receive('jobs', { MessageSystemAttributeNames: ['ApproximateReceiveCount'] });
  expect(second?.Attributes).toEqual({ ApproximateReceiveCount: '2' });
  // Whoever had it before no longer deletes it.
  await remove('jobs', first?.ReceiptHandle);
  expect(sqs.messages('jobs')).toHaveLength(1);
  await remove('jobs', second?.ReceiptHandle);
  expect(sqs.messages('jobs')).toEqual([]);
  await remove('jobs', second?.ReceiptHandle);
  now += 60_000;
  expect(await receive('jobs')).toEqual([]);
});

test("a receiver's own timeout, and the queue's", async () => {
  await send('jobs', 'a');
  expect(await bodies('jobs', { VisibilityTimeout: 0 })).toEqual(['a']);
  expect(await bodies('jobs', { VisibilityTimeout: 100 })).toEqual(['a']);
  now += 99_999;
  expect(await bodies('jobs')).toEqual([]);
  await send('small', 'b', { DelaySeconds: 0 });
  expect(await bodies('small')).toEqual(['b']);
  now += 5_000;
  expect(await bodies('small')).toEqual(['b']);
});

test('delays', async () => {
  await send('jobs', 'late', { DelaySeconds: 10 });
  await send('small', 'late by itself');
  expect(await attributes('small')).toMatchObject({ ApproximateNumberOfMessagesDelayed: '1' });
  now += 1_999;
  expect([await bodies('jobs'), await bodies('small')]).toEqual([[], []]);
  now += 1;
  expect([await bodies('jobs'), await bodies('small')]).toEqual([[], ['late by itself']]);
  now += 8_000;
  expect(await bodies('jobs')).toEqual(['late']);
});

test('a receiver waits for a message, and no longer than it says', async () => {
  sqs.send('jobs', { body: 'there' });
  expect(await bodies('jobs', { WaitTimeSeconds: 20 })).toEqual(['there']);
  const waiting = bodies('jobs', { WaitTimeSeconds: 20 });
  await new Promise(resolve => setTimeout(resolve, 100));
  sqs.send('jobs', { body: 'later' });
  expect(await waiting).toEqual(['later']);
  const inVain = bodies('jobs', { WaitTimeSeconds: 5 });
  await new Promise(resolve => setTimeout(resolve, 100));
  now += 5_000;
  expect(await inVain).toEqual([]);
});

test('ends though somebody waits for a message', async () => {
  const errors = jest.spyOn(console, 'error');
  const waiting = receive('jobs', { WaitTimeSeconds: 20 }).catch(error => error);
  await new Promise(resolve => setTimeout(resolve, 100));
  await sqs.stop();
  await waiting;
  expect(errors).not.toHaveBeenCalled();
});

test('a batch takes what it can, and says what not', async () => {
  const QueueUrl = sqs.queueUrl('small');
  const Entries = [
    { Id: 'a', MessageBody: 'one', DelaySeconds: 0 },
    { Id: 'b', MessageBody: 'x'.repeat(1_025) },
    { Id: 'c', MessageBody: '\u0000' },
    { Id: 'd', MessageBody: 'four', DelaySeconds: 0 },
    { Id: 'e', MessageBody: 'five', DelaySeconds: 901 },
  ];
  const sent = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  expect(sent.Successful).toMatchObject([{ Id: 'a', MessageId: expect.any(String) }, { Id: 'd' }]);
  expect(sent.Failed).toEqual([
    {
      Id: 'b',
      SenderFault: true,
      Code: 'InvalidParameterValue',
      Message: expect.stringContaining('1024 bytes'),
    },
    {
      Id: 'c',
      SenderFault: true,
      Code: 'InvalidMessageContents',
      Message: expect.stringContaining('U+0000'),
    },
    {
      Id: 'e',
      SenderFault: true,
      Code: 'InvalidParameterValue',
      Message: expect.stringContaining('0 to 900'),
    },
  ]);
  const received = await receive('small');
  expect(received.map(({ Body }) => Body)).toEqual(['one', 'four']);
  const deleted = await client.send(
    new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: 'a', ReceiptHandle: received[0]?.ReceiptHandle },
        { Id: 'b', ReceiptHandle: 'nonsense' },
      ],
    }),
  );
  expect(deleted.Successful).toEqual([{ Id: 'a' }]);
  expect(deleted.Failed).toMatchObject([{ Id: 'b', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }]);
  expect(sqs.messages('small').map(({ body }) => body)).toEqual(['four']);
});

test.each<[string, SendMessageBatchRequestEntry[]]>([
  ['EmptyBatchRequest', []],
  [
    'TooManyEntriesInBatchRequest',
    Array.from({ length: 11 }, (_, id) => ({ Id: `${id}`, MessageBody: 'x' })),
  ],
  [
    'BatchEntryIdsNotDistinct',
    [
      { Id: 'a', MessageBody: 'x' },
      { Id: 'a', MessageBody: 'y' },
    ],
  ],
  ['InvalidBatchEntryId', [{ Id: 'a b', MessageBody: 'x' }]],
  [
    'BatchRequestTooLong',
    [
      { Id: 'a', MessageBody: 'x'.repeat(1_048_576) },
      { Id: 'b', MessageBody: 'y' },
    ],
  ],
])('refuses a batch as a whole with %s', async (name, Entries) => {
  const command = new SendMessageBatchCommand({ QueueUrl: sqs.queueUrl('jobs'), Entries });
  await expect(client.send(command)).rejects.toMatchObject({ name });
  expect(sqs.messages('jobs')).toEqual([]);
});

test('takes a message of a mebibyte and no more', async () => {
  await send('jobs', '"'.repeat(1_048_576));
  await expect(send('jobs', '"'.repeat(1_048_577))).rejects.toThrow(
    'Message must be shorter than 1048576 bytes',
  );
  expect(sqs.messages('jobs')).toHaveLength(1);
});

describe('FIFO', () => {
  const of = (group: string, id: string) => ({ MessageGroupId: group, MessageDeduplicationId: id });

  test('in order within a group, of which one receiver has messages at a time', async () => {
    for (const [group, id] of ['a1', 'b1', 'a2', 'b2', 'a3'].map(body => [body[0], body] as const)) {
      await send('jobs.fifo', id, of(group ?? '', id));
    }
    expect(sqs.messages('jobs.fifo').map(({ sequenceNumber }) => sequenceNumber)).toEqual(
      [1, 2, 3, 4, 5].map(count => `${count}`.padStart(20, '0')),
    );
    const first = await receive('jobs.fifo', {
      MaxNumberOfMessages: 1,
      MessageSystemAttributeNames: ['All'],
    });
    expect(first.map(({ Body }) => Body)).toEqual(['a1']);
    expect(first[0]?.Attributes).toMatchObject({
      MessageGroupId: 'a',
      MessageDeduplicationId: 'a1',
      SequenceNumber: '00000000000000000001',
    });
    expect(await bodies('jobs.fifo')).toEqual(['b1', 'b2']);
    expect(await bodies('jobs.fifo')).toEqual([]);
    await remove('jobs.fifo', first[0]?.ReceiptHandle);
    expect(await bodies('jobs.fifo')).toEqual(['a2', 'a3']);
    // What comes back comes in its place.
    now += 30_000;
    expect(await bodies('jobs.fifo')).toEqual(['b1', 'a2', 'b2', 'a3']);
  });

  test('the same message within five minutes is one', async () => {
    const first = await send('jobs.fifo', 'one', of('g', 'same'));
    now += 299_999;
    const second = await send('jobs.fifo', 'one', of('g', 'same'));
    expect(second.MessageId).toBe(first.MessageId);
    expect(second.SequenceNumber).toBe(first.SequenceNumber);
    const [received] = await receive('jobs.fifo');
    await remove('jobs.fifo', received?.ReceiptHandle);
    await send('jobs.fifo', 'one', of('g', 'same'));
    expect(sqs.messages('jobs.fifo')).toEqual([]);
    now += 1;
    const third = await send('jobs.fifo', 'one', of('g', 'same'));
    expect(third.MessageId).not.toBe(first.MessageId);
    expect(told).toEqual([
      ['jobs.fifo', 'one'],
      ['jobs.fifo', 'one'],
    ]);
  });

  test('by its content', async () => {
    for (const body of ['x', 'y', 'x']) await send('by-content.fifo', body, { MessageGroupId: 'g' });
    expect(await bodies('by-content.fifo')).toEqual(['x', 'y']);
  });

  test('refuses an expired handle', async () => {
    await send('jobs.fifo', 'one', of('g', '1'));
    const [received] = await receive('jobs.fifo');
    now += 30_000;
    await expect(remove('jobs.fifo', received?.ReceiptHandle)).rejects.toThrow(
      'The receipt handle has expired',
    );
    expect(sqs.messages('jobs.fifo')).toHaveLength(1);
  });

  test.each<[string, string, Partial<SendMessageCommandInput>]>([
    ['jobs.fifo', 'MessageGroupId', { MessageDeduplicationId: 'x' }],
    ['jobs.fifo', 'MessageDeduplicationId provided explicitly', { MessageGroupId: 'x' }],
    ['jobs.fifo', 'DelaySeconds', { ...of('g', '1'), DelaySeconds: 1 }],
    ['jobs.fifo', 'MessageGroupId', of('g g', '1')],
    ['jobs', 'Only FIFO queues', { MessageDeduplicationId: 'x' }],
  ])('%s refuses a message: %s', async (queue, message, more) => {
    await expect(send(queue, 'x', more)).rejects.toThrow(message);
    expect(sqs.messages(queue)).toEqual([]);
  });
});

test('says what a queue is like', async () => {
  for (const body of ['a', 'b', 'c']) await send('jobs', body);
  await receive('jobs', { MaxNumberOfMessages: 1 });
  expect(await attributes('jobs')).toEqual({
    ApproximateNumberOfMessages: '2',
    ApproximateNumberOfMessagesNotVisible: '1',
    ApproximateNumberOfMessagesDelayed: '0',
    QueueArn: 'arn:aws:sqs:us-east-1:123456789012:jobs',
    VisibilityTimeout: '30',
    DelaySeconds: '0',
    MaximumMessageSize: '1048576',
  });
  expect(await attributes('by-content.fifo')).toMatchObject({
    FifoQueue: 'true',
    ContentBasedDeduplication: 'true',
  });
  const named = await client.send(new GetQueueUrlCommand({ QueueName: 'jobs' }));
  expect(named.QueueUrl).toBe(`${sqs.endpoint}/123456789012/jobs`);
  const listed = await client.send(new ListQueuesCommand({ QueueNamePrefix: 'jobs' }));
  expect(listed.QueueUrls).toEqual([named.QueueUrl, sqs.queueUrl('jobs.fifo')]);
  // The name that the queue has on AWS is its name here.
  const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/jobs';
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'd' }));
  expect(told.at(-1)).toEqual(['jobs', 'd']);
});

test('refuses what it does not have, by its name', async () => {
  const QueueUrl = `${sqs.endpoint}/123456789012/none`;
  const missing = client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  await expect(missing).rejects.toThrow(QueueDoesNotExist);
  await expect(missing).rejects.toMatchObject({ message: expect.stringContaining('"none"; here are jobs,') });
  await expect(
    send('jobs', 'x', { MessageAttributes: { a: { DataType: 'String', StringValue: 'b' } } }),
  ).rejects.toMatchObject({
    name: 'UnsupportedOperation',
    message: expect.stringContaining('MessageAttributes'),
  });
  await expect(send('jobs', '')).rejects.toThrow('MessageBody');
  await expect(receive('jobs', { MaxNumberOfMessages: 11 })).rejects.toThrow(
    'MaxNumberOfMessages: expected a whole number from 1 to 10, got 11',
  );
  await expect(receive('jobs', { AttributeNames: ['Policy'] })).rejects.toMatchObject({
    name: 'InvalidAttributeName',
  });
  await expect(
    client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: sqs.queueUrl('jobs'),
        ReceiptHandle: 'x',
        VisibilityTimeout: 1,
      }),
    ),
  ).rejects.toMatchObject({ name: 'UnknownOperationException' });
  for (const queues of [['a b'], ['a', 'a'], ['x'.repeat(81)], ['a.fifo.fifo']]) {
    await expect(startSqs({ queues })).rejects.toThrow(/^queues: expected different names/);
  }
  expect(() => sqs.messages('none')).toThrow('queue: expected one of jobs, small');
});

test('does to a call what it is told', async () => {
  fault = ({ operation }) => ({ kind: 'refuse', error: `Told${operation}`, status: 503 });
  await expect(send('jobs', 'x')).rejects.toMatchObject({
    name: 'ToldSendMessage',
    $metadata: { httpStatusCode: 503 },
  });
  expect(sqs.messages('jobs')).toEqual([]);
  fault = () => ({ kind: 'cut', done: true });
  await expect(send('jobs', 'x')).rejects.toThrow();
  expect(sqs.messages('jobs')).toHaveLength(1);
});
