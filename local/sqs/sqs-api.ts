import { createHash } from 'node:crypto';
import type { Clock } from 'stepfunctions-emulator';
import { ApiInput, type Fields, type InputErrors } from '../api-input.ts';
import type { JsonApi } from '../aws-json.ts';
import type { FailEntry } from '../call-fault.ts';
import { ApiRequestError } from '../http-server.ts';
import { LOCAL_ACCOUNT } from '../stack/synthesized.ts';
import type { LocalQueue, Outgoing, ReceivedMessage } from './queue.ts';

export interface SqsApiOptions {
  readonly queues: ReadonlyMap<string, LocalQueue>;
  /** @returns what clients call a queue by */
  readonly urlOf: (name: string) => string;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Ends what still waits for a message. */
  readonly signal: AbortSignal;
  /** @default no faults */
  readonly failEntry?: FailEntry | undefined;
}

/** How often a receiver that waits looks. */
const LOOK_MS = 50;

/** Source: API reference, SendMessageBatch. */
const MOST_ENTRIES = 10;
const MOST_BATCH_BYTES = 1_048_576;
const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

const SENT = ['MessageBody', 'DelaySeconds', 'MessageGroupId', 'MessageDeduplicationId'];

/** The names that the errors had in SQS's older protocol; the SDK shows these. Source: API model, awsQueryError. */
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

const ERRORS: InputErrors = {
  invalid: (field, expected, got) =>
    new ApiRequestError(
      'InvalidParameterValueException',
      `Value ${JSON.stringify(got)} for parameter ${field} is invalid. Reason: Must be ${expected}.`,
    ),
  missing: field =>
    new ApiRequestError(
      'MissingRequiredParameterException',
      `The request must contain the parameter ${field}.`,
    ),
  unknown: (field, known) =>
    new ApiRequestError(
      'UnsupportedOperation',
      `${field}: expected one of ${known.join(', ')}; others are not answered by the local SQS`,
    ),
};

