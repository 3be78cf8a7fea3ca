import { DynamoDBClient, type DynamoDBClientConfig, type QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The part of the document client that the functions use. */
export type Documents = Pick<DynamoDBDocumentClient, 'send'>;

const MAX_REQUEST_TIMEOUT_MS = 5_000;

/** How long a request of a task may take so that the function can still say so, milliseconds. */
export function requestTimeoutMs(taskTimeoutSeconds: number, attempts: number): number {
  return Math.min(MAX_REQUEST_TIMEOUT_MS, Math.floor((taskTimeoutSeconds * 750) / attempts));
}

/** Options of one request besides its command. */
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
  keepDates(client);
  return DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
}

type Metadata = QueryCommandOutput['$metadata'];

/** {@link keepDates} adds the header `Date`, as it came. */
interface DatedMetadata extends Metadata {
  readonly date?: string | undefined;
}

/** Adds to each answer when it was made ({@link answeredAt}): the SDK reads the header for itself, and hands on no headers. */
export function keepDates(client: DynamoDBClient): void {
  client.middlewareStack.add(
    next => async args => {
      const answer = await next(args);
      const { headers = {} } = answer.response as { readonly headers?: Readonly<Record<string, string>> };
      return { ...answer, output: withDate(answer.output as QueryCommandOutput, headers['date']) };
    },
    // Around the one that makes the output.
    { step: 'deserialize', priority: 'high', name: 'keepDates' },
  );
}

function withDate<Output extends { readonly $metadata: Metadata }>(
  output: Output,
  date: string | undefined,
): Output {
  const $metadata: DatedMetadata = { ...output.$metadata, date };
  return { ...output, $metadata };
}

/**
 * When DynamoDB answered by its own clock, epoch seconds, rounded down; undefined for an answer without a date. HTTP wants one of
 * every server with a clock. Source: RFC 9110, 6.6.1.
 */
export function answeredAt({ $metadata }: { readonly $metadata?: DatedMetadata }): number | undefined {
  const ms = Date.parse($metadata?.date ?? '');
  return Number.isNaN(ms) ? undefined : ms / 1000;
}
