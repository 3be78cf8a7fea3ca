/** @jest-environment ./test/support/dynamodb-environment.ts */

import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { TableResource } from '../../../local/dynamodb/table.ts';
import { enableStream, ensureTable } from '../../../local/dynamodb/tables.ts';
import { LocalCloudError } from '../../../local/errors.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { handmadeStack, sessionTable } from '../../support/handmade-stack.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();

function tableOf(over: Record<string, unknown> = {}): TableResource {
  const made = handmadeStack({ resource: { aws_dynamodb_table: { sessions: sessionTable(over) } } });
  try {
    const [table] = synthesizedCloud(made.stack).tables;
    if (table === undefined) throw new Error('no table');
    return table;
  } finally {
    made.remove();
  }
}

test('makes the table with its keys and index, with native TTL off', async () => {
  await ensureTable(dynamo.client, tableOf({ name: 'Made' }));
  const { Table } = await dynamo.client.send(new DescribeTableCommand({ TableName: 'Made' }));
  expect(Table?.KeySchema).toEqual([
    { AttributeName: 'UserName', KeyType: 'HASH' },
    { AttributeName: 'SessionId', KeyType: 'RANGE' },
  ]);
  expect(Table?.GlobalSecondaryIndexes).toMatchObject([
    {
      IndexName: 'expirationWindowIndex',
      KeySchema: [
        { AttributeName: 'expirationWindow', KeyType: 'HASH' },
        { AttributeName: 'ExpirationTime', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ]);
  expect(Table?.StreamSpecification).toBeUndefined();
  const ttl = await dynamo.client.send(new DescribeTimeToLiveCommand({ TableName: 'Made' }));
  expect(ttl.TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');
});

test('can be given a stream with old images, once', async () => {
  await ensureTable(dynamo.client, tableOf({ name: 'Seen' }));
  await enableStream(dynamo.client, 'Seen');
  await enableStream(dynamo.client, 'Seen');
  const { Table } = await dynamo.client.send(new DescribeTableCommand({ TableName: 'Seen' }));
  expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'OLD_IMAGE' });
});

test('uses a table that has what is wanted, and more', async () => {
  await ensureTable(dynamo.client, tableOf({ name: 'Same' }));
  await ensureTable(dynamo.client, tableOf({ name: 'Same' }));
  await ensureTable(dynamo.client, tableOf({ name: 'Same', global_secondary_index: [], attribute: KEYS }));
});

const KEYS = [
  { name: 'UserName', type: 'S' },
  { name: 'SessionId', type: 'S' },
];

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'another key',
    {
      range_key: undefined,
      attribute: sessionTable()['attribute'].filter(a => a.name !== 'SessionId'),
    },
    /keys: expected UserName HASH, got UserName HASH, SessionId RANGE/,
  ],
  [
    'no such index',
    {
      global_secondary_index: {
        name: 'other',
        hash_key: 'expirationWindow',
        projection_type: 'KEYS_ONLY',
      },
      attribute: [...KEYS, { name: 'expirationWindow', type: 'S' }],
    },
    /index other: expected expirationWindow HASH, KEYS_ONLY, got none\nnpx precise-ttl adopt --table Other adds/,
  ],
  [
    'another projection',
    {
      global_secondary_index: {
        name: 'expirationWindowIndex',
        hash_key: 'expirationWindow',
        range_key: 'ExpirationTime',
        projection_type: 'ALL',
      },
    },
    /expected expirationWindow HASH, ExpirationTime RANGE, ALL, got .* KEYS_ONLY/,
  ],
])('fails for a table of that name with %s', async (_, over, expected) => {
  await ensureTable(dynamo.client, tableOf({ name: 'Other' }));
  const second = ensureTable(dynamo.client, tableOf({ name: 'Other', ...over }));
  await expect(second).rejects.toThrow(LocalCloudError);
  await expect(second).rejects.toThrow(expected);
});
