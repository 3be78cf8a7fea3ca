import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type Projection,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDbLocalError, TableMismatchError } from '../errors.ts';
import type { ExistingTable, TableIndex, TableResource } from './table.ts';

/** Time in which a table must become ACTIVE, milliseconds. */
const ACTIVE_TIMEOUT_MS = 30_000;

/**
 * Makes a synthesized table with its indexes, or uses the existing one when it has the same keys and indexes.
 *
 * Native TTL stays off whatever the resource says: DynamoDB Local's own TTL deletes within seconds, so the
 * sweep would find nothing to delete.
 *
 * @returns whether the table was made (`false`: it was there)
 * @throws {TableMismatchError} when a different table has that name
 */
export async function ensureTable(client: DynamoDBClient, table: TableResource): Promise<boolean> {
  const wanted = createTableInput(table);
  let created = true;
  try {
    await client.send(new CreateTableCommand(wanted));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    created = false;
  }
  const found = await untilActive(client, table.name);
  if (!created) {
    const differences = compareTables(wanted, found);
    if (differences.length > 0) {
      throw new TableMismatchError(
        `${table.address}: the endpoint already has a different table "${table.name}":\n` +
          `${differences.map(d => `  - ${d}`).join('\n')}\n` +
          'delete that table, use another endpoint, or unset AWS_ENDPOINT_URL_DYNAMODB',
      );
    }
  }
  return created;
}

/**
 * Checks that a table which the stack only refers to exists.
 * @throws {TableMismatchError} saying which table to make
 */
export async function requireTable(client: DynamoDBClient, table: ExistingTable): Promise<void> {
  try {
    await client.send(new DescribeTableCommand({ TableName: table.name }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new TableMismatchError(
      `${table.address}: expected the existing table "${table.name}" at the DynamoDB endpoint, got none; the configuration ` +
        'says the table exists already, so create it there (with its index) and set AWS_ENDPOINT_URL_DYNAMODB',
    );
  }
}

/**
 * Builds the CreateTable request for a synthesized table. It leaves out settings that DynamoDB Local accepts and ignores: capacity, table
 * class, encryption and recovery; and deletion protection, because a local table may be deleted.
 */
export function createTableInput(table: TableResource): CreateTableCommandInput & { TableName: string } {
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

/** Resolves when a table and its indexes can be used. */
export async function untilActive(client: DynamoDBClient, name: string): Promise<TableDescription> {
  const deadline = Date.now() + ACTIVE_TIMEOUT_MS;
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const states = [Table?.TableStatus, ...(Table?.GlobalSecondaryIndexes ?? []).map(i => i.IndexStatus)];
    if (Table && states.every(state => state === 'ACTIVE')) return Table;
    if (Date.now() > deadline) {
      throw new DynamoDbLocalError(
        `table "${name}": expected ACTIVE within ${ACTIVE_TIMEOUT_MS / 1000} s, got ${states.join(', ')}`,
      );
    }
    await sleep(50);
  }
}

/** Compares the keys and indexes of the wanted and the existing table. */
export function compareTables(wanted: CreateTableCommandInput, found: TableDescription): string[] {
  const differences: string[] = [];
  const compare = (what: string, expected: string, got: string): void => {
    if (expected !== got) differences.push(`${what}: expected ${expected}, got ${got}`);
  };
  const types = (definitions: TableDescription['AttributeDefinitions']) =>
    (definitions ?? []).map(({ AttributeName: name, AttributeType: type }) => `${name} ${type}`);
  const keys = (schema: KeySchemaElement[] | undefined) =>
    (schema ?? []).map(key => `${key.AttributeName} ${key.KeyType}`).join(', ');
  compare('keys', keys(wanted.KeySchema), keys(found.KeySchema));
  compare(
    'key types',
    types(wanted.AttributeDefinitions).sort().join(', '),
    types(found.AttributeDefinitions).sort().join(', '),
  );
  const indexes = (
    list:
      | readonly {
          IndexName?: string | undefined;
          KeySchema?: KeySchemaElement[] | undefined;
          Projection?: Projection | undefined;
        }[]
      | undefined,
  ) =>
    new Map(
      (list ?? []).map(i => {
        const extra = [...(i.Projection?.NonKeyAttributes ?? [])].sort().join(' ');
        return [i.IndexName, `${keys(i.KeySchema)}, ${i.Projection?.ProjectionType} ${extra}`.trim()];
      }),
    );
  for (const [kind, expected, got] of [
    ['global index', indexes(wanted.GlobalSecondaryIndexes), indexes(found.GlobalSecondaryIndexes)],
    ['local index', indexes(wanted.LocalSecondaryIndexes), indexes(found.LocalSecondaryIndexes)],
  ] as const) {
    for (const name of new Set([...expected.keys(), ...got.keys()])) {
      compare(`${kind} ${name}`, expected.get(name) ?? 'none', got.get(name) ?? 'none');
    }
  }
  return differences;
}

/**
 * Returns the table with old images in its stream: like {@link enableStream}, for a table that is created with a stream without old
 * images.
 */
export function withOldImages(table: TableResource): TableResource {
  if (table.stream === undefined) return table;
  const hasNewImages = table.stream === 'NEW_IMAGE' || table.stream === 'NEW_AND_OLD_IMAGES';
  return { ...table, stream: hasNewImages ? 'NEW_AND_OLD_IMAGES' : 'OLD_IMAGE' };
}

/**
 * Gives a table a stream with old images, so that deletions can be observed. Used only locally: the synthesized stack does not contain it,
 * and an existing stream is not changed.
 */
export async function enableStream(client: DynamoDBClient, tableName: string): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  if (Table?.StreamSpecification?.StreamEnabled) return;
  await client.send(
    new UpdateTableCommand({
      TableName: tableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' },
    }),
  );
  await untilActive(client, tableName);
}
