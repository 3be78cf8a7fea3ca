import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';
import type { JournalTable } from '../../functions/journal/read-state.ts';
import type { DeleteMode, SweepSettings } from '../../functions/runtime/environment.ts';
import type { Runtime } from '../../functions/runtime/runtime.ts';
import { createDocuments, type Documents } from '../../functions/table/dynamodb.ts';
import type { KeyType } from '../../stacks/config/props.ts';
import { settingsOf } from './configs.ts';
import { tableInput } from './table-input.ts';

interface ExpiringTableOptions extends Partial<ExpiryModelProps> {
  readonly partitionKeyType?: KeyType;
  readonly sortKeyType?: KeyType;
  readonly deleteMode?: DeleteMode;
}

let tables = 0;

/** A table on DynamoDB Local with its expiry index, and what the functions need to sweep it. */
export async function createExpiringTable(
  client: DynamoDBClient,
  { partitionKeyType = 'S', sortKeyType = 'S', deleteMode = 'guarded', ...model }: ExpiringTableOptions = {},
) {
  tables += 1;
  const settings: SweepSettings = {
    ...settingsOf({
      ...{ tableName: `table-${tables}`, partitionKey: 'id' },
      deleteMode,
      precision: 'minute',
    }),
    model: expiryModel({ partitionKey: 'id', ...model }),
  };
  const { partitionKey, sortKey, windowAttribute, ttlAttribute } = settings.model;
  const types = {
    ...{ [partitionKey]: partitionKeyType, [ttlAttribute]: 'N' as const },
    ...(sortKey && { [sortKey]: sortKeyType }),
  };
  const keys = [partitionKey, ...(sortKey ? [sortKey] : [])];
  const index = { name: settings.indexName, keys: [windowAttribute ?? '', ttlAttribute] };
  await client.send(new CreateTableCommand(tableInput({ name: settings.tableName, keys, types, index })));
  // The client that is deployed: what it makes of keys must not differ from what is tested.
  const { endpoint, region, credentials } = client.config;
  const connection = { region, credentials, ...(endpoint && { endpoint }) };
  const documents = createDocuments({ maxAttempts: 1 }, connection);
  return {
    settings,
    documents,
    runtime: runtimeOf(settings, documents),
    put: (items: readonly Record<string, unknown>[]) => putAll(documents, settings.tableName, items),
    /** Everything that is in the table. */
    scan: () => scanAll(documents, settings.tableName),
  };
}

/** A handler's runtime that logs nothing, sleeps not at all and waits for half of what it might. */
export function runtimeOf(settings: SweepSettings, documents: Documents): Runtime {
  const quiet = () => undefined;
  const logger = { info: quiet, warn: quiet, error: quiet };
  return { settings, documents, logger, clock: Date.now, random: () => 0.5, sleep: async () => undefined };
}

export async function putAll(
  documents: DynamoDBDocumentClient,
  table: string,
  items: readonly Record<string, unknown>[],
): Promise<void> {
  for (let start = 0; start < items.length; start += 25) {
    const requests = items.slice(start, start + 25).map(Item => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
  }
}

export async function scanAll(client: DynamoDBDocumentClient, TableName: string) {
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...Items);
  return items;
}

let journals = 0;

/** An empty journal on DynamoDB Local, by a client like that of the functions. */
export async function createJournal(client: DynamoDBClient, deployment?: string): Promise<JournalTable> {
  journals += 1;
  const tableName = journalName(deployment ?? `deployment-${journals}`);
  const keys = Object.values(JOURNAL_KEYS);
  await client.send(new CreateTableCommand(tableInput({ name: tableName, keys, index: null })));
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
  return { documents, tableName };
}
