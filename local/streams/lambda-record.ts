import type { AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import type { StreamedRecord } from './stream-source.ts';

/** A value in DynamoDB JSON: binary in base64. */
type JsonAttribute = Readonly<Record<string, unknown>>;
type JsonItem = Readonly<Record<string, JsonAttribute>>;

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
    readonly Keys: JsonItem;
    readonly NewImage?: JsonItem;
    readonly OldImage?: JsonItem;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: string;
  };
  readonly userIdentity?: { readonly principalId: string; readonly type: string };
  readonly eventSourceARN: string;
}

/** Where a record is from, which DynamoDB Local does not know. */
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
      Keys: toJsonItem(dynamodb?.Keys ?? {}),
      ...(dynamodb?.NewImage && { NewImage: toJsonItem(dynamodb.NewImage) }),
      ...(dynamodb?.OldImage && { OldImage: toJsonItem(dynamodb.OldImage) }),
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

function toJsonItem(item: Readonly<Record<string, AttributeValue>>): JsonItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toJsonAttribute(value)]));
}

function toJsonAttribute(value: AttributeValue): JsonAttribute {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.L !== undefined) return { L: value.L.map(toJsonAttribute) };
  if (value.M !== undefined) return { M: toJsonItem(value.M) };
  // DynamoDB Local's streams leave the type of an empty map out (https://github.com/awslabs/amazon-dynamodb-local-samples/issues/37).
  if (Object.keys(value).length === 0) return { M: {} };
  return value as unknown as JsonAttribute;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
