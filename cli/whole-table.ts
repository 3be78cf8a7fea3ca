import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ScanCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { sideBySide } from '../functions/plan-sweep/probe.ts';
import type { ItemKey } from '../statemachine/contract/keys.ts';
import { isThrottled, noneIfMissing } from './clients.ts';
import { count, counted, lasting } from './dashboard/words.ts';

/** An item as the low-level client returns it, such as `{ ttl: { N: '1700000000' } }`. */
export type StoredItem = Readonly<Record<string, AttributeValue>>;

export function storedKey(item: StoredItem, names: readonly string[]): ItemKey {
  const inJson = (value?: AttributeValue) =>
    value?.B === undefined ? value : { B: Buffer.from(value.B).toString('base64') };
  return Object.fromEntries(names.map(name => [name, inJson(item[name])])) as ItemKey;
}

export interface Pace {
  /** Milliseconds since any fixed moment. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
}

const REAL_PACE: Pace = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Maximum number of attempts for a request. Within each of them, the SDK makes attempts, too. */
const ATTEMPTS = 10;
const MAX_BACKOFF_MS = 30_000;

export class Rate {
  readonly perSecond: number;
  readonly #pace: Pace;
  #paidOffAt = Number.NEGATIVE_INFINITY;
  busy = 0;

  constructor(perSecond: number, pace = REAL_PACE) {
    this.perSecond = perSecond;
    this.#pace = pace;
  }

  /** Waits until `perSecond` allows the units of the earlier calls. This call's `units` delay only later calls. */
  async take(units: number, signal: AbortSignal): Promise<void> {
    const now = this.#pace.now();
    const turn = Math.max(now, this.#paidOffAt);
    this.#paidOffAt = turn + (units / this.perSecond) * 1_000;
    if (turn > now) await this.#pace.sleep(turn - now, signal);
  }

  /** Repeats a request while DynamoDB is too busy, after growing random waits. @throws any other error, or that of the tenth attempt */
  async patiently<Is>(
    call: () => Promise<Is>,
    signal: AbortSignal,
    isBusy: (error: unknown) => boolean = isThrottled,
  ): Promise<Is> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (signal.aborted || attempt === ATTEMPTS || !isBusy(error)) throw error;
        this.busy += 1;
        await this.#pace.sleep(Math.random() * Math.min(MAX_BACKOFF_MS, 250 * 2 ** attempt), signal);
      }
    }
  }
}

/**
 * Begins `tasks` in order. After `signal` aborts, none begins and the function resolves. A task's error aborts the others and is thrown.
 */
