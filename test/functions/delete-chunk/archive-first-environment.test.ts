/** @jest-environment ./test/support/dynamodb-environment.ts */
import { toArchiveEnvironment } from '../../../functions/archive/settings.ts';
import { handler } from '../../../functions/delete-chunk/handler.ts';
import { toEnvironment } from '../../../functions/runtime/environment.ts';
import { type LocalS3, startS3 } from '../../../local/s3/start-s3.ts';
import { resolveProps } from '../../../stacks/props.ts';
import type { Chunk } from '../../../statemachine/contract.ts';
import { createExpiringTable } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

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

test('the environment says that items are archived first, and where', async () => {
  const table = await createExpiringTable(dynamo.client);
  const { tableName } = table.settings;
  Object.assign(
    process.env,
    toEnvironment(resolveProps({ tableName, partitionKey: 'id' }), value => value),
    {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      ARCHIVE_BUCKET: 'archive',
    },
  );
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
  // A bucket without the rest is no archive that is switched off.
  await expect(handler({ chunk, now })).rejects.toMatchObject({ name: 'InvalidEnvironmentError' });
  expect(await table.scan()).toHaveLength(1);

  const archive = {
    archiveBucket: 'archive',
    archivePrefix: 'p/',
    archiveFormat: 'dynamodb-json',
    archiveRemovals: 'expiries',
  } as const;
  Object.assign(
    process.env,
    toArchiveEnvironment(archive, value => value),
  );
  expect(await handler({ chunk, now })).toMatchObject({ keys: [], progress: { deleted: 1 } });
  expect(await s3.keys('archive', `p/${tableName}/before_deletion/`)).toHaveLength(1);
});
