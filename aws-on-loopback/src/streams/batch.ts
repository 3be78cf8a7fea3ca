import { randomUUID } from 'node:crypto';
import { isObject } from '../api-input.ts';
import type { ImageValue, ItemImage, StreamedRecord } from './stream-source.ts';

/**
 * A record as Lambda hands it to a function.
 * @see Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB", example event
 */
export interface LambdaStreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly eventVersion: string;
  readonly eventSource: string;
  readonly awsRegion: string;
  readonly dynamodb: {
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: ItemImage;
    readonly NewImage?: ItemImage;
    readonly OldImage?: ItemImage;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: string;
  };
  readonly userIdentity?: { readonly principalId: string; readonly type: string };
  readonly eventSourceARN: string;
}

/** Origin of a record, which DynamoDB Local does not know. */
export interface StreamOrigin {
  readonly streamArn: string;
  readonly region: string;
}

/** @param createdAtMs epoch milliseconds; rounded down to the second, as DynamoDB Streams do */
export function toLambdaRecord(
  { record, sequenceNumber }: StreamedRecord,
  { streamArn, region }: StreamOrigin,
  createdAtMs: number,
): LambdaStreamRecord {
  const { dynamodb, userIdentity } = record;
  return {
    eventID: record.eventID ?? '',
    eventName: record.eventName ?? '',
    eventVersion: record.eventVersion ?? '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: region,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(createdAtMs / 1000),
      Keys: dynamodb?.Keys ?? {},
      ...(dynamodb?.NewImage && { NewImage: withTypes(dynamodb.NewImage) }),
      ...(dynamodb?.OldImage && { OldImage: withTypes(dynamodb.OldImage) }),
      SequenceNumber: sequenceNumber,
      SizeBytes: dynamodb?.SizeBytes ?? 0,
      StreamViewType: dynamodb?.StreamViewType ?? '',
    },
    ...(userIdentity && {
      userIdentity: { principalId: userIdentity.PrincipalId ?? '', type: userIdentity.Type ?? '' },
    }),
    eventSourceARN: streamArn,
  };
}

/**
 * Adds the types of an item's empty maps, which DynamoDB Local's streams leave out
 * (https://github.com/awslabs/amazon-dynamodb-local-samples/issues/37).
 */
function withTypes(item: ItemImage): ItemImage {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, withType(value)]));
}

function withType(value: ImageValue): ImageValue {
  if (value.L) return { L: value.L.map(withType) };
  if (value.M) return { M: withTypes(value.M) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}

/** Reason for which records are discarded. */
export type DiscardReason = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** Records that are discarded. */
export interface Discarded {
  readonly reason: DiscardReason;
  /** Records in their order, at least one. */
  readonly records: readonly LambdaStreamRecord[];
  readonly shardId: string;
  /** Number of times that they were handed to the function. */
  readonly invocations: number;
  /** Whether the last of these invocations failed as a whole; undefined when there was none. */
  readonly isFunctionError: boolean | undefined;
}

/**
 * Builds the message that Lambda sends to a mapping's failure destination. It contains the position of the records, not their contents.
 * @see Lambda Developer Guide, "Retain discarded records for a DynamoDB event source"
 */
export function discardMessage(
  { reason, records, shardId, invocations, isFunctionError }: Discarded,
  functionArn: string,
  nowMs: number,
) {
  const [first] = records;
  const last = records.at(-1);
  const arrival = (record: LambdaStreamRecord | undefined) =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString().replace('.000Z', 'Z');
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn,
      condition: reason,
      approximateInvokeCount: invocations,
    },
    ...(isFunctionError !== undefined && {
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        ...(isFunctionError && { functionError: 'Unhandled' }),
      },
    }),
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.dynamodb.SequenceNumber,
      endSequenceNumber: last?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(first),
      approximateArrivalOfLastRecord: arrival(last),
      batchSize: records.length,
      streamArn: first?.eventSourceARN,
    },
  };
}

/** A function's answer to its batch. */
export type BatchAnswer =
  | { readonly kind: 'done' }
  /** All records before `index` are done. */
  | { readonly kind: 'failed'; readonly index: number };

const DONE: BatchAnswer = { kind: 'done' };
const ALL_FAILED: BatchAnswer = { kind: 'failed', index: 0 };

/**
 * Reads the answer of a function with `ReportBatchItemFailures`.
 *
 * 1. No answer, an empty one, and one without failures: all is done. So is an object with other fields alone, which Lambda does not read.
 * 2. Failures: everything before the lowest sequence number is done, the rest is tried again.
 * 3. A failure without an id, with an empty id, or with one that is not of the batch: all has failed. So has an answer that is no object,
 *    and a list of failures that is none.
 *
 * @param sequenceNumbers of the batch, in order
 * @see Lambda Developer Guide, "Configuring partial batch response with DynamoDB and Lambda", success and failure conditions
 */
export function readBatchAnswer(answer: unknown, sequenceNumbers: readonly string[]): BatchAnswer {
  if (answer === undefined || answer === null || answer === '') return DONE;
  if (!isObject(answer)) return ALL_FAILED;
  const failures: unknown = answer['batchItemFailures'];
  if (failures === undefined || failures === null) return DONE;
  if (!Array.isArray(failures)) return ALL_FAILED;
  if (failures.length === 0) return DONE;
  const indexes = failures.map((failure: unknown) => {
    const id: unknown = isObject(failure) ? failure['itemIdentifier'] : undefined;
    return typeof id === 'string' ? sequenceNumbers.indexOf(id) : -1;
  });
  return { kind: 'failed', index: Math.max(0, Math.min(...indexes)) };
}
