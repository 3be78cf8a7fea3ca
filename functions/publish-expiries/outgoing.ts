import type { ExpiryModel } from '../../expiry/model.ts';
import { changedAtMs } from '../../expiry/stream-record.ts';
import { imageText } from '../archive/image-text.ts';
import type { DynamoDbStreamRecord } from '../stream/event.ts';
import { ttlTimeMs } from '../stream/ttl-time.ts';
import type { Outgoing } from './calls.ts';

/** An event to publish, and its record. */
export interface OutgoingExpiry extends Outgoing {
  readonly record: DynamoDbStreamRecord;
}

export interface EventSource {
  readonly tableName: string;
  readonly model: ExpiryModel;
  /** Whether events contain the item before its deletion. */
  readonly eventsOldImage: boolean;
}

/** Makes the event of an expiry. Its fields are documented in expiry/expiry-event.ts. */
export function outgoing(
  record: DynamoDbStreamRecord,
  { tableName, model, eventsOldImage }: EventSource,
): OutgoingExpiry {
  const { Keys, OldImage } = record.dynamodb;
  const key = imageText(Keys, 'dynamodb-json');
  const expiredAtMs = OldImage && ttlTimeMs(OldImage, model.ttlAttribute);
  const always = [
    field('id', record.eventID),
    field('table', tableName),
    `"key":${key}`,
    field('expiredAt', expiredAtMs === undefined ? null : isoTime(expiredAtMs)),
    field('deletedAt', isoTime(changedAtMs(record))),
  ];
  const event = { record, id: record.eventID, key, text: eventText(always) };
  if (!eventsOldImage || OldImage === undefined) return event;
  return {
    ...event,
    text: eventText([...always, `"oldImage":${imageText(OldImage, 'dynamodb-json')}`]),
    textWithoutImage: eventText([...always, '"oldImageOmitted":true']),
  };
}

function field(name: string, value: string | null): string {
  return `"${name}":${JSON.stringify(value)}`;
}

/** Two characters that SQS refuses, and that JSON does not escape. Source: SQS API reference, SendMessageBatch. */
const NOT_IN_MESSAGES = /[\uFFFE\uFFFF]/g;

function eventText(fields: readonly string[]): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16)}`;
  return `{${fields.join()}}`.replaceAll(NOT_IN_MESSAGES, escaped);
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
