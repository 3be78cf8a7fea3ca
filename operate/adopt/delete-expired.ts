import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ExpiryModel } from '../../expiry/model.ts';
import { guardedBatch } from '../../functions/delete-chunk/delete-guarded.ts';
import {
  addDeletions,
  type Deletion,
  deleteKeys,
  NO_DELETION,
} from '../../functions/delete-chunk/deletion.ts';
import { answeredAt, keepDates } from '../../functions/table/dynamodb.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import { storedKey } from '../table/key-text.ts';
import { permitted } from '../table/permitted.ts';
import { type Pace, Rate } from '../table/rate.ts';
import { REAL_PACE, scanTable } from '../table/scan.ts';
import { type ExpiryRule, isHeldItem, sweptTtl, type TableScan, wholeTable } from './ttl-look.ts';

/** So often a delete is tried that DynamoDB is too busy for. */
const ATTEMPTS = 10;
const MAX_BACKOFF_MS = 20_000;

export interface DeleteExpiredOptions extends TableScan {
  readonly model: ExpiryModel;
  readonly rule: ExpiryRule;
  readonly deletesPerSecond: number;
  /** Called after each batch. */
  readonly onDeletion: (sum: Deletion) => void;
  /** @default the time itself */
  readonly pace?: Pace;
}

/**
 * Reads the table, and deletes each item that is expired, with the statement of the sweep: one that was renewed meanwhile, or is held,
 * stays. What is expired is decided by DynamoDB's clock at the beginning.
 *
 * @returns what became of the items until the end, or until the signal; `unprocessed`: DynamoDB was too busy
 * @throws {MissingPermissionError}, or the SDK's error
 */
export async function deleteExpired(
  client: DynamoDBClient,
  table: DescribedTable,
  { model, rule, deletesPerSecond, onDeletion, pace = REAL_PACE, ...scan }: DeleteExpiredOptions,
): Promise<Deletion> {
  const now = await dynamoDbSeconds(client, table.name);
  const rate = new Rate(deletesPerSecond, pace);
  const { graceSeconds, holdAttribute } = rule;
  const settings = {
    tableName: table.name,
    model,
    graceSeconds,
    ...(holdAttribute !== undefined && { holdAttribute }),
  };
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
  const send = guardedBatch(documents, settings, now - graceSeconds, () => Date.now() - graceSeconds * 1000);
  const names = keyAttributeNames(model);
  let sum = NO_DELETION;

  const deleteBatch = async (keys: readonly ExpiredKey[], stop: AbortSignal): Promise<void> => {
    let left = keys;
    for (let attempt = 1; left.length > 0; attempt += 1) {
      await rate.take(left.length, stop);
      const tried = await permitted('dynamodb:PartiQLDelete', table.arn, () => deleteKeys(left, send));
      left = tried.unprocessed;
      const isLast = attempt === ATTEMPTS;
      sum = addDeletions(sum, isLast ? tried : { ...tried, unprocessed: [] });
      onDeletion(sum);
      if (isLast) return;
      if (left.length > 0) await pace.sleep(Math.min(MAX_BACKOFF_MS, 250 * 2 ** attempt), stop);
    }
  };

  await scanTable(client, {
    ...wholeTable(table, scan),
    async onPage(items, stop) {
      const expired = items.flatMap((item): ExpiredKey[] => {
        const ttl = sweptTtl(item, rule, now);
        return ttl === undefined || isHeldItem(item, rule) ? [] : [{ key: storedKey(item, names), ttl }];
      });
      for (let from = 0; from < expired.length; from += CHUNK_KEYS)
        await deleteBatch(expired.slice(from, from + CHUNK_KEYS), stop);
    },
  });
  return sum;
}

/** DynamoDB's clock: that of this machine may be ahead, and what it takes for expired would be deleted early. */
async function dynamoDbSeconds(client: DynamoDBClient, tableName: string): Promise<number> {
  keepDates(client);
  const answer = await client.send(new DescribeTableCommand({ TableName: tableName }));
  return answeredAt(answer) ?? Math.floor(Date.now() / 1000);
}
