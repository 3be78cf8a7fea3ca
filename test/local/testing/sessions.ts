import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes, expiryModel } from '../../../expiry/index.ts';
import { type LocalPreciseTtl, type PreciseTtlProps, withPreciseTtl } from '../../../local/testing/index.ts';
import { dynamoDbOfFile } from '../../support/local-dynamodb.ts';

export const START = '2026-11-20T09:00:05Z';
const model = expiryModel({ partitionKey: 'id' });

/** Writes a session that expires so many seconds from now, by the cloud's clock; a negative number: it has expired before. */
export async function write(
  { documents, clock }: LocalPreciseTtl,
  id: string,
  ttlSeconds: number,
  TableName = 'Sessions',
) {
  const item = { id, note: { of: id, bytes: Buffer.from('hello'), empty: {} } };
  const expiresAt = Math.floor(clock.now() / 1000) + ttlSeconds;
  const attributes = expiryAttributes(model, item, { expiresAt, nowMs: (expiresAt - 1) * 1000 });
  await documents.send(new PutCommand({ TableName, Item: { ...item, ...attributes } }));
}

/** A local deployment of one table of sessions, on a stepped clock. */
export const using = (table: Partial<PreciseTtlProps>, use: (local: LocalPreciseTtl) => Promise<void>) =>
  withPreciseTtl({ tables: [{ tableName: 'Sessions', partitionKey: 'id', ...table }] }, use, {
    dynamoDbEndpoint: dynamoDbOfFile().endpoint,
    startTime: START,
  });
