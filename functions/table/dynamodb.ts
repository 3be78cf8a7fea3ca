import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The part of the document client that the functions use. */
export type Documents = Pick<DynamoDBDocumentClient, 'send'>;

const MAX_REQUEST_TIMEOUT_MS = 5_000;

/** How long a request of a task may take so that the function can still say so, milliseconds. */
export function requestTimeoutMs(taskTimeoutSeconds: number, attempts: number): number {
  return Math.min(MAX_REQUEST_TIMEOUT_MS, Math.floor((taskTimeoutSeconds * 750) / attempts));
}

/** What one request may be told besides its command. */
export interface RequestOptions {
  /** Milliseconds; the client's own limit is five seconds. */
  readonly requestTimeout?: number;
}

/**
 * A client whose numbers come wrapped, since a key's number may have more digits than a double.
 *
 * @param maxAttempts calls in all per command. The delete path takes 1: there the state machine backs off, and a
 *   second waiting loop inside would only hide the throttling from it.
 * @param connection only where it is not Lambda's environment that says it
 */
export function createDocuments(
  { maxAttempts }: { maxAttempts: number },
  connection: Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'> = {},
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...connection,
    maxAttempts,
    // Far above what DynamoDB takes and far below the function's timeout: an answer that does not come is a busy
    // DynamoDB, which the state machine knows how to wait for, not a function that hangs.
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: MAX_REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  return DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
}
