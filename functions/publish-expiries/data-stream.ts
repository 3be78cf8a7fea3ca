import { createHash } from 'node:crypto';
import { KinesisClient, PutRecordsCommand, type PutRecordsResultEntry } from '@aws-sdk/client-kinesis';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Outgoing } from './calls.ts';
import {
  CLIENT_OPTIONS,
  type Connection,
  type Destination,
  isForTheEvent,
  QUICK_REQUESTS,
  type Why,
} from './destination.ts';

/** Length of a SHA-256 in hexadecimal. */
const KEY_BYTES = 64;

/**
 * A call takes 500 records of 5 MiB together, each of at most 1 MiB with its partition key. Streams can be configured for larger records,
 * but not all are. Source: Kinesis Data Streams API reference, PutRecords.
 */
const LIMITS = {
  events: 500,
  eventBytes: 1_048_576 - KEY_BYTES,
  callBytes: 5_242_880 - 500 * KEY_BYTES,
} as const;

/** A destination that is a Kinesis data stream. Its shards keep the events of an item in order. */
export function dataStream(arn: string, connection: Connection = {}): Destination {
  const { requestHandler, ...place } = { requestHandler: QUICK_REQUESTS, ...connection };
  const client = new KinesisClient({
    ...CLIENT_OPTIONS,
    ...place,
    // By default this client speaks HTTP/2, for consumers that receive pushed records, and then its connections have no timeout.
    requestHandler: NodeHttpHandler.create(requestHandler),
  });
  return {
    limits: LIMITS,
    async send(events, options) {
      const Records = events.map(event => ({
        Data: Buffer.from(event.text),
        PartitionKey: partitionKeyOf(event),
      }));
      const answer = await client.send(new PutRecordsCommand({ StreamARN: arn, Records }), options);
      return events.flatMap((_event, index) => {
        const why = whyRefused(answer.Records?.[index]);
        return why === undefined ? [] : [{ index, why }];
      });
    },
  };
}

/**
 * Returns the record's partition key: records with the same one are in one shard. It is a hash, because an item's key can be longer than
 * the limit of 256 characters.
 */
function partitionKeyOf({ key }: Outgoing): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Why the entry was refused; undefined: it was accepted. */
function whyRefused(entry: PutRecordsResultEntry | undefined): Why | undefined {
  if (entry?.SequenceNumber !== undefined && entry.ErrorCode === undefined) return undefined;
  const { ErrorCode: reason = 'NoAnswer', ErrorMessage: message } = entry ?? {};
  return { reason, message, isForTheEvent: isForTheEvent(reason) };
}
