import { createHash } from 'node:crypto';
import type { Clock } from 'stepfunctions-emulator';
import { ApiError } from 'stepfunctions-emulator/loopback';
import type { ApiInput } from '../api-input.ts';
import { answerEach, type FailEntry } from '../call-fault.ts';
import type { JsonService } from '../service.ts';
import { LOCAL_ACCOUNT } from '../service-variables.ts';
import type { LocalQueue, Outgoing, ReceivedMessage } from './queue.ts';

/** Interval at which long polling looks for messages. */
const LOOK_MS = 50;

/** Source: API reference, SendMessageBatch. */
const MAX_ENTRIES = 10;
const MAX_BATCH_BYTES = 1_048_576;
const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

const SENT = ['MessageBody', 'DelaySeconds', 'MessageGroupId', 'MessageDeduplicationId'];

/** Error names of SQS's older protocol, which the SDK shows. Source: API model, awsQueryError. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  BatchRequestTooLong: 'AWS.SimpleQueueService.BatchRequestTooLong',
  InvalidBatchEntryId: 'AWS.SimpleQueueService.InvalidBatchEntryId',
  UnsupportedOperation: 'AWS.SimpleQueueService.UnsupportedOperation',
  InvalidParameterValueException: 'InvalidParameterValue',
  MissingRequiredParameterException: 'MissingParameter',
};

/** The data that the operations work on. */
export interface SqsContext {
  readonly queues: ReadonlyMap<string, LocalQueue>;
  /** @returns what clients call a queue by */
  readonly urlOf: (name: string) => string;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Ends all long polls. */
  readonly signal: AbortSignal;
  /** @default no faults */
  readonly failEntry?: FailEntry | undefined;
}

/** SQS in AWS JSON: sending, receiving and deleting, the queues' attributes and their URLs. */
export const SQS = {
  target: 'AmazonSQS',
  // A batch can have one mebibyte, and JSON can need six bytes for each of them.
  maxBytes: 8_388_608,
  errors: {
    invalid: 'InvalidParameterValueException',
    missing: 'MissingRequiredParameterException',
    unknown: 'UnsupportedOperation',
  },
  errorHeaders: ({ name, status }) => ({
    'x-amzn-query-error': `${OLDER_NAMES[name] ?? name};${status < 500 ? 'Sender' : 'Receiver'}`,
  }),
  operations: {
    SendMessage: {
      fields: ['QueueUrl', ...SENT],
      answer: (context, input) => send(queueOf(context, input), outgoingOf(input)),
    },
    SendMessageBatch: {
      fields: ['QueueUrl', 'Entries'],
      answer(context, input) {
        const queue = queueOf(context, input);
        const entries = entriesOf(input, SENT);
        const bytes = entries.reduce((sum, { entry }) => sum + bytesOf(entry), 0);
        if (bytes > MAX_BATCH_BYTES) {
          throw new ApiError(
            'BatchRequestTooLong',
            `Batch requests cannot be longer than ${MAX_BATCH_BYTES} bytes. You have sent ${bytes} bytes.`,
          );
        }
        return each(entries, context, entry => send(queue, outgoingOf(entry)));
      },
    },
    ReceiveMessage: {
      fields: [
        ...['QueueUrl', 'MaxNumberOfMessages', 'VisibilityTimeout', 'WaitTimeSeconds'],
        ...['AttributeNames', 'MessageSystemAttributeNames', 'MessageAttributeNames'],
      ],
      async answer(context, input) {
        const { clock, signal } = context;
        const queue = queueOf(context, input);
        const most = input.whole('MaxNumberOfMessages', 1, 10) ?? 1;
        const visibility = input.whole('VisibilityTimeout', 0, 43_200);
        const until = clock.now() + (input.whole('WaitTimeSeconds', 0, 20) ?? 0) * 1000;
        const names = [
          ...(input.texts('AttributeNames') ?? []),
          ...(input.texts('MessageSystemAttributeNames') ?? []),
        ];
        checkNames(names, MESSAGE_ATTRIBUTES);
        let received = queue.receive(most, visibility);
        while (received.length === 0 && clock.now() < until && !signal.aborted) {
          await clock.sleep(Math.min(LOOK_MS, until - clock.now()), signal).catch(() => {});
          received = queue.receive(most, visibility);
        }
        return received.length === 0 ? {} : { Messages: received.map(message => asAnswered(message, names)) };
      },
    },
    DeleteMessage: {
      fields: ['QueueUrl', 'ReceiptHandle'],
      answer(context, input) {
        queueOf(context, input).delete(input.requiredText('ReceiptHandle'));
        return {};
      },
    },
    DeleteMessageBatch: {
      fields: ['QueueUrl', 'Entries'],
      answer(context, input) {
        const queue = queueOf(context, input);
        return each(entriesOf(input, ['ReceiptHandle']), context, entry => {
          queue.delete(entry.requiredText('ReceiptHandle'));
          return {};
        });
      },
    },
    GetQueueAttributes: {
      fields: ['QueueUrl', 'AttributeNames'],
      answer(context, input) {
        const all = attributesOf(queueOf(context, input));
        const names = input.texts('AttributeNames') ?? [];
        checkNames(names, [...Object.keys(all), ...FIFO_ATTRIBUTES]);
        return { Attributes: picked(all, names) };
      },
    },
    GetQueueUrl: {
      fields: ['QueueName', 'QueueOwnerAWSAccountId'],
      answer: (context, input) => ({
        QueueUrl: context.urlOf(find(context, input.requiredText('QueueName')).options.name),
      }),
    },
    ListQueues: {
      fields: ['QueueNamePrefix'],
      answer({ queues, urlOf }, input) {
        const prefix = input.text('QueueNamePrefix') ?? '';
        return { QueueUrls: [...queues.keys()].filter(name => name.startsWith(prefix)).map(urlOf) };
      },
    },
  },
} satisfies JsonService<SqsContext>;

