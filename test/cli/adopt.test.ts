/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { command as adopt } from '../../cli/adopt.ts';
import { planAdoption, type Reading, type Wish } from '../../cli/adoption.ts';
import { configOf } from '../support/configs.ts';
import { fakeClient } from '../support/fake-client.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { ran, testListedActions } from '../support/ran.ts';
import { tableInput } from '../support/table-input.ts';

const NOW = 1_800_000_000;
const WISH: Wish = { by: 'second', 'ttl-attribute': undefined, 'index-name': undefined };
const hash = (name: string) => ({ AttributeName: name, KeyType: 'HASH' as const });
const range = (name: string) => ({ AttributeName: name, KeyType: 'RANGE' as const });
const indexOf = (IndexName: string, KeySchema: object[], more: object = {}) =>
  ({
    IndexName,
    KeySchema,
    Projection: { ProjectionType: 'KEYS_ONLY' },
    IndexStatus: 'ACTIVE',
    ...more,
  }) as never;

const TABLE: TableDescription = {
  ...{ TableName: 'Old', TableStatus: 'ACTIVE', BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' } },
  KeySchema: [range('at'), hash('id')],
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'at', AttributeType: 'N' },
  ],
};
const ITEMS = [{ id: { S: 'a' }, expiresAt: { N: `${NOW}` } }, { id: { S: 'b' } }];
const BASE = { region: 'us-east-1', ttl: {}, items: ITEMS, now: NOW, isLocal: false, isAll: true };

interface Case extends Partial<Reading> {
  readonly wish?: Partial<Wish>;
}

/** What is planned for a table like {@link TABLE}; or why it is refused. */
function planned({ table, wish, ...more }: Case): object | string {
  try {
    return planAdoption({ ...BASE, table: { ...TABLE, ...table }, ...more }, { ...WISH, ...wish });
  } catch (error) {
    return (error as Error).message.replaceAll('"', '');
  }
}

const native = (TimeToLiveStatus: 'ENABLED' | 'DISABLING') => ({
  ttl: { TimeToLiveStatus, AttributeName: 'gone' },
});
const typed = (type: 'N' | 'S'): TableDescription => ({
  AttributeDefinitions: [
    ...(TABLE.AttributeDefinitions ?? []),
    { AttributeName: 'expiresAt', AttributeType: type },
  ],
});
const indexed = (IndexStatus: string, name = 'mine', key = 'expiresAt'): TableDescription => ({
  ...typed('N'),
  GlobalSecondaryIndexes: [indexOf(name, [hash(key)], { IndexStatus })],
});
const twenty = Array.from({ length: 20 }, (_unused, at) => indexOf(`i${at}`, [hash('id')]));
const provisioned = {
  BillingModeSummary: { BillingMode: 'PROVISIONED' as const },
  ProvisionedThroughput: { WriteCapacityUnits: 101 },
};
const GUESSED = { ttlAttribute: 'expiresAt', isGuess: true, nativeTtl: 'turn on', throughput: undefined };
const WINDOW_KEYS = [
  { name: 'expirationWindow', type: 'S' },
  { name: 'expiresAt', type: 'N' },
];

