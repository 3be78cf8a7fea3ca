import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The entry of this table in the deployment's configuration. The names are those of Powertools, which writes nothing but the TTL. */
export const IDEMPOTENCY_TABLE = {
  tableName: 'Idempotency',
  partitionKey: 'id',
  ttlAttribute: 'expiration',
  index: { by: 'second' },
  // Records are written minutes before they expire, so the sweep need not poll for later ones.
  pollSeconds: 0,
} as const;

/** For how long a repeated order counts as the same payment. */
export const REMEMBERED_SECONDS = 300;

export interface Order {
  readonly orderId: string;
  readonly amount: number;
}

/** Makes a payment once, even if it is requested several times within five minutes. */
export function makePayments(client: DynamoDBClient, pay: (order: Order) => Promise<{ paid: number }>) {
  const { tableName } = IDEMPOTENCY_TABLE;
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client });
  const config = new IdempotencyConfig({
    eventKeyJmesPath: 'orderId',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: REMEMBERED_SECONDS,
  });
  // A Lambda function passes the context of its invocation.
  config.registerLambdaContext({ getRemainingTimeInMillis: () => 30_000 } as never);
  return makeIdempotent(pay, { persistenceStore, config });
}
