import { BatchWriteItemCommand, CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type AdoptWish, planAdopt } from '../../cli/adopt/job.ts';
import type { Session } from '../../cli/operation.ts';
import { type Clients, clientsOf } from '../../operate/aws/clients.ts';
import type { StoredItem } from '../../operate/table/sample.ts';
import { carriedOut, sessionOf } from './session.ts';

export type AdoptChanges = Partial<AdoptWish & Pick<Session, 'ask' | 'dryRun' | 'signal' | 'show'>> & {
  readonly resultFile?: string;
};

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
  const clients = clientsOf('us-east-1', variables, { first: 'DYNAMODB' });
  const { ask, dryRun = false, signal = new AbortController().signal, show, resultFile, ...wish } = options;
  const place = reached === undefined ? clients : elsewhere(clients, reached);
  const session = sessionOf({}, { ask, dryRun, signal, clients: place });
  const shown: string[] = [];
  const showing = {
    ...session,
    show(line: string) {
      shown.push(line);
      show?.(line);
    },
  };
  const wanted = {
    ...{ tableName, ttlAttribute: 'ttl', indexedBy: 'second' as const, full: false },
    ...{ indexName: undefined, indexReadUnits: undefined, indexWriteUnits: undefined },
    ...{ pollMs: 5, now: Date.now },
    ...wish,
  };
  try {
    const plan = await planAdopt(wanted, showing);
    const told = plan && (await carriedOut(plan, showing, resultFile));
    return { end: told?.end ?? 'declined', printed: session.printed.join('\n'), shown };
  } finally {
    clients.destroy();
  }
}

/** Clients whose requests seem to go somewhere else. */
function elsewhere(clients: Clients, where: string): Clients {
  return Object.create(clients, { where: { value: () => where }, isLocal: { value: () => false } });
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
