import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeDefinition,
  type DynamoDBClient,
  type KeySchemaElement,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { permitted } from '../aws/errors.ts';
import { AdoptError } from '../errors.ts';
import type { DescribedIndex, DescribedTable } from '../table/describe-table.ts';
import type { IndexPlan } from './index-plan.ts';

/**
 * Asks DynamoDB to build the index. Other errors are the SDK's.
 *
 * @throws {MissingPermissionError}
 */
export async function createIndex(
  client: DynamoDBClient,
  table: DescribedTable,
  index: IndexPlan,
): Promise<void> {
  await permitted('dynamodb:UpdateTable', table.arn, () =>
    client.send(new UpdateTableCommand(updateTableInput(table, index))),
  );
}

/** The request that adds the index and changes nothing else. */
export function updateTableInput(
  { name, attributeTypes }: Pick<DescribedTable, 'name' | 'attributeTypes'>,
  index: IndexPlan,
): UpdateTableCommandInput {
  const { partitionKeys, sortKeys, throughput } = index;
  const types = {
    ...attributeTypes,
    ...Object.fromEntries([...partitionKeys, ...sortKeys].map(key => [key.name, key.type])),
  };
  const key = (KeyType: KeySchemaElement['KeyType']) => (attribute: { readonly name: string }) => ({
    AttributeName: attribute.name,
    KeyType,
  });
  return {
    TableName: name,
    AttributeDefinitions: Object.entries(types).map(
      ([AttributeName, AttributeType]): AttributeDefinition => ({ AttributeName, AttributeType }),
    ),
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName: index.name,
          KeySchema: [...partitionKeys.map(key('HASH')), ...sortKeys.map(key('RANGE'))],
          Projection: { ProjectionType: 'KEYS_ONLY' },
          ...(throughput && {
            ProvisionedThroughput: {
              ReadCapacityUnits: throughput.readUnits,
              WriteCapacityUnits: throughput.writeUnits,
            },
          }),
        },
      },
    ],
  };
}

/**
 * Turns native TTL on. Other errors are the SDK's.
 *
 * @throws {MissingPermissionError}
 */
export async function enableNativeTtl(
  client: DynamoDBClient,
  { name, arn }: DescribedTable,
  attribute: string,
): Promise<void> {
  await permitted('dynamodb:UpdateTimeToLive', arn, () =>
    client.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: { Enabled: true, AttributeName: attribute },
      }),
    ),
  );
}

/** An index that is being built. */
export interface Building {
  readonly name: string;
  readonly backfilling: boolean;
  readonly elapsedMs: number;
  /** The built part of the index, 0 to 1; undefined if it is not known. */
  readonly part: number | undefined;
}

export interface BuildWatch {
  readonly indexName: string;
  /** Describes the index; undefined when the table has none with that name. */
  readonly describe: () => Promise<DescribedIndex | undefined>;
  /** The built part, as in {@link Building}. */
  readonly progress: () => Promise<number | undefined>;
  readonly onPoll: (building: Building) => void;
  /** Milliseconds between two requests. */
  readonly pollMs: number;
  /** Ends the wait; DynamoDB continues to build the index. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Milliseconds for which a new index may be missing in DescribeTable, which is eventually consistent. */
const UNSEEN_MS = 60_000;

/**
 * Waits until DynamoDB has built an index: until it is ACTIVE and contains all items that were in the table before.
 *
 * @returns whether it is built; false when the signal aborted first
 * @throws {AdoptError} when the index is deleted; any error of `describe`
 */
export async function untilBuilt({
  indexName,
  describe,
  progress,
  onPoll,
  pollMs,
  signal,
  now,
}: BuildWatch): Promise<boolean> {
  const since = now();
  let seen = false;
  while (!signal.aborted) {
    const index = await describe();
    seen ||= index !== undefined;
    const gone = index === undefined && (seen || now() - since > UNSEEN_MS);
    if (gone || index?.status === 'DELETING') {
      throw new AdoptError(
        `index ${indexName}: expected it to become ACTIVE, got ${index?.status ?? 'no such index any more'}; somebody deleted it ` +
          'while it was being built: run this again',
      );
    }
    if (index?.status === 'ACTIVE' && !index.backfilling) return true;
    const backfilling = index?.backfilling ?? false;
    onPoll({ name: indexName, backfilling, elapsedMs: now() - since, part: await progress() });
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
  return false;
}
