import { createHash } from 'node:crypto';
import { type BatchResultErrorEntry, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Outgoing } from './calls.ts';
import {
  CLIENT_OPTIONS,
  type Connection,
  type Destination,
  isForTheEvent,
  QUICK_REQUESTS,
  type Refusal,
} from './destination.ts';

/**
 * A call takes 10 messages of 1 MiB together (256 KiB before August 2025). A queue may allow less: Terraform long made queues with 256
 * KiB. So messages are sent together up to less than that, and a larger one alone. Source: SQS API reference, SendMessageBatch.
 */
const LIMITS = { events: 10, eventBytes: 1_048_576, callBytes: 250_000 } as const;

/**
 * A destination that is an SQS queue.
 *
 * @param url URL of the queue, which ends with `.fifo` for a FIFO queue
 */
export function queue(url: string, connection: Connection = {}): Destination {
  const isFifo = url.endsWith('.fifo');
  const client = new SQSClient({
    ...CLIENT_OPTIONS,
    requestHandler: QUICK_REQUESTS,
    // Otherwise the host of the URL would override AWS_ENDPOINT_URL_SQS.
    useQueueUrlAsEndpoint: false,
    ...connection,
  });
  return {
    limits: LIMITS,
    async send(events, options) {
      const Entries = events.map((event, index) => ({
        Id: String(index),
        MessageBody: event.text,
        ...(isFifo && { MessageGroupId: groupOf(event), MessageDeduplicationId: event.id }),
      }));
      const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }), options);
      const taken = new Set(answer.Successful?.map(({ Id }) => Id));
      const refused = new Map(answer.Failed?.map(entry => [entry.Id, entry]));
      return Entries.flatMap(({ Id }, index) => (taken.has(Id) ? [] : [refusal(index, refused.get(Id))]));
    },
  };
}

/**
 * Returns the message's group, within which messages are received in order. It is a hash, because a key can be longer than the limit of
 * 128 characters.
 */
function groupOf({ key }: Outgoing): string {
  return createHash('sha256').update(key).digest('hex');
}

function refusal(index: number, entry: BatchResultErrorEntry | undefined): Refusal {
  const { Code: reason = 'NoAnswer', Message: message } = entry ?? {};
  return { index, why: { reason, message, isForTheEvent: isForTheEvent(reason) } };
}
