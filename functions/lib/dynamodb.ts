import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The part of the document client that the functions use. */
export type Documents = Pick<DynamoDBDocumentClient, 'send'>;

/**
 * A client whose numbers come wrapped, since a key's number may have more digits than a double.
 *
 * @param maxAttempts calls in all per command. The delete path takes 1: there the state machine backs off, and a
 *   second waiting loop inside would only hide the throttling from it.
 */
export function createDocuments({ maxAttempts }: { maxAttempts: number }): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts,
    // Far above what DynamoDB takes and far below the function's timeout: an answer that does not come is a busy
    // DynamoDB, which the state machine knows how to wait for, not a function that hangs.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  return DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
}
