/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { startS3 } from 'aws-on-loopback/s3/start-s3';
import { ARCHIVE_BUCKET, archiveItems } from '../support/archived.ts';
import { configOf } from '../support/configs.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { shellCommand } from '../support/shell-command.ts';

const { client, endpoint } = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-restore-long-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CONFIG = join(folder, 'config.json');
writeFileSync(CONFIG, JSON.stringify(configOf({ tableName: 'SessionData', partitionKey: 'id' })));

const restore = shellCommand('restore');
const PLACE = ['--config', CONFIG, '--from-archive', `s3://${ARCHIVE_BUCKET}`];
const KEYS = ['--keys', '{"id":{"S":"a"}}'];
const NEVER = '--without-expiry';

test('restores on this machine without a question, and says what it did', async () => {
  const s3 = await startS3({ buckets: [ARCHIVE_BUCKET] });
  try {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_ENDPOINT_URL_S3: s3.endpoint };
    const missing = await restore([...PLACE, ...KEYS, NEVER], environment);
    expect([missing.status, missing.stderr]).toEqual([
      1,
      expect.stringContaining('"SessionData", which does not'),
    ]);
    await client.send(
      new CreateTableCommand({
        TableName: 'SessionData',
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      }),
    );
    const empty = await restore([...PLACE, ...KEYS, NEVER], environment);
    expect([empty.status, empty.stderr]).toEqual([
      1,
      expect.stringContaining('expected the archive of SessionData'),
    ]);
    const item = { id: { S: 'a' }, v: { N: '1' } };
    await archiveItems(s3.endpoint, [{ item, expiredAt: '2026-11-20T09:00:00Z' }]);
    const done = await restore([...PLACE, ...KEYS, NEVER], environment);
    expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: '' });
    expect(done.stdout).toContain('1 restored');
    const stored = await client.send(
      new GetItemCommand({ TableName: 'SessionData', Key: { id: { S: 'a' } } }),
    );
    expect(stored.Item).toEqual(item);
    const drilled = await restore([...PLACE, '--drill'], environment);
    expect({ status: drilled.status, stderr: drilled.stderr }).toEqual({ status: 0, stderr: '' });
    expect(drilled.stdout).toContain('1 restored: each was written, read back and is the same\n0 poisoned');
    const some = await restore(
      [...PLACE, '--keys', '[{"id":{"S":"a"}},{"id":{"S":"b"}}]', NEVER],
      environment,
    );
    expect(some.status).toBe(1);
    expect(some.stdout).toContain('1 there already: not touched');
    expect(some.stdout).toContain('1 not in the archive\n  {"id":{"S":"b"}}');
    expect(some.stderr).toContain('Not every key was restored.');
  } finally {
    await s3.stop();
  }
  const gone = await restore([...PLACE, ...KEYS, NEVER], {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
  });
  expect([gone.status, gone.stderr]).toEqual([
    1,
    expect.stringContaining('AWS_ENDPOINT_URL_S3: expected S3 at'),
  ]);
});
