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
 * 500 records of 5 MiB together, each of 1 MiB with its partition key. A stream can be set to take larger ones; not every one is. Source:
 * Kinesis Data Streams API reference, PutRecords.
 */
const LIMITS = {
  events: 500,
  eventBytes: 1_048_576 - KEY_BYTES,
  callBytes: 5_242_880 - 500 * KEY_BYTES,
} as const;

/** A data stream of Kinesis, whose shards have the events of an item in their order. */
export function dataStream(arn: string, connection: Connection = {}): Destination {
  const { requestHandler, ...place } = { requestHandler: QUICK_REQUESTS, ...connection };
  const client = new KinesisClient({
    ...CLIENT_OPTIONS,
    ...place,
    // By itself this client speaks HTTP/2, for consumers that are pushed to. It has no limit to the time of a connection there.
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

/** Records of one partition key are in one shard. A hash, because an item's key can be longer than the 256 characters of this one. */
function partitionKeyOf({ key }: Outgoing): string {
  return createHash('sha256').update(key).digest('hex');
}

/** undefined: it was taken. */
function whyRefused(entry: PutRecordsResultEntry | undefined): Why | undefined {
  if (entry?.SequenceNumber !== undefined && entry.ErrorCode === undefined) return undefined;
  const { ErrorCode: reason = 'NoAnswer', ErrorMessage: message } = entry ?? {};
  return { reason, message, isForTheEvent: isForTheEvent(reason) };
}
