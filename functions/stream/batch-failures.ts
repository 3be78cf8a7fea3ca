import type { DynamoDbStreamRecord } from './event.ts';

/** A function's answer to a batch of a stream, where its mapping has `ReportBatchItemFailures`. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Tells Lambda how far a batch is done with. Lambda gives the function the first record that is not, and all that follow it,
 * again. Source: Lambda Developer Guide, "Configuring partial batch response with DynamoDB and Lambda".
 *
 * @param firstNotDone undefined: all are done with
 */
export function batchAnswer(firstNotDone: DynamoDbStreamRecord | undefined): BatchAnswer {
  return {
    batchItemFailures:
      firstNotDone === undefined ? [] : [{ itemIdentifier: firstNotDone.dynamodb.SequenceNumber }],
  };
}