function find({ queues }: SqsContext, name: string): LocalQueue {
  const queue = queues.get(name);
  if (queue !== undefined) return queue;
  throw new ApiError(
    'QueueDoesNotExist',
    `The specified queue does not exist: ${JSON.stringify(name)}; here are ${[...queues.keys()].join(', ') || 'none'}`,
  );
}

const queueOf = (context: SqsContext, input: ApiInput): LocalQueue =>
  find(context, nameOfUrl(input.requiredText('QueueUrl')));

function send(queue: LocalQueue, outgoing: Outgoing): object {
  const { messageId, body, sequenceNumber } = queue.send(outgoing);
  return { MessageId: messageId, MD5OfMessageBody: md5(body), SequenceNumber: sequenceNumber };
}

/** Reads the queue's name from a URL of any host: `https://sqs.us-east-1.amazonaws.com/123456789012/jobs` is the local queue `jobs`. */
function nameOfUrl(url: string): string {
  const [name, account] = url.split('/').reverse();
  if (name && account === LOCAL_ACCOUNT) return name;
  throw new ApiError(
    'QueueDoesNotExist',
    `QueueUrl: expected …/${LOCAL_ACCOUNT}/<name of the queue>, got ${JSON.stringify(url.slice(0, 200))}`,
  );
}

function outgoingOf(input: ApiInput): Outgoing {
  return {
    body: input.requiredText('MessageBody'),
    delaySeconds: input.whole('DelaySeconds', 0, 900),
    groupId: input.text('MessageGroupId'),
    deduplicationId: input.text('MessageDeduplicationId'),
  };
}

interface BatchEntry {
  readonly id: string;
  readonly entry: ApiInput;
}

function entriesOf(input: ApiInput, known: readonly string[]): BatchEntry[] {
  const given = input.objects('Entries', ['Id', ...known]);
  if (given.length === 0) {
    throw new ApiError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  }
  if (given.length > MAX_ENTRIES) {
    throw new ApiError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${given.length}.`,
    );
  }
  const entries = given.map(entry => ({ entry, id: entry.requiredText('Id') }));
  const wrong = entries.find(({ id }) => !ENTRY_ID.test(id));
  if (wrong !== undefined) {
    throw new ApiError(
      'InvalidBatchEntryId',
      `A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long: got ${JSON.stringify(wrong.id)}`,
    );
  }
  const ids = entries.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ApiError('BatchEntryIdsNotDistinct', `Id ${twice} repeated.`);
  return entries;
}

function each(
  entries: readonly BatchEntry[],
  { failEntry }: SqsContext,
  answer: (entry: ApiInput) => object,
): object {
  const Successful: object[] = [];
  const Failed: object[] = [];
  const outcomes = answerEach(entries, failEntry, ({ entry }) => answer(entry));
  for (const [index, outcome] of outcomes.entries()) {
    const Id = entries[index]?.id;
    if ('answer' in outcome) Successful.push({ Id, ...outcome.answer });
    else {
      const { code, message: Message, isSenders: SenderFault } = outcome;
      Failed.push({ Id, SenderFault, Code: OLDER_NAMES[code] ?? code, Message });
    }
  }
  return { Successful, Failed };
}

const bytesOf = (entry: ApiInput): number => Buffer.byteLength(entry.text('MessageBody') ?? '');

const MESSAGE_ATTRIBUTES = [
  ...['SenderId', 'SentTimestamp', 'ApproximateReceiveCount', 'ApproximateFirstReceiveTimestamp'],
  ...['MessageGroupId', 'MessageDeduplicationId', 'SequenceNumber'],
];

/** Attributes that a standard queue does not have; asking for them is no error. */
const FIFO_ATTRIBUTES = ['FifoQueue', 'ContentBasedDeduplication'];

function asAnswered(message: ReceivedMessage, names: readonly string[]): object {
  const attributes = picked(
    {
      SenderId: LOCAL_ACCOUNT,
      SentTimestamp: String(message.sentAt),
      ApproximateReceiveCount: String(message.receives),
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      MessageGroupId: message.groupId,
      MessageDeduplicationId: message.deduplicationId,
      SequenceNumber: message.sequenceNumber,
    },
    names,
  );
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: md5(message.body),
    ...(Object.keys(attributes).length > 0 && { Attributes: attributes }),
  };
}

function attributesOf(queue: LocalQueue): Record<string, string> {
  const { name, visibilityTimeoutSeconds, delaySeconds, maximumMessageBytes, contentBasedDeduplication } =
    queue.options;
  const { visible, notVisible, delayed } = queue.counts();
  return {
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(notVisible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    QueueArn: `arn:aws:sqs:us-east-1:${LOCAL_ACCOUNT}:${name}`,
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    DelaySeconds: String(delaySeconds),
    MaximumMessageSize: String(maximumMessageBytes),
    ...(queue.isFifo && {
      FifoQueue: 'true',
      ContentBasedDeduplication: String(contentBasedDeduplication),
    }),
  };
}

function checkNames(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find(name => name !== 'All' && !known.includes(name));
  if (unknown !== undefined) {
    throw new ApiError(
      'InvalidAttributeName',
      `Unknown Attribute ${unknown}: the local SQS has All, ${known.join(', ')}`,
    );
  }
}

function picked(
  all: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  const isAsked = (name: string) => names.includes('All') || names.includes(name);
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== undefined && isAsked(name)),
  );
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
