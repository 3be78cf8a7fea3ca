import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ttlFault } from '../../expiry/ttl.ts';
import { permitted } from '../aws/errors.ts';

/** An item of the low-level client: `{ ttl: { N: '1700000000' } }`. */
export type StoredItem = Readonly<Record<string, AttributeValue>>;

export interface Sample {
  readonly items: readonly StoredItem[];
  /** Whether these are all items of the table. */
  readonly complete: boolean;
}

export interface SampleOptions {
  readonly tableName: string;
  /** Used in the message when the scan is not allowed. */
  readonly tableArn: string;
  /** The most items of the sample. @default 1000 */
  readonly items?: number;
  /** Read units after which no further page is read; the last page can add 128. @default 500 */
  readonly readUnits?: number;
  readonly signal?: AbortSignal;
}

/** Segments of the table; the sample has one page of each. A scan returns items in the order of their hashed keys. */
const SEGMENTS = 8;

/**
 * Reads a sample of items from all over the table. Other errors are the SDK's.
 *
 * @throws {MissingPermissionError}
 */
export async function sampleItems(
  client: DynamoDBClient,
  { tableName, tableArn, items: wanted = 1000, readUnits = 500, signal }: SampleOptions,
): Promise<Sample> {
  const items: StoredItem[] = [];
  let complete = true;
  let consumed = 0;
  for (let segment = 0; segment < SEGMENTS; segment += 1) {
    if (consumed >= readUnits) return { items, complete: false };
    const page = await permitted('dynamodb:Scan', tableArn, () =>
      client.send(
        new ScanCommand({
          TableName: tableName,
          Segment: segment,
          TotalSegments: SEGMENTS,
          Limit: Math.ceil(wanted / SEGMENTS),
          ReturnConsumedCapacity: 'TOTAL',
        }),
        signal && { abortSignal: signal },
      ),
    );
    items.push(...(page.Items ?? []));
    consumed += page.ConsumedCapacity?.CapacityUnits ?? 0;
    if (page.LastEvaluatedKey !== undefined) complete = false;
  }
  return { items, complete };
}

/**
 * Kinds of values of a TTL attribute: the faults of `ttlFault`, with strings separate from other types. Only items of the kind
 * `seconds` expire in time everywhere in this project.
 *
 * - `missing`: the item has no TTL and never expires
 * - `string`, `otherType`: not a Number; the item never expires, and DynamoDB refuses it once the attribute is a key of an index
 * - `milliseconds`: 13 or 14 digits
 * - `fraction`: a Number of seconds with a fraction; an index by second does not find it
 * - `negative`; `tooOld`: more than five years ago, and so ignored; `tooFarAhead`: more than 20 years ahead
 */
export const TTL_KINDS = [
  'seconds',
  'missing',
  'string',
  'otherType',
  'milliseconds',
  'fraction',
  'negative',
  'tooOld',
  'tooFarAhead',
] as const;
export type TtlKind = (typeof TTL_KINDS)[number];

/** @param nowSeconds epoch seconds */
export function classifyTtl(value: AttributeValue | undefined, nowSeconds: number): TtlKind {
  if (value === undefined) return 'missing';
  const fault = ttlFault(value.N === undefined ? Number.NaN : Number(value.N), nowSeconds);
  if (fault === 'notNumber') return value.S === undefined ? 'otherType' : 'string';
  if (fault !== undefined) return fault;
  return isWhole(value.N ?? '') ? 'seconds' : 'fraction';
}

/** Whether a Number is whole. It compares text, because DynamoDB's Numbers have 38 digits and JavaScript's 17. */
function isWhole(number: string): boolean {
  return Number.isInteger(Number(number)) && !/^\d+\.\d*[1-9]\d*$/.test(number);
}

export type TtlCounts = Readonly<Record<TtlKind, number>>;

/** Counts the items by the kind of value in this attribute. */
export function countTtl(items: readonly StoredItem[], ttlAttribute: string, nowSeconds: number): TtlCounts {
  const counts = Object.fromEntries(TTL_KINDS.map(kind => [kind, 0])) as Record<TtlKind, number>;
  for (const item of items) counts[classifyTtl(item[ttlAttribute], nowSeconds)] += 1;
  return counts;
}

/** Usual attribute names for a time of expiry, in any case and with or without `_` and `-`. */
const EXPIRY_NAME =
  /^(ttl|timetolive|expir(y|es?|ed|ation)(s)?(at|on|in|date|time|timestamp|epoch)?|(end|delete|remove)(at|after|on))$/;

/** An attribute that looks like a TTL. */
export interface TtlCandidate {
  readonly attribute: string;
  readonly counts: TtlCounts;
}

/**
 * Finds attributes whose name suggests expiry and that have at least one value like epoch seconds or milliseconds, as a Number or
 * as text. Those with the most epoch seconds come first.
 *
 * @param nowSeconds epoch seconds
 */
export function ttlCandidates(items: readonly StoredItem[], nowSeconds: number): TtlCandidate[] {
  const names = new Set(items.flatMap(item => Object.keys(item).filter(isExpiryName)));
  return [...names]
    .filter(name => items.some(item => looksLikeEpoch(item[name], nowSeconds)))
    .map(attribute => ({ attribute, counts: countTtl(items, attribute, nowSeconds) }))
    .sort((a, b) => b.counts.seconds - a.counts.seconds || a.attribute.localeCompare(b.attribute));
}

export function isExpiryName(attribute: string): boolean {
  return EXPIRY_NAME.test(attribute.toLowerCase().replaceAll(/[_-]/g, ''));
}

function looksLikeEpoch(value: AttributeValue | undefined, nowSeconds: number): boolean {
  const number = value?.N ?? (/^\d+(\.\d+)?$/.test(value?.S ?? '') ? value?.S : undefined);
  if (number === undefined) return false;
  const kind = classifyTtl({ N: number }, nowSeconds);
  return kind === 'seconds' || kind === 'fraction' || kind === 'milliseconds';
}
