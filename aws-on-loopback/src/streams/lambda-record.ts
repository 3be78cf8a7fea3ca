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
