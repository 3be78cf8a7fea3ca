import { randomUUID } from 'node:crypto';
import type { LambdaStreamRecord } from './lambda-record.ts';

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
