import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sweptRange } from '../../functions/child/swept-range.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import { storedKey } from '../table/key-text.ts';
import { classifyTtl, type StoredItem, TTL_KINDS, type TtlCounts, type TtlKind } from '../table/sample.ts';
import { scanTable } from '../table/scan.ts';
import type { ScanProgress } from '../table/scan-progress.ts';

/** The rule by which an adoption knows whether an item is expired. */
export interface ExpiryRule {
  readonly ttlAttribute: string;
  readonly holdAttribute: string | undefined;
  readonly graceSeconds: number;
}

/** An item whose TTL is no Number. */
export interface NoNumber {
  readonly key: ItemKey;
  readonly value: AttributeValue;
}

/** The TTLs that were seen in a table. */
export interface TtlLook {
  /** Items that were looked at. */
  readonly items: number;
  /** These are all items of the table. */
  readonly complete: boolean;
  /** They were looked at as a whole, and not as a sample. */
  readonly isFull: boolean;
  readonly values: TtlCounts;
  /** Items that are expired, and that a sweep may delete. */
  readonly expired: number;
  /** Items that would be among these, and are held. */
  readonly held: number;
  /** The earliest expiry of `expired`, epoch seconds; undefined when there is none. */
  readonly oldest: number | undefined;
  /** The first of those whose TTL is no Number. */
  readonly noNumbers: readonly NoNumber[];
  /** By kind, the first keys of the TTLs that nothing understands as meant. */
  readonly keys: Readonly<Partial<Record<TtlKind, readonly ItemKey[]>>>;
}

/** Keys that are kept of each kind. */
const KEPT_KEYS = 5;
/** A TTL of these kinds is found in its second, or is none. */
const NOTHING_TO_NAME: readonly TtlKind[] = ['seconds', 'missing'];

/** Adds up the TTLs of items: counts and some keys, so that a table of any size fits. */
export class TtlTally {
  readonly #rule: ExpiryRule;
  readonly #keyNames: readonly string[];
  readonly #now: number;
  readonly #values = Object.fromEntries(TTL_KINDS.map(kind => [kind, 0])) as Record<TtlKind, number>;
  readonly #noNumbers: NoNumber[] = [];
  readonly #keys: Partial<Record<TtlKind, ItemKey[]>> = {};
  #items = 0;
  #expired = 0;
  #held = 0;
  #oldest: number | undefined;

  /** @param now epoch seconds */
  constructor(rule: ExpiryRule, keyNames: readonly string[], now: number) {
    this.#rule = rule;
    this.#keyNames = keyNames;
    this.#now = now;
  }

  add(item: StoredItem): void {
    this.#items += 1;
    const value = item[this.#rule.ttlAttribute];
    const kind = classifyTtl(value, this.#now);
    this.#values[kind] += 1;
    this.#name(kind, item, value);
    const ttl = sweptTtl(item, this.#rule, this.#now);
    if (ttl === undefined) return;
    if (isHeldItem(item, this.#rule)) {
      this.#held += 1;
      return;
    }
    this.#expired += 1;
    this.#oldest = Math.min(this.#oldest ?? ttl, ttl);
  }

  #name(kind: TtlKind, item: StoredItem, value: AttributeValue | undefined): void {
    if (NOTHING_TO_NAME.includes(kind)) return;
    this.#keys[kind] ??= [];
    if (this.#keys[kind].length === KEPT_KEYS) return;
    const key = storedKey(item, this.#keyNames);
    this.#keys[kind].push(key);
    if (value !== undefined && (kind === 'string' || kind === 'otherType'))
      this.#noNumbers.push({ key, value });
  }

  look(complete: boolean, isFull: boolean): TtlLook {
    return {
      items: this.#items,
      complete,
      isFull,
      values: { ...this.#values },
      expired: this.#expired,
      held: this.#held,
      oldest: this.#oldest,
      noNumbers: this.#noNumbers,
      keys: this.#keys,
    };
  }
}

/** The TTL of an item that a sweep would delete now, held or not, epoch seconds; undefined for any other item. */
export function sweptTtl(item: StoredItem, rule: ExpiryRule, now: number): number | undefined {
  const { after, upTo } = sweptRange(now - rule.graceSeconds, rule);
  const ttl = Number(item[rule.ttlAttribute]?.N);
  return ttl > after && ttl <= upTo ? ttl : undefined;
}

export function isHeldItem(item: StoredItem, { holdAttribute }: ExpiryRule): boolean {
  return holdAttribute !== undefined && item[holdAttribute] !== undefined;
}

/** Parts of the table that are read at the same time, by the full look and by the deletion. */
const SEGMENTS = 4;

/** Read units a second by which a table is read that is on demand. */
const ON_DEMAND_RATE = 500;
/** The part of a provisioned table's read units by which it is read. */
const PROVISIONED_PART = 1 / 4;

/** Read units a second that spare the table. */
export function sparingRate({ throughput }: Pick<DescribedTable, 'throughput'>): number {
  return throughput ? Math.max(1, Math.floor(throughput.readUnits * PROVISIONED_PART)) : ON_DEMAND_RATE;
}

export interface TableScan {
  readonly readUnitsPerSecond: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ScanProgress) => void;
}

/** How adopt reads a table as a whole. */
export function wholeTable(
  { name, arn, itemCount, sizeBytes }: DescribedTable,
  { readUnitsPerSecond, signal, onProgress }: TableScan,
): Parameters<typeof scanTable>[1] {
  return {
    tableName: name,
    tableArn: arn,
    segments: SEGMENTS,
    readUnitsPerSecond,
    itemBytes: itemCount > 0 ? sizeBytes / itemCount : 0,
    signal,
    onProgress,
  };
}

/**
 * Looks at every item of a table.
 *
 * @throws {MissingPermissionError}, the SDK's error, or an `AbortError` when it was interrupted
 */
export async function lookAtAll(
  client: DynamoDBClient,
  table: DescribedTable,
  tally: TtlTally,
  scan: TableScan,
): Promise<TtlLook> {
  await scanTable(client, { ...wholeTable(table, scan), onItem: item => tally.add(item) });
  scan.signal.throwIfAborted();
  return tally.look(true, true);
}
