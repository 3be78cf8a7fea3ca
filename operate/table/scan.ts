import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { isThrottled } from '../aws/throttled.ts';
import { inParallel } from '../in-parallel.ts';
import { permitted } from './permitted.ts';
import { type Pace, Rate } from './rate.ts';
import type { StoredItem } from './sample.ts';
import type { ScanProgress } from './scan-progress.ts';

/** Bytes of half a read unit: a scan reads eventually consistent. Source: DynamoDB Developer Guide, "Read consumption". */
const UNIT_BYTES = 4096 * 2;

/** Size of an item of which nothing is known, bytes. */
const USUAL_ITEM_BYTES = 1024;

/** A page has 1 MB, so these are more than fit. */
const MAX_PAGE_ITEMS = 100_000;

/** The first page has up to twice as many. */
const FIRST_PAGE_ITEMS = 50;

export const REAL_PACE: Pace = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

export interface ScanOptions {
  readonly tableName: string;
  /** For the message when the scan is not allowed. */
  readonly tableArn: string;
  /** Parts of the table that are read at the same time. */
  readonly segments: number;
  /** Rate of all segments together. */
  readonly readUnitsPerSecond: number;
  /** Average bytes of an item; 0: not known. */
  readonly itemBytes: number;
  /** Ends the scan; what was read by then counts. */
  readonly signal: AbortSignal;
  /** Called for each item, in the order of the page; the next page of its segment is read when it is through with all of them. */
  readonly onItem?: (item: StoredItem) => void;
  /** The same, for each page as a whole. */
  readonly onPage?: (items: readonly StoredItem[], signal: AbortSignal) => Promise<void>;
  /** Called after each page, with the sums until then. */
  readonly onProgress?: (progress: ScanProgress) => void;
  /** @default the time itself */
  readonly pace?: Pace;
}

/** So often in a row a page is tried again that DynamoDB throttles, each time after the SDK has done so. */
const THROTTLED_ATTEMPTS = 12;
const MAX_BACKOFF_MS = 30_000;

/**
 * Reads every item of a table once, in several segments at the same time, and not faster than the rate. Pages are small enough
 * that each segment reads about one a second. A segment whose page is throttled waits and goes on at that page, for some minutes.
 * Other errors are those of the SDK.
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
  // Small items at the beginning say little of those that follow.
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
