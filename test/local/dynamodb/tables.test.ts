/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { enableStream, ensureTable, type TableResource } from '../../../local/dynamodb/tables.ts';
import { LocalCloudError } from '../../../local/errors.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { plainStack } from '../../../stacks/app.ts';
import { configOf, SESSION_DATA } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { client } = useLocalDynamoDb();
const [table] = synthesizedCloud(plainStack(configOf(SESSION_DATA))).tables as [TableResource];
const [index] = table.globalIndexes as [TableResource['globalIndexes'][number]];
const KEYS = { UserName: 'S', SessionId: 'S' } as const;

test('makes the table with native TTL off, uses it again, and gives it a stream once', async () => {
  await ensureTable(client, table);
  await ensureTable(client, table);
  // What is wanted may be less than what is there.
  await ensureTable(client, { ...table, globalIndexes: [], attributes: KEYS });
  const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName: table.name }));
  expect(ttl.TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');
  const described = async () =>
    (await client.send(new DescribeTableCommand({ TableName: table.name }))).Table;
  expect((await described())?.StreamSpecification).toBeUndefined();
  const stream = await enableStream(client, table.name);
  expect(await enableStream(client, table.name)).toBe(stream);
  expect((await described())?.StreamSpecification).toEqual({
    StreamEnabled: true,
    StreamViewType: 'OLD_IMAGE',
  });
});

test.each<[string, Partial<TableResource>, RegExp]>([
  [
    'another key',
    {
      rangeKey: undefined as never,
      attributes: { UserName: 'S', expirationWindow: 'S', ExpirationTime: 'N' },
    },
    /keys: expected UserName HASH, got UserName HASH, SessionId RANGE/,
  ],
  [
    'no such index',
    { globalIndexes: [{ ...index, name: 'other' }] },
    /index other: expected expirationWindow HASH, ExpirationTime RANGE, KEYS_ONLY, got none\nnpx precise-ttl adopt --table SessionData adds/,
  ],
  [
    'another projection',
    { globalIndexes: [{ ...index, projection: 'ALL' }] },
    /expected expirationWindow HASH, ExpirationTime RANGE, ALL, got .* KEYS_ONLY/,
  ],
])('fails for a table of that name with %s', async (_, over, expected) => {
  await ensureTable(client, table);
  const second = ensureTable(client, { ...table, ...over });
  await expect(second).rejects.toThrow(LocalCloudError);
  await expect(second).rejects.toThrow(expected);
});
