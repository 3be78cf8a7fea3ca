import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The entry of this table in the deployment's configuration: the names are those of Powertools, which writes the TTL alone. */
export const IDEMPOTENCY_TABLE = {
  tableName: 'Idempotency',
  partitionKey: 'id',
  ttlAttribute: 'expiration',
  index: { by: 'second' },
  // A record is written minutes before it expires: a minute that nothing is known of need not be watched.
  pollSeconds: 0,
} as const;

/** How long the same order is the same payment. */
export const REMEMBERED_SECONDS = 300;

export interface Order {
  readonly orderId: string;
  readonly amount: number;
}

/** A payment that is made once, however often it is asked for within five minutes. */
export function makePayments(client: DynamoDBClient, pay: (order: Order) => Promise<{ paid: number }>) {
  const { tableName } = IDEMPOTENCY_TABLE;
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client });
  const config = new IdempotencyConfig({
    eventKeyJmesPath: 'orderId',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: REMEMBERED_SECONDS,
  });
  // In a Lambda function: the context of the invocation.
  config.registerLambdaContext({ getRemainingTimeInMillis: () => 30_000 } as never);
  return makeIdempotent(pay, { persistenceStore, config });
}
