import { expiryModel } from 'precise-ttl';

/** The entry of this table in the deployment's configuration, which the tests use too. */
export const SESSIONS_TABLE = {
  tableName: 'Sessions',
  partitionKey: 'SessionId',
  ttlAttribute: 'ExpirationTime',
  // The function whose handler is made in consumer.ts.
  events: { to: 'arn:aws:lambda:us-east-1:123456789012:function:session-ended', oldImage: true },
} as const;

/** The expiry model of writers and readers, with the names of the deployment. */
export const sessions = expiryModel({
  partitionKey: SESSIONS_TABLE.partitionKey,
  ttlAttribute: SESSIONS_TABLE.ttlAttribute,
  defaultTtlSeconds: 1800,
});