test.each<[string, Case, object]>([
  ['what looks like a TTL, as a guess', {}, { ...GUESSED, index: 'create', indexName: 'expirySecondIndex' }],
  ['what a flag names', { wish: { 'ttl-attribute': 'due' } }, { ttlAttribute: 'due', isGuess: false }],
  [
    "native TTL's, which is on",
    native('ENABLED'),
    { ttlAttribute: 'gone', isGuess: false, nativeTtl: 'none' },
  ],
  ['in DynamoDB Local native TTL stays off', { isLocal: true }, { nativeTtl: 'left off' }],
  ['by window', { wish: { by: 'window' } }, { keys: WINDOW_KEYS, indexName: 'expirationWindowIndex' }],
  ['an index of another name that fits', { table: indexed('ACTIVE') }, { index: 'none', indexName: 'mine' }],
  ['an index that is being built', { table: indexed('CREATING') }, { index: 'wait' }],
  [
    'a share of provisioned throughput',
    { table: provisioned },
    { throughput: { ReadCapacityUnits: 25, WriteCapacityUnits: 51 } },
  ],
  [
    'keys, types, names and a key of KMS that are not the usual ones, for the configuration',
    {
      table: { SSEDescription: { KMSMasterKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1' } },
      wish: { by: 'window', 'index-name': 'other' },
    },
    {
      configuration: {
        ...{ tableName: 'Old', existingTable: true, partitionKey: 'id', ttlAttribute: 'expiresAt' },
        ...{ sortKey: { name: 'at', type: 'N' }, index: { name: 'other' } },
        tableKmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1',
      },
    },
  ],
])('takes %s', (_what, given, expected) => {
  expect(planned(given)).toMatchObject(expected);
});

test.each<[string, Case]>([
  [
    '--ttl-attribute: expected gone, on which native TTL is ENABLED, got due. Leave it out',
    { ...native('ENABLED'), wish: { 'ttl-attribute': 'due' } },
  ],
  ['native TTL of Old: expected it on, or off, got DISABLING', native('DISABLING')],
  ['the moment of expiry, got nothing. Write --ttl-attribute NAME: native TTL is off', { items: [] }],
  ['the sample has expiresAt and ttl', { items: [{ ttl: { N: `${NOW}` }, expiresAt: { N: `${NOW}` } }] }],
  ['attribute at: expected one that is no key of Old, got a key', { wish: { 'ttl-attribute': 'at' } }],
  [
    'attribute expiresAt: expected the type N, got S, with which it is a key of the index mine',
    { table: { ...indexed('ACTIVE'), ...typed('S') } },
  ],
  [
    'index expirySecondIndex: expected expiresAt (N), KEYS_ONLY, got id (S), KEYS_ONLY. An index',
    { table: indexed('ACTIVE', 'expirySecondIndex', 'id') },
  ],
  ['index mine: expected it ACTIVE or CREATING, got DELETING', { table: indexed('DELETING') }],
  [
    'index other: expected it ACTIVE, got CREATING. DynamoDB makes one change at a time',
    { table: indexed('CREATING', 'other', 'id') },
  ],
  ['table Old: expected it ACTIVE, got UPDATING', { table: { TableStatus: 'UPDATING' } }],
  ['table Old: expected fewer than 20 global indexes, got 20', { table: { GlobalSecondaryIndexes: twenty } }],
  [
    'table: expected one that can have native TTL, the backstop, got a global table with strong',
    { table: { MultiRegionConsistency: 'STRONG' } },
  ],
])('refuses: %s', (message, given) => {
  expect(planned(given)).toContain(message);
});

const { client } = useLocalDynamoDb();
const documents = DynamoDBDocumentClient.from(client);

async function made(name: string, items: readonly object[]) {
  await client.send(new CreateTableCommand(tableInput({ name, index: null })));
  for (const Item of items) await documents.send(new PutCommand({ TableName: name, Item }));
  return {
    config: configOf({ tableName: name, partitionKey: 'id' }),
    clients: { dynamoDb: client },
    now: () => NOW * 1_000,
  };
}

beforeAll(() => {
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = 'http://127.0.0.1:1';
});
afterAll(() => {
  Reflect.deleteProperty(process.env, 'AWS_ENDPOINT_URL_DYNAMODB');
});

test('from a table that exists to an index and an entry, and nothing the second time', async () => {
  const items = [
    { id: 'live', expires_at: NOW + 3_600 },
    { id: 'gone', expires_at: NOW - 86_400 },
    { id: 'ms', expires_at: NOW * 1_000 },
    { id: 'never' },
  ];
  const around = await made('Adopted', items);
  const dry = await ran(adopt, ['--table', 'Adopted', '--dry-run'], around);
  expect([dry.exit, dry.question]).toEqual([0, undefined]);
  expect(dry.text).toContain('TTL attribute: expires_at, which looks like it. Of all 4 items:');
  expect(dry.text).toContain('  1 item: the TTL is in milliseconds');
  expect(dry.text).toContain('Nothing was changed: this is a dry run.');
  expect(
    (await client.send(new DescribeTableCommand({ TableName: 'Adopted' }))).Table?.GlobalSecondaryIndexes,
  ).toBeUndefined();

  const one = await ran(adopt, ['--table', 'Adopted', '--full'], around);
  expect([one.exit, one.question]).toEqual([
    0,
    'Is expires_at the moment after which an item is to be deleted? Do this then?',
  ]);
  expect(one.data).toMatchObject({
    look: { items: 4, isAll: true, faults: { 'ttl-milliseconds': 1, 'expired-present': 1 } },
    result: { dryRun: false, index: 'built', nativeTtl: 'as it was' },
  });
  expect(one.text).toContain("      ttlAttribute: 'expires_at',");
  expect(one.text).toContain('Note: native TTL stays off: DynamoDB Local would delete at once.');
  expect(one.text).toContain(
    'npx precise-ttl replay --table Adopted --from 2027-01-14T08:00:00Z --to 2027-01-15T08:00:00Z',
  );
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Adopted' }));
  expect(Table?.GlobalSecondaryIndexes).toMatchObject([
    {
      IndexName: 'expirySecondIndex',
      KeySchema: [hash('expires_at')],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ]);
  const { TimeToLiveDescription } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: 'Adopted' }),
  );
  expect(TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');

  const again = await ran(adopt, ['--table', 'Adopted', '--ttl-attribute', 'expires_at', '--yes'], around);
  expect([again.exit, again.question]).toEqual([0, undefined]);
  expect(again.text).toContain('Everything is there: the index expirySecondIndex is ACTIVE.');
});

test('a stop while DynamoDB builds the index tells so', async () => {
  const stop = new AbortController();
  const GlobalSecondaryIndexes: object[] = [];
  const dynamoDb = fakeClient(DynamoDBClient, {
    DescribeTable() {
      if (GlobalSecondaryIndexes.length > 0) stop.abort();
      return { Table: { ...TABLE, GlobalSecondaryIndexes } };
    },
    DescribeTimeToLive: () => ({}),
    Scan: () => ({ Items: ITEMS }),
    UpdateTable: () => ({
      pushed: GlobalSecondaryIndexes.push(indexOf('mine', [], { IndexStatus: 'CREATING' })),
    }),
  });
  const around = { config: configOf({ tableName: 'Old', partitionKey: 'id' }), clients: { dynamoDb } };
  const args = ['--table', 'Old', '--ttl-attribute', 'expiresAt'];
  await expect(ran(adopt, args, { ...around, signal: stop.signal })).rejects.toMatchObject({
    told: expect.stringMatching(/\nUntil here: the index being built, native TTL as it was\.$/),
  });
});

test('refuses the index where a TTL is no Number, and names it', async () => {
  const around = await made('Strings', [
    { id: 'a', ttl: `${NOW}` },
    { id: 'b', ttl: NOW },
  ]);
  await expect(ran(adopt, ['--table', 'Strings'], around)).rejects.toThrow(
    'attribute ttl: expected a Number of epoch seconds where an item has it, got "another type in 1 of 2 items". With the index DynamoDB refuses such writes: mend their writer and them, and run this again. Such as {"id":{"S":"a"}}.',
  );
});

test('asks nobody about a guess only where the attribute is named', async () => {
  const around = await made('Guessed', [{ id: 'a', ttl: NOW }]);
  await expect(ran(adopt, ['--table', 'Guessed', '--yes'], around)).rejects.toThrow(
    '--ttl-attribute: expected it where nobody is asked whether ttl is right',
  );
  const nowhere = { ...around, config: configOf({ tableName: 'Nowhere', partitionKey: 'id' }) };
  await expect(ran(adopt, ['--table', 'Nowhere'], nowhere)).rejects.toThrow(
    '--table: expected one that exists in us-east-1, got "Nowhere"',
  );
});

// DynamoDB Local would delete at once.
testListedActions({ adopt }, 'dynamodb:UpdateTimeToLive');
