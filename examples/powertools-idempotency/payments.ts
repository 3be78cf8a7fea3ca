import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expiryModel } from 'precise-ttl';
import { stampWrites } from './stamping.ts';

/** The entry of this table in the deployment's configuration: the names are those of Powertools. */
export const IDEMPOTENCY_TABLE = {
  tableName: 'Idempotency',
  partitionKey: 'id',
  ttlAttribute: 'expiration',
} as const;

/** How long the same order is the same payment. */
export const REMEMBERED_SECONDS = 600;

const model = expiryModel({ partitionKey: 'id', ttlAttribute: 'expiration' });

export interface Order {
  readonly orderId: string;
  readonly amount: number;
}

/**
 * A payment that is made once, however often it is asked for within ten minutes.
 *
 * @param client a client of its own: what it writes gets the window
 */
export function makePayments(client: DynamoDBClient, pay: (order: Order) => Promise<{ paid: number }>) {
  const { tableName } = IDEMPOTENCY_TABLE;
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName,
    awsSdkV3Client: stampWrites(client, tableName, model),
  });
  const config = new IdempotencyConfig({
    eventKeyJmesPath: 'orderId',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: REMEMBERED_SECONDS,
  });
  // In a Lambda function: the context of the invocation.
  config.registerLambdaContext({ getRemainingTimeInMillis: () => 30_000 } as never);
  return makeIdempotent(pay, { persistenceStore, config });
}
