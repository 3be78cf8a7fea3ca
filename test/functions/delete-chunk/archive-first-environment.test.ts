/** @jest-environment ./test/support/dynamodb-environment.ts */

import { type LocalS3, startS3 } from 'aws-on-loopback/s3/start-s3';
import { handler } from '../../../functions/delete-chunk/handler.ts';
import type { Chunk } from '../../../statemachine/contract/chunks.ts';
import { createExpiringTable } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { carriedOf } from '../../support/sweep-settings.ts';

const dynamo = useLocalDynamoDb();

let s3: LocalS3;
const before = { ...process.env };
beforeAll(async () => {
  s3 = await startS3({ buckets: ['archive'] });
});
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await s3.stop();
});

test('the settings of the table say that items are archived first, and where', async () => {
  const table = await createExpiringTable(dynamo.client);
  const { tableName } = table.settings;
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
  });
  const ttl = Math.floor(Date.now() / 1000) - 10;
  await table.put([{ id: 'a', ttl }]);
  const now = new Date().toISOString();
  const chunk: Chunk = {
    next: 'delete',
    until: null,
    timeoutSeconds: 15,
    deadline: new Date(Date.now() + 60_000).toISOString(),
    cutoff: ttl,
    once: false,
    keys: [{ key: { id: { S: 'a' } }, ttl }],
    progress: null,
  };
  const carried = carriedOf({ tableName, partitionKey: 'id' });
  // A bucket without the rest is no archive that is switched off.
  const half = { ...carried, copyTo: { archiveBucket: 'archive' } };
  await expect(handler({ chunk, now, settings: half })).rejects.toMatchObject({
    name: 'InvalidSettingsError',
  });
  expect(await table.scan()).toHaveLength(1);

  const copyTo = {
    archiveBucket: 'archive',
    archivePrefix: 'p/',
    archiveFormat: 'dynamodb-json',
    archiveRemovals: 'expiries',
  } as const;
  const settings = { ...carried, copyTo };
  expect(await handler({ chunk, now, settings })).toMatchObject({ keys: [], progress: { deleted: 1 } });
  expect(await s3.keys('archive', `p/${tableName}/before_deletion/`)).toHaveLength(1);
});
