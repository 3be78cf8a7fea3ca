/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { startS3 } from '../../local/s3/start-s3.ts';
import { ARCHIVE_BUCKET, archiveItems } from '../support/archived.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { shellCommand } from '../support/shell-command.ts';
import { configOf } from '../support/synthesized.ts';

const { client, endpoint } = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-restore-long-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CONFIG = join(folder, 'config.json');
writeFileSync(CONFIG, JSON.stringify(configOf({ tableName: 'SessionData', partitionKey: 'id' })));

const restore = shellCommand('restore');
/** On ports where nobody listens: a command that asks AWS for something before it must, fails another way. */
const NOWHERE = {
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
  AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
};
const PLACE = ['--config', CONFIG, '--from-archive', `s3://${ARCHIVE_BUCKET}`];
const KEYS = ['--keys', '{"id":{"S":"a"}}'];
const NEVER = '--without-expiry';

test.each<[string[], string]>([
  [[], '--from-archive: expected the place of an archive, got none'],
  [[...PLACE, ...KEYS], '--expires-in: expected it or --without-expiry, got neither'],
  [
    [...PLACE, ...KEYS, NEVER, '--expires-in', '7d'],
    '--expires-in: expected it or --without-expiry, got both',
  ],
  [[...PLACE, ...KEYS, '--expires-in', '0s'], '--expires-in: expected a whole number and s, m, h or d'],
  [[...PLACE, ...KEYS, '--drill'], '--drill: expected it without --keys, got both'],
  [[...PLACE, ...KEYS, NEVER, '--sample', '5'], '--sample: expected it with --drill'],
  [[...PLACE, NEVER], '--keys: expected it or --keys-file, got neither'],
  [
    [...PLACE, NEVER, '--keys', '{"id":"a"}'],
    '--keys: expected keys such as {"id":{"S":"…"}}, got {"id":"a"}',
  ],
  [[...PLACE, ...KEYS, NEVER, '--table', 'Other'], '--table: expected one of SessionData, got "Other"'],
  [[...PLACE, ...KEYS, NEVER, '--expired-from', 'monday'], '--expired-from: expected a date'],
])('fails with status 2, case %#', async (args, message) => {
  const { status, stdout, stderr } = await restore(args, NOWHERE);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('talks to one place only, and asks where nobody can answer for an account', async () => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_S3 } = NOWHERE;
  const mixed = await restore([...PLACE, ...KEYS, NEVER], { AWS_ENDPOINT_URL_DYNAMODB });
  expect([mixed.status, mixed.stderr]).toEqual([2, expect.stringContaining('AWS_ENDPOINT_URL_S3: expected')]);
  const other = await restore([...PLACE, ...KEYS, NEVER], { AWS_ENDPOINT_URL_S3 });
  expect([other.status, other.stderr]).toEqual([
    2,
    expect.stringContaining('AWS_ENDPOINT_URL_DYNAMODB: expected'),
  ]);
  const account = await restore(['--config', CONFIG, '--from-archive', folder, ...KEYS, NEVER], {});
  expect([account.status, account.stderr]).toEqual([2, expect.stringContaining('--yes: expected it')]);
});

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
