import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../in-parallel.ts';
import { permitted } from '../table/permitted.ts';
import type { StoredItem } from '../table/sample.ts';
import { type Pace, ReadRate } from './read-rate.ts';

/** Bytes of half a read unit: a scan reads eventually consistent. Source: DynamoDB Developer Guide, "Read consumption". */
const UNIT_BYTES = 4096 * 2;

/** Size of an item of which nothing is known, bytes. */
const USUAL_ITEM_BYTES = 1024;

/** A page has 1 MB, so these are more than fit. */
const MAX_PAGE_ITEMS = 100_000;

/** The first page has up to twice as many. */
const FIRST_PAGE_ITEMS = 50;

const REAL_PACE: Pace = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

export interface ScanOptions {
  readonly tableName: string;
  /** For the message when the scan is not allowed. */
  readonly tableArn: string;
  /** Parts of the table that are read at the same time. */
  readonly segments: number;
  /** Of all segments together. */
  readonly readUnitsPerSecond: number;
  /** What an item has on average, as far as one knows; 0: nothing is known. */
  readonly itemBytes: number;
  /** Ends the scan; what was read by then counts. */
  readonly signal: AbortSignal;
  readonly onItem: (item: StoredItem) => void;
  /** Called after each page, with the sums until then. */
  readonly onProgress?: (progress: ScanProgress) => void;
  /** @default the time itself */
  readonly pace?: Pace;
}

export interface ScanProgress {
  readonly items: number;
  readonly readUnits: number;
}

/**
 * Reads every item of a table once, in several segments at the same time, and not faster than the rate. Pages are small enough
 * that each segment reads about one a second. Other errors are those of the SDK.
 *
 * @throws {MissingPermissionError}
 */
export async function scanTable(client: DynamoDBClient, options: ScanOptions): Promise<ScanProgress> {
  const { tableName, tableArn, segments, readUnitsPerSecond, signal, onItem, onProgress } = options;
  const rate = new ReadRate(readUnitsPerSecond, options.pace ?? REAL_PACE);
  let items = 0;
  let readUnits = 0;
  const unitsPerItem = () =>
    items > 0 ? readUnits / items : (options.itemBytes || USUAL_ITEM_BYTES) / UNIT_BYTES;
  // Small items at the beginning say little of those that follow.
  const pageItems = (last: number) =>
    Math.min(
      MAX_PAGE_ITEMS,
      2 * last,
      Math.max(1, Math.floor(readUnitsPerSecond / segments / unitsPerItem())),
    );

  const readSegment = async (Segment: number, stop: AbortSignal): Promise<void> => {
    let Limit = FIRST_PAGE_ITEMS;
    let next: Record<string, AttributeValue> | undefined;
    do {
      Limit = pageItems(Limit);
      const taken = Limit * unitsPerItem();
      await rate.take(taken, stop);
      const page = await permitted('dynamodb:Scan', tableArn, () =>
        client.send(
          new ScanCommand({
            TableName: tableName,
            Segment,
            TotalSegments: segments,
            Limit,
            ReturnConsumedCapacity: 'TOTAL',
            ...(next && { ExclusiveStartKey: next }),
          }),
          { abortSignal: stop },
        ),
      );
      const consumed = page.ConsumedCapacity?.CapacityUnits ?? taken;
      rate.correct(taken, consumed);
      items += page.Items?.length ?? 0;
      readUnits += consumed;
      for (const item of page.Items ?? []) onItem(item);
      onProgress?.({ items, readUnits });
      next = page.LastEvaluatedKey;
    } while (next !== undefined);
  };

  await inParallel(
    Array.from({ length: segments }, (_unused, segment) => segment),
    segments,
    readSegment,
    signal,
  );
  return { items, readUnits };
}