/** SQS's API in AWS JSON: sending, receiving and deleting, the queues' attributes and their URLs. */
export function sqsApi({ queues, urlOf, clock, signal, failEntry }: SqsApiOptions): JsonApi {
  const named = (name: string): LocalQueue => {
    const queue = queues.get(name);
    if (queue !== undefined) return queue;
    throw new ApiRequestError(
      'QueueDoesNotExist',
      `The specified queue does not exist: ${JSON.stringify(name)}; here are ${[...queues.keys()].join(', ') || 'none'}`,
    );
  };
  const queueOf = (input: ApiInput): LocalQueue => named(nameOfUrl(input.requiredText('QueueUrl')));
  const send = (queue: LocalQueue, outgoing: Outgoing): object => {
    const sent = queue.send(outgoing);
    return {
      MessageId: sent.messageId,
      MD5OfMessageBody: md5(sent.body),
      SequenceNumber: sent.sequenceNumber,
    };
  };

  return {
    target: 'AmazonSQS',
    errorHeaders: ({ name, status }) => ({
      'x-amzn-query-error': `${OLDER_NAMES[name] ?? name};${status < 500 ? 'Sender' : 'Receiver'}`,
    }),
    operations: {
      SendMessage(fields) {
        const input = new ApiInput(fields, ERRORS, ['QueueUrl', ...SENT]);
        return send(queueOf(input), outgoingOf(input));
      },
      SendMessageBatch(fields) {
        const input = new ApiInput(fields, ERRORS, ['QueueUrl', 'Entries']);
        const queue = queueOf(input);
        const entries = entriesOf(input, SENT);
        const bytes = entries.reduce((sum, { entry }) => sum + bytesOf(entry), 0);
        if (bytes > MOST_BATCH_BYTES) {
          throw new ApiRequestError(
            'BatchRequestTooLong',
            `Batch requests cannot be longer than ${MOST_BATCH_BYTES} bytes. You have sent ${bytes} bytes.`,
          );
        }
        return each(entries, failEntry, entry => send(queue, outgoingOf(entry)));
      },
      async ReceiveMessage(fields) {
        const input = new ApiInput(fields, ERRORS, [
          ...['QueueUrl', 'MaxNumberOfMessages', 'VisibilityTimeout', 'WaitTimeSeconds'],
          ...['AttributeNames', 'MessageSystemAttributeNames', 'MessageAttributeNames'],
        ]);
        const queue = queueOf(input);
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
      DeleteMessage(fields) {
        const input = new ApiInput(fields, ERRORS, ['QueueUrl', 'ReceiptHandle']);
        queueOf(input).delete(input.requiredText('ReceiptHandle'));
        return {};
      },
      DeleteMessageBatch(fields) {
        const input = new ApiInput(fields, ERRORS, ['QueueUrl', 'Entries']);
        const queue = queueOf(input);
        return each(entriesOf(input, ['ReceiptHandle']), failEntry, entry => {
          queue.delete(entry.requiredText('ReceiptHandle'));
          return {};
        });
      },
      GetQueueAttributes(fields) {
        const input = new ApiInput(fields, ERRORS, ['QueueUrl', 'AttributeNames']);
        const all = attributesOf(queueOf(input));
        const names = input.texts('AttributeNames') ?? [];
        checkNames(names, [...Object.keys(all), ...FIFO_ATTRIBUTES]);
        return { Attributes: picked(all, names) };
      },
      GetQueueUrl(fields) {
        const input = new ApiInput(fields, ERRORS, ['QueueName', 'QueueOwnerAWSAccountId']);
        return { QueueUrl: urlOf(named(input.requiredText('QueueName')).options.name) };
      },
      ListQueues(fields) {
        const prefix = new ApiInput(fields, ERRORS, ['QueueNamePrefix']).text('QueueNamePrefix') ?? '';
        return { QueueUrls: [...queues.keys()].filter(name => name.startsWith(prefix)).map(urlOf) };
      },
    },
  };
}

/** Whatever its host is: `https://sqs.us-east-1.amazonaws.com/123456789012/jobs` names the local queue `jobs`. */
function nameOfUrl(url: string): string {
  const [name, account] = url.split('/').reverse();
  if (name && account === LOCAL_ACCOUNT) return name;
  throw new ApiRequestError(
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
  const given = input.objects('Entries');
  if (given.length === 0) {
    throw new ApiRequestError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  }
  if (given.length > MOST_ENTRIES) {
    throw new ApiRequestError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MOST_ENTRIES}. You have sent ${given.length}.`,
    );
  }
  const entries = given.map((fields: Fields, index) => {
    const entry = new ApiInput(fields, ERRORS, ['Id', ...known], `Entries[${index}].`);
    return { entry, id: entry.requiredText('Id') };
  });
  const wrong = entries.find(({ id }) => !ENTRY_ID.test(id));
  if (wrong !== undefined) {
    throw new ApiRequestError(
      'InvalidBatchEntryId',
      `A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long: got ${JSON.stringify(wrong.id)}`,
    );
  }
  const ids = entries.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ApiRequestError('BatchEntryIdsNotDistinct', `Id ${twice} repeated.`);
  return entries;
}

/** An entry that is refused doesn't keep the others. */
function each(
  entries: readonly BatchEntry[],
  failEntry: FailEntry | undefined,
  answer: (entry: ApiInput) => object,
): object {
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const { id: Id, entry } of entries) {
    const injected = failEntry?.();
    if (injected !== undefined) {
      Failed.push({ Id, SenderFault: false, Code: injected, Message: 'injected' });
      continue;
    }
    try {
      Successful.push({ Id, ...answer(entry) });
    } catch (error) {
      if (!(error instanceof ApiRequestError)) throw error;
      const Code = OLDER_NAMES[error.name] ?? error.name;
      Failed.push({ Id, SenderFault: true, Code, Message: error.message });
    }
  }
  return { Successful, Failed };
}

const bytesOf = (entry: ApiInput): number => Buffer.byteLength(entry.text('MessageBody') ?? '');

const MESSAGE_ATTRIBUTES = [
  ...['SenderId', 'SentTimestamp', 'ApproximateReceiveCount', 'ApproximateFirstReceiveTimestamp'],
  ...['MessageGroupId', 'MessageDeduplicationId', 'SequenceNumber'],
];

/** Which a standard queue doesn't have, though one may ask for them. */
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
    throw new ApiRequestError(
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
