import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { isThrottled } from '../aws/throttled.ts';
import { inParallel } from '../in-parallel.ts';
import { permitted } from './permitted.ts';
import { type Pace, Rate } from './rate.ts';
import type { StoredItem } from './sample.ts';
import type { ScanProgress } from './scan-progress.ts';

/** Bytes of half a read unit: a scan reads with eventual consistency. Source: DynamoDB Developer Guide, "Read consumption". */
const UNIT_BYTES = 4096 * 2;

/** Assumed bytes of an item if the average is not known. */
const USUAL_ITEM_BYTES = 1024;

/** More items than fit into a page of 1 MB. */
const MAX_PAGE_ITEMS = 100_000;

/** Half of the most items on the first page: a page can have up to twice as many as the one before. */
const FIRST_PAGE_ITEMS = 50;

export const REAL_PACE: Pace = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

export interface ScanOptions {
  readonly tableName: string;
  /** Used in the message when the scan is not allowed. */
  readonly tableArn: string;
  /** Segments of the table that are read in parallel. */
  readonly segments: number;
  /** Read rate of all segments together. */
  readonly readUnitsPerSecond: number;
  /** Average bytes of an item; 0 if not known. */
  readonly itemBytes: number;
  /** Ends the scan; the pages that were read count. */
  readonly signal: AbortSignal;
  /** Called for each item of a page, in order. The next page of the segment is read after the call for the last item. */
  readonly onItem?: (item: StoredItem) => void;
  /** Called for each page; the next page of the segment is read after it resolves. */
  readonly onPage?: (items: readonly StoredItem[], signal: AbortSignal) => Promise<void>;
  /** Called after each page, with the totals so far. */
  readonly onProgress?: (progress: ScanProgress) => void;
  /** @default the real clock */
  readonly pace?: Pace;
}

/** Attempts in a row at a page that DynamoDB throttles, in addition to the SDK's own retries. */
const THROTTLED_ATTEMPTS = 12;
const MAX_BACKOFF_MS = 30_000;

/**
 * Reads every item of a table once, in parallel segments, at a limited rate. Pages are so small that each segment reads about one
 * per second. If a page is throttled, its segment waits and tries that page again, for some minutes. Other errors are the SDK's.
 *
 * @throws {MissingPermissionError}
 */
export async function scanTable(client: DynamoDBClient, options: ScanOptions): Promise<ScanProgress> {
  const { tableName, tableArn, segments, readUnitsPerSecond, signal, onItem, onPage, onProgress } = options;
  const pace = options.pace ?? REAL_PACE;
  const rate = new Rate(readUnitsPerSecond, pace);
  let items = 0;
  let readUnits = 0;
  let throttled = 0;
  const unitsPerItem = () =>
    items > 0 ? readUnits / items : (options.itemBytes || USUAL_ITEM_BYTES) / UNIT_BYTES;
  // If the first items are small, later ones may not be: so a page is at most twice as large as the one before.
  const pageItems = (last: number) =>
    Math.min(
      MAX_PAGE_ITEMS,
      2 * last,
      Math.max(1, Math.floor(readUnitsPerSecond / segments / unitsPerItem())),
    );

  const untilNotThrottled = async <Page>(stop: AbortSignal, read: () => Promise<Page>): Promise<Page> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read();
      } catch (error) {
        if (!isThrottled(error) || attempt === THROTTLED_ATTEMPTS) throw error;
        throttled += 1;
        onProgress?.({ items, readUnits, throttled });
        await pace.sleep(Math.min(MAX_BACKOFF_MS, 500 * 2 ** attempt), stop);
      }
    }
  };

  const readSegment = async (Segment: number, stop: AbortSignal): Promise<void> => {
    let Limit = FIRST_PAGE_ITEMS;
    let next: Record<string, AttributeValue> | undefined;
    do {
      Limit = pageItems(Limit);
      const taken = Limit * unitsPerItem();
      await rate.take(taken, stop);
      const page = await untilNotThrottled(stop, () =>
        permitted('dynamodb:Scan', tableArn, () =>
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
        ),
      );
      const consumed = page.ConsumedCapacity?.CapacityUnits ?? taken;
      rate.correct(taken, consumed);
      items += page.Items?.length ?? 0;
      readUnits += consumed;
      if (onItem !== undefined) for (const item of page.Items ?? []) onItem(item);
      await onPage?.(page.Items ?? [], stop);
      onProgress?.({ items, readUnits, throttled });
      next = page.LastEvaluatedKey;
    } while (next !== undefined);
  };

  await inParallel(
    Array.from({ length: segments }, (_unused, segment) => segment),
    segments,
    readSegment,
    signal,
  );
  return { items, readUnits, throttled };
}
