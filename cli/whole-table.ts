/** Reading a whole table at a rate that spares it, and what is read: for commands that need every item, or a sample. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { ItemKey } from '../statemachine/contract/keys.ts';
import { isThrottled } from './clients.ts';
import { count, counted, lasting } from './words.ts';

/** An item of the low-level client: `{ ttl: { N: '1700000000' } }`. */
export type StoredItem = Readonly<Record<string, AttributeValue>>;

/** The primary key of an item in DynamoDB's JSON, with bytes in base64. */
export function storedKey(item: StoredItem, names: readonly string[]): ItemKey {
  const inJson = (value?: AttributeValue) =>
    value?.B === undefined ? value : { B: Buffer.from(value.B).toString('base64') };
  return Object.fromEntries(names.map(name => [name, inJson(item[name])])) as ItemKey;
}

/** A clock that can also sleep; that of a test runs faster. */
export interface Pace {
  /** Milliseconds. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
}

export const REAL_PACE: Pace = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Limits the units of all callers together: each waits until those before it are paid off at this rate. */
export class Rate {
  readonly #perSecond: number;
  readonly #pace: Pace;
  #paidOffAt = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, pace: Pace) {
    this.#perSecond = perSecond;
    this.#pace = pace;
  }

  async take(units: number, signal: AbortSignal): Promise<void> {
    const now = this.#pace.now();
    const turn = Math.max(now, this.#paidOffAt);
    this.#paidOffAt = turn + (units / this.#perSecond) * 1_000;
    if (turn > now) await this.#pace.sleep(turn - now, signal);
  }

  /** Corrects the units of a call when its real consumption is known. */
  correct(taken: number, consumed: number): void {
    this.#paidOffAt += ((consumed - taken) / this.#perSecond) * 1_000;
  }
}

/**
 * Works through `tasks` in their order, some at a time. When the signal aborts it resolves, and begins no more; the first error stops
 * the others and is thrown.
 */
export async function inParallel<Task>(
  tasks: readonly Task[],
  atOnce: number,
  work: (task: Task, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const waiting = [...tasks];
  const worker = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined && !either.aborted; task = waiting.shift()) {
      try {
        await work(task, either);
      } catch (error) {
        if (either.aborted) return;
        failed.abort();
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, tasks.length) }, worker));
  const rejected = ends.find(end => end.status === 'rejected');
  if (rejected !== undefined) throw rejected.reason;
}

/** What a table's description says of its size. */
export interface TableSize {
  readonly name: string;
  readonly itemCount: number;
  readonly sizeBytes: number;
  /** Provisioned read units a second; undefined on demand. */
  readonly readUnits: number | undefined;
}

export function sizeOf(table: TableDescription): TableSize {
  const { TableName: name = '', ItemCount: itemCount = 0, TableSizeBytes: sizeBytes = 0 } = table;
  const isOnDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const readUnits = isOnDemand ? undefined : table.ProvisionedThroughput?.ReadCapacityUnits;
  return { name, itemCount, sizeBytes, readUnits };
}

/** Bytes of a read unit of a scan, which is eventually consistent. Source: DynamoDB Developer Guide, "Read consumption". */
const UNIT_BYTES = 8_192;
const USUAL_ITEM_BYTES = 1_024;
const ON_DEMAND_UNITS = 500;
/** Of the read units of a provisioned table. */
const SPARING_PART = 1 / 4;

export const itemBytesOf = ({ itemCount, sizeBytes }: TableSize): number =>
  itemCount > 0 ? sizeBytes / itemCount : USUAL_ITEM_BYTES;

/** Read units of a scan of the whole table. */
export const unitsOfScan = ({ sizeBytes }: Pick<TableSize, 'sizeBytes'>): number =>
  Math.ceil(sizeBytes / UNIT_BYTES);

export const unitsOfItem = (table: TableSize): number => itemBytesOf(table) / UNIT_BYTES;

/** Read units a second that spare the table. */
export const sparingRate = ({ readUnits }: Pick<TableSize, 'readUnits'>): number =>
  readUnits === undefined ? ON_DEMAND_UNITS : Math.max(1, Math.floor(readUnits * SPARING_PART));

