import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { toEpochSeconds, ttlFault } from '../../expiry/ttl.ts';
import { sweptRange } from '../../functions/child/swept-range.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { quoted } from '../command-line.ts';
import { CannotAdoptError } from '../errors.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import { storedKey } from '../table/key-text.ts';
import {
  classifyTtl,
  type StoredItem,
  TTL_KINDS,
  type TtlCounts,
  type TtlKind,
  ttlCandidates,
} from '../table/sample.ts';
import { scanTable, type TableScan, wholeTable } from '../table/scan.ts';
import type { Reading, Wish } from './reading.ts';

/** An item whose TTL is not a Number. */
interface NoNumber {
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

/** The TTL attribute, and the source that named it. */
export interface TtlChoice {
  readonly attribute: string;
  readonly from: 'flag' | 'nativeTtl' | 'sample';
}

const SAY_IT = 'say which one it is';

/**
 * Chooses the TTL attribute: the option; else that of native TTL; else the attribute of the sample that looks like one. The user
 * has to confirm the last one, because native TTL deletes by it.
 *
 * @throws {CannotAdoptError} when there is none or more than one, and when native TTL has another one or is being turned off
 */
export function chooseTtlAttribute({ table, sample, now }: Reading, wish: Wish): TtlChoice {
  const { status, attribute: native } = table.ttl;
  const wanted = wish.ttlAttribute;
  if (native !== undefined && status !== 'DISABLED') {
    if (wanted !== undefined && wanted !== native) {
      throw new CannotAdoptError(
        'ttlAttribute',
        `expected ${native}, which native TTL of ${table.name} is on (${status}), got ${wanted}; a table has one ` +
          `native TTL. Leave it out to adopt ${native}; or turn native TTL off, wait until it is DISABLED, and run this again`,
      );
    }
    if (status === 'DISABLING') {
      throw new CannotAdoptError(
        `native TTL of ${table.name}`,
        'expected it on, or off, got DISABLING; DynamoDB takes up to an hour for it: run this again ' +
          'when it is DISABLED',
      );
    }
    return { attribute: native, from: wanted === undefined ? 'nativeTtl' : 'flag' };
  }
  if (wanted !== undefined) return { attribute: wanted, from: 'flag' };
  const keys = [table.partitionKey.name, table.sortKey?.name];
  const names = ttlCandidates(sample.items, now)
    .map(({ attribute }) => attribute)
    .filter(name => !keys.includes(name));
  const [found, other] = names;
  if (found === undefined) {
    throw new CannotAdoptError(
      'ttlAttribute',
      `expected the attribute with the moment of expiry, got none: native TTL of ${table.name} is off, and none ` +
        `of ${sample.items.length} sampled items has an epoch under a name such as ttl or expiresAt; ${SAY_IT}`,
    );
  }
  if (other !== undefined) {
    throw new CannotAdoptError(
      'ttlAttribute',
      `expected the attribute with the moment of expiry, got none, and the sample has ${names.join(' and ')}; ${SAY_IT}`,
    );
  }
  return { attribute: found, from: 'sample' };
}

/**
 * The AWS CLI command that converts a TTL to a Number, or removes it if its value contains no time. The command does nothing if
 * meanwhile a text has another value, or another value has another type.
 *
 * @param now epoch seconds
 */
export function correction(
  tableName: string,
  ttlAttribute: string,
  { key, value }: NoNumber,
  now: number,
): string {
  const seconds = secondsIn(value, now);
  const isText = value.S !== undefined;
  const values = {
    ...(seconds !== undefined && { ':new': { N: String(seconds) } }),
    ':old': { S: isText ? value.S : (Object.keys(value)[0] ?? '') },
  };
  const args = [
    ...['--table-name', tableName, '--key', JSON.stringify(key)],
    ...['--update-expression', seconds === undefined ? 'REMOVE #ttl' : 'SET #ttl = :new'],
    ...['--condition-expression', isText ? '#ttl = :old' : 'attribute_type(#ttl, :old)'],
    ...['--expression-attribute-names', JSON.stringify({ '#ttl': ttlAttribute })],
    ...['--expression-attribute-values', JSON.stringify(values)],
  ];
  return `aws dynamodb update-item ${quoted(args)}`;
}

/** Reads the time from a TTL that is not a Number: seconds or milliseconds as text, or an ISO-8601 date with a zone. */
function secondsIn({ S: text = '' }: AttributeValue, now: number): number | undefined {
  const seconds = /^\d+(\.\d+)?$/.test(text)
    ? secondsOfNumber(Number(text), now)
    : /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(text)
      ? toEpochSeconds(Date.parse(text))
      : Number.NaN;
  return ttlFault(seconds, now) === undefined ? seconds : undefined;
}

function secondsOfNumber(number: number, now: number): number {
  return ttlFault(number, now) === 'milliseconds' ? toEpochSeconds(number) : Math.floor(number);
}
