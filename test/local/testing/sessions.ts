import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes, expiryModel } from '../../../expiry/index.ts';
import { type LocalPreciseTtl, type PreciseTtlProps, withPreciseTtl } from '../../../local/testing/index.ts';
import { dynamoDbOfFile } from '../../support/local-dynamodb.ts';

const START = '2026-11-20T09:00:05Z';
const model = expiryModel({ partitionKey: 'id' });

/** Writes a session that expires so many seconds from now, by the cloud's clock. */
export async function write({ documents, clock }: LocalPreciseTtl, id: string, ttlSeconds: number) {
  const item = { id, note: `of ${id}` };
  const Item = { ...item, ...expiryAttributes(model, item, { ttlSeconds, nowMs: clock.now() }) };
  await documents.send(new PutCommand({ TableName: 'Sessions', Item }));
}

/** A local deployment of one table of sessions, on a stepped clock. */
export const using = (table: Partial<PreciseTtlProps>, use: (local: LocalPreciseTtl) => Promise<void>) =>
  withPreciseTtl({ tables: [{ tableName: 'Sessions', partitionKey: 'id', ...table }] }, use, {
    dynamoDbEndpoint: dynamoDbOfFile().endpoint,
    startTime: START,
  });
