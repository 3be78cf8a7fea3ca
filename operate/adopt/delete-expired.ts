import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ExpiryModel } from '../../expiry/model.ts';
import {
  addDeletions,
  type Deletion,
  deleteKeys,
  guardedBatch,
  NO_DELETION,
} from '../../functions/delete-chunk/deletion.ts';
import { answeredAt, keepDates } from '../../functions/table/dynamodb.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import { permitted } from '../aws/errors.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import { storedKey } from '../table/key-text.ts';
import {
  type Pace,
  Rate,
  REAL_PACE,
  scanTable,
  sparingRate,
  type TableScan,
  wholeTable,
} from '../table/scan.ts';
import type { AdoptionPlan } from './plan.ts';
import type { Reading } from './reading.ts';
import { sweptTtl } from './ttl.ts';

/** Delete rate that the question suggests: a twentieth of the 4,000 write units a second of a new on-demand table. */
export const DELETES_PER_SECOND = 200;

/** Read units for a scan of the whole table. Source: DynamoDB Developer Guide, half a unit for each 4 KB of a scan. */
export const readUnitsOf = ({ sizeBytes }: Reading['table']): number => Math.ceil(sizeBytes / 8192);

/** The deletes for items that expired before the adoption. */
export interface ExpiredBefore {
  readonly count: number;
  /** The number is estimated from a sample. */
  readonly isEstimate: boolean;
  /** Epoch seconds. */
  readonly oldest: number | undefined;
  readonly seconds: number;
}

export function expiredBefore(
  { look }: AdoptionPlan,
  { table }: Pick<Reading, 'table'>,
  deletesPerSecond: number,
): ExpiredBefore {
  const items = look.complete
    ? look.expired
    : Math.round((Math.max(table.itemCount, look.items) * look.expired) / Math.max(1, look.items));
  const readUnits = readUnitsOf(table);
  return {
    count: items,
    isEstimate: !look.complete,
    oldest: look.oldest,
    seconds: Math.max(items / deletesPerSecond, readUnits / sparingRate(table)),
  };
}

/** Attempts at a delete that DynamoDB throttles. */
const ATTEMPTS = 10;
const MAX_BACKOFF_MS = 20_000;

export interface DeleteExpiredOptions extends TableScan {
  readonly model: ExpiryModel;
  readonly ttlAttribute: string;
  readonly deletesPerSecond: number;
  /** Called after each batch. */
  readonly onDeletion: (sum: Deletion) => void;
  /** @default the real clock */
  readonly pace?: Pace;
}

/**
 * Reads the table and deletes every expired item with the sweep's condition: an item that was renewed meanwhile stays. DynamoDB's clock at the beginning decides what has expired.
 *
 * @returns the counts until the end, or until the signal; `unprocessed` counts throttled deletes
 * @throws {MissingPermissionError}, or the SDK's error
 */
export async function deleteExpired(
  client: DynamoDBClient,
  table: DescribedTable,
  { model, ttlAttribute, deletesPerSecond, onDeletion, pace = REAL_PACE, ...scan }: DeleteExpiredOptions,
): Promise<Deletion> {
  const now = await dynamoDbSeconds(client, table.name);
  const rate = new Rate(deletesPerSecond, pace);
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
  const send = guardedBatch(documents, { tableName: table.name, model }, now, Date.now);
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
        const ttl = sweptTtl(item, ttlAttribute, now);
        return ttl === undefined ? [] : [{ key: storedKey(item, names), ttl }];
      });
      for (let from = 0; from < expired.length; from += CHUNK_KEYS)
        await deleteBatch(expired.slice(from, from + CHUNK_KEYS), stop);
    },
  });
  return sum;
}

/** Reads DynamoDB's clock: the clock of this machine may be ahead, and items would be deleted early. */
async function dynamoDbSeconds(client: DynamoDBClient, tableName: string): Promise<number> {
  keepDates(client);
  const answer = await client.send(new DescribeTableCommand({ TableName: tableName }));
  return answeredAt(answer) ?? Math.floor(Date.now() / 1000);
}
