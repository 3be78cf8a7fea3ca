import { BatchWriteItemCommand, CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { adoptClients } from '../../cli/adopt/clients.ts';
import { type AdoptJobOptions, adopt } from '../../cli/adopt/job.ts';
import type { StoredItem } from '../../cli/table/sample.ts';

export type AdoptChanges = Partial<Omit<AdoptJobOptions, 'clients'>>;

export interface AdoptRun {
  /** Of a DynamoDB Local. */
  readonly endpoint: string;
  /** A home without a configuration of AWS. */
  readonly folder: string;
  readonly tableName: string;
  readonly options?: AdoptChanges;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the job believes its requests to go. @default where they go */
  readonly reached?: string | undefined;
}

export interface Adopted {
  readonly end: string;
  readonly printed: string;
  readonly shown: readonly string[];
}

/** Runs the job of `adopt` against DynamoDB Local, or against what stands before it. It sets the environment of the process. */
export async function runAdoptJob({
  endpoint,
  folder,
  tableName,
  options = {},
  environment = {},
  reached,
}: AdoptRun): Promise<Adopted> {
  const variables = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_REGION: 'us-east-1', ...environment };
  // The SDK itself reads the process's environment.
  process.env = { HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', ...variables };
  const printed: string[] = [];
  const shown: string[] = [];
  const clients = adoptClients('us-east-1', variables);
  try {
    const end = await adopt({
      tableName,
      ttlAttribute: 'ttl',
      indexedBy: 'second',
      indexName: undefined,
      indexReadUnits: undefined,
      indexWriteUnits: undefined,
      full: false,
      dryRun: false,
      clients: reached === undefined ? clients : { ...clients, endpoint: () => new URL(reached) },
      resultFile: undefined,
      ask: undefined,
      print: text => printed.push(text),
      show: line => shown.push(line),
      pollMs: 5,
      signal: new AbortController().signal,
      now: Date.now,
      ...options,
    });
    return { end, printed: printed.join('\n'), shown };
  } finally {
    clients.dynamoDb.destroy();
  }
}

/** A table with the keys `id` (String) and `part` (Binary), and items in it. @returns its name */
export async function makeTableWithParts(
  client: DynamoDBClient,
  TableName: string,
  items: readonly StoredItem[],
): Promise<string> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'id', KeyType: 'HASH' },
        { AttributeName: 'part', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'S' },
        { AttributeName: 'part', AttributeType: 'B' },
      ],
    }),
  );
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_unused, n) =>
    items.slice(n * 25, n * 25 + 25).map(Item => ({ PutRequest: { Item: { ...Item } } })),
  );
  for (let from = 0; from < batches.length; from += 10) {
    await Promise.all(
      batches
        .slice(from, from + 10)
        .map(batch => client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: batch } }))),
    );
  }
  return TableName;
}
