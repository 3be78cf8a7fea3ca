import { DynamoDBClient, type DynamoDBClientConfig, type QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export type Documents = Pick<DynamoDBDocumentClient, 'send'>;

const MAX_REQUEST_TIMEOUT_MS = 5_000;

/** Milliseconds for one attempt: all attempts take at most 75% of the task's timeout, so that the function can report a failure. */
export function requestTimeoutMs(taskTimeoutSeconds: number, attempts: number): number {
  return Math.min(MAX_REQUEST_TIMEOUT_MS, Math.floor((taskTimeoutSeconds * 750) / attempts));
}

export interface RequestOptions {
  /** Milliseconds. The client's own limit is five seconds, and is used if this value is missing. */
  readonly requestTimeout?: number;
}

/**
 * Creates a client that returns numbers as `NumberValue`: a key may have more digits than a JavaScript number can hold.
 * @param maxAttempts 1 for deletes: the client's retries would hide throttling
 */
export function createDocuments(
  { maxAttempts }: { maxAttempts: number },
  connection: Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'> = {},
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...connection,
    maxAttempts,
    // DynamoDB usually answers within milliseconds. Without these timeouts a function that gets no answer would hang until its own timeout.
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

/** Adds the HTTP header `Date` to the metadata of each answer for {@link answeredAt}, because the SDK does not return HTTP headers. */
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
 * Time of the answer by DynamoDB's clock, epoch seconds; undefined without a valid header `Date`, which HTTP requires of a server with a
 * clock. Source: RFC 9110, 6.6.1.
 */
export function answeredAt({ $metadata }: { readonly $metadata?: DatedMetadata }): number | undefined {
  const ms = Date.parse($metadata?.date ?? '');
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

const KEPT = ['name', 'code', '$fault', '$retryable', '$metadata'] as const;

/** Removes the messages from DynamoDB's errors: a message may repeat a key, and `logKeys` may forbid keys in logs. */
export function withoutMessages(documents: Documents): Documents {
  const send = async (...args: Parameters<Documents['send']>) => {
    try {
      return await documents.send(...args);
    } catch (error) {
      throw error instanceof Error ? withoutMessage(error) : error;
    }
  };
  return { send: send as Documents['send'] };
}

function withoutMessage(error: Error): Error {
  const hidden = new Error('the message is not shown, because it can hold keys (logKeys)');
  for (const property of KEPT) {
    if (property in error) Object.assign(hidden, { [property]: error[property as keyof Error] });
  }
  return hidden;
}
