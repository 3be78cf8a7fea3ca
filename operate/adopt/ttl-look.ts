import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sweptRange } from '../../functions/child/swept-range.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import { storedKey } from '../table/key-text.ts';
import { classifyTtl, type StoredItem, TTL_KINDS, type TtlCounts, type TtlKind } from '../table/sample.ts';
import { scanTable, type TableScan, wholeTable } from '../table/scan.ts';

/** An item whose TTL is not a Number. */
export interface NoNumber {
  readonly key: ItemKey;
  readonly value: AttributeValue;
}

/** Findings about the TTLs of a table. */
export interface TtlLook {
  /** Items that were read. */
  readonly items: number;
  /** Whether these are all items of the table. */
  readonly complete: boolean;
  /** The whole table was scanned, and not only a sample. */
  readonly isFull: boolean;
  readonly values: TtlCounts;
  /** Expired items that a sweep may delete. */
  readonly expired: number;
  /** The earliest expiry of `expired`, epoch seconds; undefined when there is none. */
  readonly oldest: number | undefined;
  /** The first items whose TTL is not a Number. */
  readonly noNumbers: readonly NoNumber[];
  /** First keys for each kind of faulty TTL. */
  readonly keys: Readonly<Partial<Record<TtlKind, readonly ItemKey[]>>>;
}

/** Keys that are listed for each kind. */
const KEPT_KEYS = 5;
/** Kinds of TTLs whose keys are not listed: they are correct or missing. */
const NOTHING_TO_NAME: readonly TtlKind[] = ['seconds', 'missing'];

/** Counts the TTLs of items and lists a few keys, so that the memory does not grow with the table. */
export class TtlTally {
  readonly #ttlAttribute: string;
  readonly #keyNames: readonly string[];
  readonly #now: number;
  readonly #values = Object.fromEntries(TTL_KINDS.map(kind => [kind, 0])) as Record<TtlKind, number>;
  readonly #noNumbers: NoNumber[] = [];
  readonly #keys: Partial<Record<TtlKind, ItemKey[]>> = {};
  #items = 0;
  #expired = 0;
  #oldest: number | undefined;

  /** @param now epoch seconds */
  constructor(ttlAttribute: string, keyNames: readonly string[], now: number) {
    this.#ttlAttribute = ttlAttribute;
    this.#keyNames = keyNames;
    this.#now = now;
  }

  add(item: StoredItem): void {
    this.#items += 1;
    const value = item[this.#ttlAttribute];
    const kind = classifyTtl(value, this.#now);
    this.#values[kind] += 1;
    this.#name(kind, item, value);
    const ttl = sweptTtl(item, this.#ttlAttribute, this.#now);
    if (ttl === undefined) return;
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
      oldest: this.#oldest,
      noNumbers: this.#noNumbers,
      keys: this.#keys,
    };
  }
}

/** The TTL of an item that a sweep would delete now, epoch seconds; undefined for other items. */
export function sweptTtl(item: StoredItem, ttlAttribute: string, now: number): number | undefined {
  const { after, upTo } = sweptRange(now, {});
  const ttl = Number(item[ttlAttribute]?.N);
  return ttl > after && ttl <= upTo ? ttl : undefined;
}

/**
 * Reads every item of a table and checks its TTL.
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
