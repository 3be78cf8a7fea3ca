import type { DynamoDbStreamRecord } from './event.ts';

/** A function's answer to a batch of a stream whose mapping has `ReportBatchItemFailures`. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Makes the answer that tells Lambda which records are done. Lambda delivers the first record that is not done, and all that follow it,
 * again. Source: Lambda Developer Guide, "Configuring partial batch response with DynamoDB and Lambda".
 *
 * @param firstNotDone first record that is not done; undefined: all are done
 */
export function batchAnswer(firstNotDone: DynamoDbStreamRecord | undefined): BatchAnswer {
  return {
    batchItemFailures:
      firstNotDone === undefined ? [] : [{ itemIdentifier: firstNotDone.dynamodb.SequenceNumber }],
  };
}