export async function inParallel<Task>(
  tasks: readonly Task[],
  atOnce: number,
  work: (task: Task, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  await sideBySide(tasks, atOnce, async task => {
    if (either.aborted) return;
    await work(task, either).catch((error: unknown) => {
      if (!either.aborted) failed.abort(error);
    });
  });
  failed.signal.throwIfAborted();
}

export const describeTable = (client: DynamoDBClient, TableName: string) =>
  noneIfMissing(async () => (await client.send(new DescribeTableCommand({ TableName }))).Table);

export const namesOf = (schema: readonly KeySchemaElement[] = []): string[] =>
  ['HASH', 'RANGE'].flatMap(kind =>
    schema.filter(({ KeyType }) => KeyType === kind).map(({ AttributeName = '' }) => AttributeName),
  );

export const typesOf =
  ({ AttributeDefinitions = [] }: TableDescription) =>
  (name: string | undefined) =>
    AttributeDefinitions.find(each => each.AttributeName === name)?.AttributeType;

/** Bytes that an eventually consistent scan reads for one read unit. Source: DynamoDB Developer Guide, "Read consumption". */
const UNIT_BYTES = 8_192;
const USUAL_ITEM_BYTES = 1_024;
const ON_DEMAND_UNITS = 500;
const SPARING_PART = 1 / 4;

/** Sizes of a table. `units`: read units that its scan takes. `readUnits`: provisioned units per second, undefined on demand. */
export function sizeOf(table: TableDescription) {
  const { TableName: name = '', ItemCount: itemCount = 0, TableSizeBytes: bytes = 0 } = table;
  const isOnDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const readUnits = isOnDemand ? undefined : table.ProvisionedThroughput?.ReadCapacityUnits;
  return {
    ...{ name, itemCount, readUnits, units: Math.ceil(bytes / UNIT_BYTES) },
    unitsOfItem: (itemCount > 0 ? bytes / itemCount : USUAL_ITEM_BYTES) / UNIT_BYTES,
    sparingRate:
      readUnits === undefined ? ON_DEMAND_UNITS : Math.max(1, Math.floor(readUnits * SPARING_PART)),
  };
}

/** A sample has at most 1,000 items: the first items of each segment of the table. After 500 read units no further segment is read. */
const SAMPLE = { segments: 8, itemsOfSegment: 125, mostUnits: 500 } as const;

export async function sampleTable(client: DynamoDBClient, TableName: string, signal: AbortSignal) {
  const items: StoredItem[] = [];
  let [isAll, units, Segment] = [true, 0, 0];
  for (; Segment < SAMPLE.segments && units < SAMPLE.mostUnits; Segment += 1) {
    const part = { Segment, TotalSegments: SAMPLE.segments, Limit: SAMPLE.itemsOfSegment };
    const scan = new ScanCommand({ TableName, ...part, ReturnConsumedCapacity: 'TOTAL' });
    const {
      Items = [],
      ConsumedCapacity,
      LastEvaluatedKey,
    } = await client.send(scan, { abortSignal: signal });
    items.push(...Items);
    units += ConsumedCapacity?.CapacityUnits ?? 0;
    isAll &&= LastEvaluatedKey === undefined;
  }
  return { items, isAll: isAll && Segment === SAMPLE.segments };
}

interface ScanOptions {
  readonly rate: Rate;
  readonly indexName?: string;
  readonly signal: AbortSignal;
  readonly onPage: (items: readonly StoredItem[], signal: AbortSignal) => unknown;
  readonly show?: (line: string) => void;
  /** Returns what `onPage` has done so far, and how many of its calls DynamoDB was too busy for. @default `show` gets only reads */
  readonly work?: () => { readonly done: string; readonly busy: number };
}

const SEGMENTS = 4;
const MAX_PAGE_ITEMS = 100_000;

/** Reads a table or an index in parallel segments, with the units per second of `rate`. @returns how many items were read */
export async function scanTable(
  client: DynamoDBClient,
  { name, unitsOfItem, itemCount }: Pick<ReturnType<typeof sizeOf>, 'name' | 'unitsOfItem' | 'itemCount'>,
  { rate, indexName, signal, onPage, show, work }: ScanOptions,
): Promise<number> {
  let read = 0;
  const began = performance.now();
  const fits = Math.max(1, Math.floor(rate.perSecond / SEGMENTS / unitsOfItem));
  const part = { TotalSegments: SEGMENTS, Limit: Math.min(MAX_PAGE_ITEMS, fits) };
  const readSegment = async (Segment: number, stop: AbortSignal): Promise<void> => {
    let from: StoredItem | undefined;
    do {
      const scan = new ScanCommand({
        ...{ TableName: name, IndexName: indexName, Segment, ...part, ReturnConsumedCapacity: 'TOTAL' },
        ...(from && { ExclusiveStartKey: from }),
      });
      const page = await rate.patiently(() => client.send(scan, { abortSignal: stop }), stop);
      read += page.Items?.length ?? 0;
      await onPage(page.Items ?? [], stop);
      const { done, busy = 0 } = work?.() ?? {};
      show?.(scanLine(itemCount, read, performance.now() - began, rate.busy + busy, done));
      from = page.LastEvaluatedKey;
      await rate.take(page.ConsumedCapacity?.CapacityUnits ?? part.Limit * unitsOfItem, stop);
    } while (from !== undefined);
  };
  await inParallel([...Array(SEGMENTS).keys()], SEGMENTS, readSegment, signal);
  return read;
}

/**
 * @param sinceMs milliseconds since the scan began
 * @param busy number of repeated calls
 */
export function scanLine(itemCount: number, items: number, sinceMs: number, busy: number, done = ''): string {
  const all = Math.max(itemCount, items);
  const seconds = sinceMs / 1_000;
  const left = items > 0 && seconds >= 1 ? (seconds / items) * (all - items) : 0;
  return [
    `${Math.floor((items / Math.max(1, all)) * 100)} %`,
    `${count(items)} of about ${counted(all, 'item')} read`,
    ...(done === '' ? [] : [done]),
    ...(left > 0 ? [`about ${lasting(left)} left`] : []),
    ...(busy > 0 ? [`tried again ${counted(busy, 'time')}, DynamoDB was busy`] : []),
  ].join('  ');
}
