import { DynamoDBClient, type DynamoDBClientConfig, type QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export type Documents = Pick<DynamoDBDocumentClient, 'send'>;

const MAX_REQUEST_TIMEOUT_MS = 5_000;

/** All attempts end before the task's timeout, so that the function can report its failure. */
export function requestTimeoutMs(taskTimeoutSeconds: number, attempts: number): number {
  return Math.min(MAX_REQUEST_TIMEOUT_MS, Math.floor((taskTimeoutSeconds * 750) / attempts));
}

export interface RequestOptions {
  /** Milliseconds. The client's own limit is five seconds. */
  readonly requestTimeout?: number;
}

/**
 * Returns wrapped numbers, since a key's number may have more digits than a double.
 * @param maxAttempts 1 for deletes: the state machine does the backoff, and retries of the client would hide the throttling
 * @param connection only needed outside of Lambda: Lambda's environment has these values
 */
export function createDocuments(
  { maxAttempts }: { maxAttempts: number },
  connection: Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'> = {},
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...connection,
    maxAttempts,
    // These times are far above DynamoDB's latency and far below the function's timeout. So a missing answer counts as a busy DynamoDB, for
    // which the state machine waits, and not as a function that hangs.
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: MAX_REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  keepDates(client);
  return DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
}

type DatedMetadata = QueryCommandOutput['$metadata'] & { readonly date?: string | undefined };

/** Adds the date header to each answer, for {@link answeredAt}: the SDK passes on no headers. */
export function keepDates(client: DynamoDBClient): void {
  client.middlewareStack.add(
    next => async args => {
      const answer = await next(args);
      const { headers = {} } = answer.response as { readonly headers?: Readonly<Record<string, string>> };
      const output = answer.output as QueryCommandOutput;
      const $metadata: DatedMetadata = { ...output.$metadata, date: headers['date'] };
      return { ...answer, output: { ...output, $metadata } };
    },
    { step: 'deserialize', priority: 'high', name: 'keepDates' },
  );
}

/**
 * When DynamoDB answered, by DynamoDB's own clock, epoch seconds, rounded down; undefined for an answer without a date. HTTP requires a
 * date from every server with a clock. Source: RFC 9110, 6.6.1.
 */
export function answeredAt({ $metadata }: { readonly $metadata?: DatedMetadata }): number | undefined {
  const ms = Date.parse($metadata?.date ?? '');
  return Number.isNaN(ms) ? undefined : ms / 1000;
}
