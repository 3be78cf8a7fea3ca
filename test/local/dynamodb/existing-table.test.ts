/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { useExistingTable } from '../../../local/dynamodb/existing-table.ts';
import { TableMismatchError } from '../../../local/errors.ts';
import { existingTablesAsMade } from '../../../local/stack/existing-tables.ts';
import type { PreciseTtlProps } from '../../../stacks/config/props.ts';
import { configOf } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { awsCommandIn } from '../../support/shell.ts';

const dynamo = useLocalDynamoDb();
const { client, endpoint } = dynamo;

const WINDOWS: PreciseTtlProps = { tableName: 'Windows', partitionKey: 'id', existingTable: true };
const SECONDS: PreciseTtlProps = {
  ...{ tableName: 'Seconds', partitionKey: "the owner's", sortKey: { name: 'no', type: 'N' } },
  ...{ existingTable: true, index: { by: 'second' }, ttlAttribute: 'expires at' },
};
const asMade = existingTablesAsMade(configOf(WINDOWS, SECONDS));

/** Uses the existing table of this name, which looks as the configured one of another name. */
function using(name: string, like: 'Windows' | 'Seconds', make = false): Promise<void> {
  const found = asMade.find(table => table.name === like);
  if (found === undefined) throw new Error(`no ${like}`);
  const table = { address: 'data.aws_dynamodb_table.mine', name, region: 'eu-west-1' };
  return useExistingTable(client, table, { endpoint, asMade: { ...found, name }, make });
}

async function messageOf(use: Promise<void>): Promise<string> {
  const error = await use.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TableMismatchError);
  return (error as Error).message;
}

const create = (TableName: string, more: Partial<CreateTableCommandInput> = {}) =>
  client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      ...more,
    }),
  );

async function indexes(TableName: string) {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return Object.fromEntries(
    (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => [
      IndexName,
      [...(KeySchema ?? []).map(key => key.AttributeName), Projection?.ProjectionType],
    ]),
  );
}
const BY = {
  Windows: { expirationWindowIndex: ['expirationWindow', 'ttl', 'KEYS_ONLY'] },
  Seconds: { expirySecondIndex: ['expires at', 'KEYS_ONLY'] },
} as const;

describe.each(['Windows', 'Seconds'] as const)('a table like %s', like => {
  test('that is missing is made where that is asked for, and used the next time', async () => {
    await using(`Made${like}`, like, true);
    expect(await indexes(`Made${like}`)).toEqual(BY[like]);
    await using(`Made${like}`, like, true);
    await using(`Made${like}`, like);
  });

  test('that is missing is told otherwise, with a command that makes it', async () => {
    const name = `Missing${like}`;
    const message = await messageOf(using(name, like));
    expect(message).toContain(`expected the existing table "${name}" at ${endpoint}, got none`);
    const { command, flags, json } = awsCommandIn(message);
    expect(command).toBe('create-table');
    expect(flags).toMatchObject({
      '--endpoint-url': endpoint,
      '--region': 'eu-west-1',
      '--table-name': name,
    });
    await client.send(
      new CreateTableCommand({
        TableName: flags['--table-name'],
        BillingMode: flags['--billing-mode'] as 'PAY_PER_REQUEST',
        KeySchema: json('--key-schema'),
        AttributeDefinitions: json('--attribute-definitions'),
        GlobalSecondaryIndexes: json('--global-secondary-indexes'),
      }),
    );
    expect(Object.keys(flags)).toHaveLength(7);
    expect(await indexes(name)).toEqual(BY[like]);
    await using(name, like);
  });

  test.each([true, false])(
    'without its index is told, with a command that adds it (made: %s)',
    async make => {
      const name = `Indexless${like}${make}`;
      const keys = asMade.find(table => table.name === like);
      await create(name, {
        KeySchema: [
          { AttributeName: keys?.hashKey, KeyType: 'HASH' },
          ...(keys?.rangeKey ? [{ AttributeName: keys.rangeKey, KeyType: 'RANGE' as const }] : []),
        ],
        AttributeDefinitions: [
          { AttributeName: keys?.hashKey, AttributeType: 'S' },
          ...(keys?.rangeKey ? [{ AttributeName: keys.rangeKey, AttributeType: 'N' as const }] : []),
        ],
      });
      const message = await messageOf(using(name, like, make));
      expect(message).toMatch(/: expected the index "expir\w+Index" of the existing table "Indexless/);
      const { command, flags, json } = awsCommandIn(message);
      expect(command).toBe('update-table');
      expect(Object.keys(flags)).toHaveLength(5);
      await client.send(
        new UpdateTableCommand({
          TableName: flags['--table-name'],
          AttributeDefinitions: json('--attribute-definitions'),
          GlobalSecondaryIndexUpdates: json('--global-secondary-index-updates'),
        }),
      );
      expect(await indexes(name)).toEqual(BY[like]);
      await using(name, like);
    },
  );
});

const ofId = (AttributeType: 'S' | 'N', ...others: string[]) => [
  { AttributeName: 'id', AttributeType },
  ...others.map(AttributeName => ({ AttributeName, AttributeType: 'S' as const })),
];
const index = (IndexName: string, AttributeName: string) => ({
  IndexName,
  KeySchema: [{ AttributeName, KeyType: 'HASH' as const }],
  Projection: { ProjectionType: 'ALL' as const },
});

test.each<[string, Partial<CreateTableCommandInput>, string[]]>([
  [
    'other keys',
    {
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
    },
    ['keys: expected id HASH, got key HASH'],
  ],
  ['keys of another type', { AttributeDefinitions: ofId('N') }, ['key types: expected id S, got id N']],
  [
    'an index of that name with other keys',
    {
      AttributeDefinitions: ofId('S', 'color'),
      GlobalSecondaryIndexes: [index('expirationWindowIndex', 'color')],
    },
    [
      'global index expirationWindowIndex: expected expirationWindow HASH, ttl RANGE, KEYS_ONLY, got color HASH, ALL',
      'give index.name another value',
    ],
  ],
])('a table with %s is refused', async (name, differing, differences) => {
  const tableName = name.replaceAll(' ', '-');
  await create(tableName, differing);
  const message = await messageOf(using(tableName, 'Windows', true));
  expect(message).toContain(
    `the existing table "${tableName}" at ${endpoint} is not as the configuration says`,
  );
  for (const difference of differences) expect(message).toContain(difference);
});

test('a table may have indexes and attributes of its own', async () => {
  await create('Rich', {
    AttributeDefinitions: [
      ...ofId('S', 'color', 'expirationWindow'),
      { AttributeName: 'ttl', AttributeType: 'N' },
    ],
    GlobalSecondaryIndexes: [
      index('byColor', 'color'),
      {
        IndexName: 'expirationWindowIndex',
        KeySchema: [
          { AttributeName: 'expirationWindow', KeyType: 'HASH' },
          { AttributeName: 'ttl', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  await expect(using('Rich', 'Windows')).resolves.toBeUndefined();
});