export interface ScanProgress {
  readonly items: number;
  readonly readUnits: number;
  /** Pages that DynamoDB throttled, and that were read again. */
  readonly throttled: number;
}

export interface ScanOptions {
  readonly unitsPerSecond: number;
  /** Reads the entries of this index. @default the items of the table */
  readonly indexName?: string;
  /** Ends the scan; the pages that were read count. */
  readonly signal: AbortSignal;
  /** The next page of the segment is read when it resolves. */
  readonly onPage: (items: readonly StoredItem[], signal: AbortSignal) => unknown;
  readonly onProgress?: (progress: ScanProgress) => void;
  /** @default the real clock */
  readonly pace?: Pace | undefined;
}

const SEGMENTS = 4;
const FIRST_PAGE_ITEMS = 100;
const MAX_PAGE_ITEMS = 100_000;
/** Attempts in a row at a page, beside the SDK's own. */
const ATTEMPTS = 12;
const MAX_BACKOFF_MS = 30_000;

/** Reads every item of a table once, in parallel segments, each about a page a second. */
export async function scanTable(
  client: DynamoDBClient,
  table: TableSize,
  { unitsPerSecond, indexName, signal, onPage, onProgress, pace = REAL_PACE }: ScanOptions,
): Promise<ScanProgress> {
  const rate = new Rate(unitsPerSecond, pace);
  const sum = { items: 0, readUnits: 0, throttled: 0 };
  const unitsEach = () => (sum.items > 0 ? sum.readUnits / sum.items : unitsOfItem(table));

  const page = async (Segment: number, Limit: number, from: StoredItem | undefined, stop: AbortSignal) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const input = {
          TableName: table.name,
          IndexName: indexName,
          Segment,
          TotalSegments: SEGMENTS,
          Limit,
        };
        const start = from && { ExclusiveStartKey: from };
        return await client.send(new ScanCommand({ ...input, ...start, ReturnConsumedCapacity: 'TOTAL' }), {
          abortSignal: stop,
        });
      } catch (error) {
        if (!isThrottled(error) || attempt === ATTEMPTS) throw error;
        sum.throttled += 1;
        onProgress?.(sum);
        await pace.sleep(Math.min(MAX_BACKOFF_MS, 500 * 2 ** attempt), stop);
      }
    }
  };

  const readSegment = async (segment: number, stop: AbortSignal): Promise<void> => {
    let next: StoredItem | undefined;
    let limit = FIRST_PAGE_ITEMS;
    do {
      const taken = limit * unitsEach();
      await rate.take(taken, stop);
      const { Items = [], ConsumedCapacity, LastEvaluatedKey } = await page(segment, limit, next, stop);
      const consumed = ConsumedCapacity?.CapacityUnits ?? taken;
      rate.correct(taken, consumed);
      sum.items += Items.length;
      sum.readUnits += consumed;
      await onPage(Items, stop);
      onProgress?.(sum);
      next = LastEvaluatedKey;
      // If the first items are small, later ones may not be.
      const fits = Math.max(1, Math.floor(unitsPerSecond / SEGMENTS / unitsEach()));
      limit = Math.min(MAX_PAGE_ITEMS, 2 * limit, fits);
    } while (next !== undefined);
  };

  await inParallel(
    Array.from({ length: SEGMENTS }, (_unused, segment) => segment),
    SEGMENTS,
    readSegment,
    signal,
  );
  return sum;
}

/** A line for the work on all items of a table: how far, how fast, how long still. @param sinceMs milliseconds of work */
export function scanLine(
  { itemCount }: TableSize,
  { items, throttled }: Omit<ScanProgress, 'readUnits'>,
  sinceMs: number,
  done = '',
): string {
  const all = Math.max(itemCount, items);
  const seconds = sinceMs / 1_000;
  const left = items > 0 && seconds >= 1 ? (seconds / items) * (all - items) : 0;
  return [
    `${Math.floor((items / Math.max(1, all)) * 100)} %`,
    `${count(items)} of about ${counted(all, 'item')} read`,
    ...(done === '' ? [] : [done]),
    ...(left > 0 ? [`about ${lasting(left)} left`] : []),
    ...(throttled > 0 ? [`throttled ${counted(throttled, 'time')}`] : []),
  ].join('  ');
}
