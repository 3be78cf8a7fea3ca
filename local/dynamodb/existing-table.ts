import {
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { TableMismatchError } from '../errors.ts';
import { awsCommand, type ExistingTable, type TableResource } from './table.ts';
import { compareTables, createTableInput, ensureTable } from './tables.ts';

export interface ExistingTableOptions {
  /** Endpoint of the table, for the command that creates a missing one. */
  readonly endpoint: string;
  /** Schema that the deployment would create. */
  readonly asMade: TableResource;
  /** Whether a missing table is created. */
  readonly make: boolean;
}

/**
 * Checks and uses a table that the stack only refers to. Like Terraform, it accepts additional indexes and attributes, and refuses a table
 * without the sweep's index.
 * @throws {TableMismatchError} that names the difference; if the table or its index is missing, also the command that creates it
 */
export async function useExistingTable(
  client: DynamoDBClient,
  table: ExistingTable,
  { endpoint, asMade, make }: ExistingTableOptions,
): Promise<void> {
  const found = await describe(client, table.name);
  if (found === undefined && make) {
    await ensureTable(client, asMade);
    return;
  }
  const place = { endpoint, region: table.region };
  const wanted = createTableInput(asMade);
  if (found === undefined) {
    throw new TableMismatchError(
      `${table.address}: expected the existing table "${table.name}" at ${endpoint}, got none; the configuration says that it is ` +
        `there already (existingTable: true). Create it, with its index:\n\n  ${awsCommand('create-table', wanted, place)}\n`,
    );
  }
  const keysAlone = { ...asMade, attributes: attributesOf(asMade, [asMade]), globalIndexes: [] };
  refuseDifferences(table, keysAlone, found, endpoint);
  const indexes = asMade.globalIndexes;
  const missing = indexes.find(({ name }) => !found.GlobalSecondaryIndexes?.some(i => i.IndexName === name));
  if (missing === undefined) return refuseDifferences(table, asMade, found, endpoint);
  const command = awsCommand(
    'update-table',
    {
      TableName: table.name,
      AttributeDefinitions: createTableInput({ ...asMade, attributes: attributesOf(asMade, [missing]) })
        .AttributeDefinitions,
      GlobalSecondaryIndexUpdates: wanted.GlobalSecondaryIndexes?.filter(
        ({ IndexName }) => IndexName === missing.name,
      ).map(Create => ({ Create })),
    },
    place,
  );
  throw new TableMismatchError(
    `${table.address}: expected the index "${missing.name}" of the existing table "${table.name}" at ${endpoint}, got none; ` +
      `the sweep finds expired items by it. Add it:\n\n  ${command}\n`,
  );
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** The types of the keys of a table or an index. */
function attributesOf(
  { attributes }: TableResource,
  keyed: readonly { readonly hashKey: string; readonly rangeKey?: string }[],
): TableResource['attributes'] {
  const keys = keyed.flatMap(({ hashKey, rangeKey }) => [hashKey, rangeKey]);
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => keys.includes(name)));
}

/** Refuses a table that differs from the wanted one. Additional indexes and attributes are allowed. */
function refuseDifferences(
  table: ExistingTable,
  wanted: TableResource,
  found: TableDescription,
  endpoint: string,
): void {
  const differences = compareTables(createTableInput(wanted), {
    ...found,
    AttributeDefinitions: found.AttributeDefinitions?.filter(({ AttributeName = '' }) =>
      Object.hasOwn(wanted.attributes, AttributeName),
    ),
    GlobalSecondaryIndexes: found.GlobalSecondaryIndexes?.filter(({ IndexName }) =>
      wanted.globalIndexes.some(({ name }) => name === IndexName),
    ),
    LocalSecondaryIndexes: undefined,
  });
  if (differences.length === 0) return;
  throw new TableMismatchError(
    `${table.address}: the existing table "${table.name}" at ${endpoint} is not as the configuration says:\n` +
      `${differences.map(difference => `  - ${difference}`).join('\n')}\n` +
      'correct the configuration; keys cannot be changed, so for another index give index.name another value',
  );
}
