import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  type StreamViewType,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { LocalCloudError } from '../errors.ts';
import type { Found } from '../stack/arguments.ts';

const ACTIVE_TIMEOUT_MS = 30_000;

/**
 * Creates the table if it is missing. Native TTL stays off: DynamoDB Local would delete expired items before the sweep does.
 * @throws {LocalCloudError}, for example for an existing table with other keys
 */
export async function ensureTable(client: DynamoDBClient, table: TableResource): Promise<void> {
  const wanted = createTableInput(table);
  let created = true;
  try {
    await client.send(new CreateTableCommand(wanted));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    created = false;
  }
  const differences = compareTables(wanted, await untilActive(client, table.name));
  if (created || differences.length === 0) return;
  throw new LocalCloudError(
    `${table.address}: the endpoint already has a different table "${table.name}":\n` +
      `${differences.map(difference => `  - ${difference}`).join('\n')}\n` +
      `npx precise-ttl adopt --table ${table.name} adds a missing index; else correct the configuration, delete that table, or unset ` +
      'AWS_ENDPOINT_URL_DYNAMODB',
  );
}

/** The input of CreateTable, without settings that DynamoDB Local ignores, and without deletion protection: users may delete the table. */
function createTableInput(table: TableResource): CreateTableCommandInput & { TableName: string } {
  return {
    TableName: table.name,
    KeySchema: keySchema(table),
    AttributeDefinitions: Object.entries(table.attributes).map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    BillingMode: 'PAY_PER_REQUEST',
    ...(table.globalIndexes.length > 0
      ? { GlobalSecondaryIndexes: table.globalIndexes.map(indexInput) }
      : {}),
    ...(table.localIndexes.length > 0 ? { LocalSecondaryIndexes: table.localIndexes.map(indexInput) } : {}),
    ...(table.stream ? { StreamSpecification: { StreamEnabled: true, StreamViewType: table.stream } } : {}),
  };
}

function keySchema(keys: { hashKey: string; rangeKey?: string }): KeySchemaElement[] {
  const schema: KeySchemaElement[] = [{ AttributeName: keys.hashKey, KeyType: 'HASH' }];
  if (keys.rangeKey) schema.push({ AttributeName: keys.rangeKey, KeyType: 'RANGE' });
  return schema;
}

function indexInput(index: TableIndex) {
  return {
    IndexName: index.name,
    KeySchema: keySchema(index),
    Projection: {
      ProjectionType: index.projection,
      ...(index.nonKeyAttributes.length > 0 ? { NonKeyAttributes: [...index.nonKeyAttributes] } : {}),
    },
  };
}

async function untilActive(client: DynamoDBClient, name: string): Promise<TableDescription> {
  const deadline = Date.now() + ACTIVE_TIMEOUT_MS;
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const states = [Table?.TableStatus, ...(Table?.GlobalSecondaryIndexes ?? []).map(i => i.IndexStatus)];
    if (Table && states.every(state => state === 'ACTIVE')) return Table;
    if (Date.now() > deadline) {
      throw new LocalCloudError(
        `table "${name}": expected ACTIVE within ${ACTIVE_TIMEOUT_MS / 1000} s, got ${states.join(', ')}`,
      );
    }
    await sleep(50);
  }
}

type Described = Pick<
  TableDescription,
  'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes' | 'LocalSecondaryIndexes'
>;

function featuresOf({ KeySchema, AttributeDefinitions, ...indexes }: Described): Map<string, string> {
  const keys = (schema: KeySchemaElement[] = []) =>
    schema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ');
  const { GlobalSecondaryIndexes: global = [], LocalSecondaryIndexes: local = [] } = indexes;
  return new Map([
    ['keys', keys(KeySchema)],
    ...(AttributeDefinitions ?? []).map(
      ({ AttributeName, AttributeType }) => [`type of ${AttributeName}`, `${AttributeType}`] as const,
    ),
    ...[...global, ...local].map(({ IndexName, KeySchema: schema, Projection }) => {
      const others = [...(Projection?.NonKeyAttributes ?? [])].sort().join(' ');
      return [
        `index ${IndexName}`,
        `${keys(schema)}, ${Projection?.ProjectionType} ${others}`.trim(),
      ] as const;
    }),
  ]);
}

function compareTables(wanted: CreateTableCommandInput, found: TableDescription): string[] {
  const got = featuresOf(found);
  return [...featuresOf(wanted as Described)]
    .filter(([name, expected]) => got.get(name) !== expected)
    .map(([name, expected]) => `${name}: expected ${expected}, got ${got.get(name) ?? 'none'}`);
}

export async function enableStream(
  client: DynamoDBClient,
  tableName: string,
  view: StreamViewType = 'OLD_IMAGE',
): Promise<string> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  if (Table?.StreamSpecification?.StreamEnabled) return Table.LatestStreamArn ?? '';
  await client.send(
    new UpdateTableCommand({
      TableName: tableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: view },
    }),
  );
  return (await untilActive(client, tableName)).LatestStreamArn ?? '';
}

export type KeyType = 'S' | 'N' | 'B';

export interface TableIndex {
  readonly name: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes: readonly string[];
}

export interface TableResource extends Found {
  readonly name: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly attributes: Readonly<Record<string, KeyType>>;
  readonly globalIndexes: readonly TableIndex[];
  readonly localIndexes: readonly TableIndex[];
  readonly stream?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
}
