import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { isThrottled, permitted } from '../aws/errors.ts';
import type { ScanProgress } from '../options.ts';
import { inParallel } from '../time-limit.ts';
import type { DescribedTable } from './describe-table.ts';
import type { StoredItem } from './sample.ts';

/** A clock that can also sleep; the clock of a test runs faster. */
export interface Pace {
  /** Epoch milliseconds. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Limits the rate of reads or deletes for all callers together. Each caller waits until the units of earlier calls are paid off at
 * this rate. So the units used in a period exceed its limit by at most the last call.
 */
export class Rate {
  readonly #unitsPerSecond: number;
  readonly #pace: Pace;
  #paidOffAt = Number.NEGATIVE_INFINITY;

  constructor(unitsPerSecond: number, pace: Pace) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#pace = pace;
  }

  /** Waits until the call may be made. @param units the expected consumption of the call */
  async take(units: number, signal: AbortSignal): Promise<void> {
    const now = this.#pace.now();
    const turn = Math.max(now, this.#paidOffAt);
    this.#paidOffAt = turn + this.#millisecondsOf(units);
    if (turn > now) await this.#pace.sleep(turn - now, signal);
  }

  /** Corrects the units of a call when its real consumption is known. */
  correct(taken: number, consumed: number): void {
    this.#paidOffAt += this.#millisecondsOf(consumed - taken);
  }

  #millisecondsOf(units: number): number {
    return (units / this.#unitsPerSecond) * 1000;
  }
}

/** Bytes of one read unit, with eventual consistency as in a scan. Source: DynamoDB Developer Guide, "Read consumption". */
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
  /** Reads the entries of this index. @default the items of the table */
  readonly indexName?: string;
  /** ARN of the table, or of the index: used in the message when the scan is not allowed. */
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
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
  /** @default the real clock */
  readonly pace?: Pace;
}

/** Segments of the table that are read in parallel. */
const SEGMENTS = 4;

/** Read units per second for the scan of an on-demand table. */
const ON_DEMAND_RATE = 500;
/** The share of a provisioned table's read units that a scan uses. */
const PROVISIONED_PART = 1 / 4;

/** Read rate, in units per second, that spares the table. */
export function sparingRate({ throughput }: Pick<DescribedTable, 'throughput'>): number {
  return throughput ? Math.max(1, Math.floor(throughput.readUnits * PROVISIONED_PART)) : ON_DEMAND_RATE;
}

export type TableScan = Pick<ScanOptions, 'readUnitsPerSecond' | 'signal' | 'onProgress'>;

/** The options for a scan of the whole table. */
export function wholeTable(
  { name, arn, itemCount, sizeBytes }: Pick<DescribedTable, 'name' | 'arn' | 'itemCount' | 'sizeBytes'>,
  scan: TableScan,
): ScanOptions {
  const itemBytes = itemCount > 0 ? sizeBytes / itemCount : 0;
  return { ...scan, tableName: name, tableArn: arn, segments: SEGMENTS, itemBytes };
}

/** Attempts in a row at a page that DynamoDB throttles, in addition to the SDK's own retries. */
const THROTTLED_ATTEMPTS = 12;
const MAX_BACKOFF_MS = 30_000;

/**
 * Reads every item of a table, or every entry of an index, once, in parallel segments, at a limited rate. Pages are so small that each segment reads about one
 * per second. If a page is throttled, its segment waits and tries that page again, for some minutes. Other errors are the SDK's.
 *
 * @throws {MissingPermissionError}
 */
export async function scanTable(client: DynamoDBClient, options: ScanOptions): Promise<ScanProgress> {
  const { tableName, indexName, tableArn, segments, readUnitsPerSecond, signal, onItem, onPage, onProgress } =
    options;
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
              ...(indexName !== undefined && { IndexName: indexName }),
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
