import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';
import { isLasting } from './faults.ts';
import type { Tally } from './sdk.ts';
import type { MemoryTable, Position } from './table.ts';

export class UnknownRequestError extends Error {
  override readonly name = 'UnknownRequestError';
}

/** Maximum number of keys in a batch. Source: DynamoDB API reference, BatchExecuteStatement, BatchWriteItem. */
const MAX_KEYS = 25;

type Body = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly tally?: Partial<Tally>;
}

interface TableRequest {
  readonly ids: readonly string[];
  /**
   * Carries out the request, and returns DynamoDB's answer. A key with an error is not deleted.
   * @param errors position of the key in the batch → error. BatchWriteItem returns these keys as unprocessed, without the errors
   */
  readonly answer: (errors: ReadonlyMap<number, string>) => Answer;
}

export function tableOf(operation: string, body: Body): string {
  if (operation === 'BatchWriteItem') return Object.keys(body['RequestItems'] ?? {})[0] ?? '';
  if (operation !== 'BatchExecuteStatement') return String(body['TableName']);
  const [first] = body['Statements'] as Statements;
  return /^DELETE FROM "((?:[^"]|"")+)" /.exec(first?.Statement ?? '')?.[1]?.replaceAll('""', '"') ?? '';
}

/** Parses a request. @throws UnknownRequestError, here or from `answer`, for a request that the functions never send */
export function readRequest(operation: string, body: Body, table: MemoryTable): TableRequest {
  switch (operation) {
    case 'Query':
      return { ids: [], answer: () => query(body as unknown as Query, table) };
    case 'BatchWriteItem':
      return batchOfWrites(body as unknown as Writes, table);
    case 'BatchExecuteStatement':
      return batchOfStatements(body['Statements'] as Statements, table);
    default:
      throw new UnknownRequestError(`DynamoDB: expected a request that the functions send, got ${operation}`);
  }
}

interface Query {
  readonly IndexName: string;
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeNames: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues: EventImage;
  readonly ExclusiveStartKey?: EventImage;
  readonly Limit: number;
}

function query(body: Query, table: MemoryTable): Answer {
  const { indexName, model } = table.options.settings;
  const { ttlAttribute, windowAttribute } = model;
  const {
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ExclusiveStartKey: start,
  } = body;
  const byWindow = '#window = :window AND #ttl BETWEEN :from AND :upTo';
  const expected = windowAttribute === undefined ? '#ttl = :second' : byWindow;
  const isKnown =
    body.IndexName === indexName &&
    body.KeyConditionExpression === expected &&
    names['#ttl'] === ttlAttribute &&
    names['#window'] === windowAttribute;
  if (!isKnown) throw new UnknownRequestError(`Query: expected "${expected}", got ${JSON.stringify(body)}`);
  const [partition, from, upTo] =
    windowAttribute === undefined
      ? [String(numberOf(values[':second'])), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
      : [textOf(values[':window']), numberOf(values[':from']), numberOf(values[':upTo'])];
  const after: Position | undefined = start && { ttl: numberOf(start[ttlAttribute]), id: table.idOf(start) };
  const { entries, isEnd } = table.query(partition, { from, upTo }, after, body.Limit);
  const window = windowAttribute === undefined ? {} : { [windowAttribute]: { S: partition } };
  const Items = entries.map(({ key, ttl }) => ({ ...window, [ttlAttribute]: { N: String(ttl) }, ...key }));
  const counts = { Count: Items.length, ScannedCount: Items.length };
  return { status: 200, body: { Items, ...counts, ...(!isEnd && { LastEvaluatedKey: Items.at(-1) }) } };
}

interface Writes {
  readonly RequestItems: Readonly<Record<string, readonly WriteRequest[]>>;
}

interface WriteRequest {
  readonly DeleteRequest?: { readonly Key: EventImage };
}

function batchOfWrites({ RequestItems }: Writes, table: MemoryTable): TableRequest {
  const { tableName } = table.options.settings;
  const { [tableName]: requests = [], ...others } = RequestItems;
  if (Object.keys(others).length > 0) throw new UnknownRequestError('expected a batch of one table');
  const ids = requests.map(({ DeleteRequest }) => {
    if (DeleteRequest === undefined) throw new UnknownRequestError('BatchWriteItem: expected deletes only');
    return table.idOf(DeleteRequest.Key);
  });
  return {
    ids: checked(ids),
    answer(errors) {
      for (const [index, id] of ids.entries()) if (!errors.has(index)) table.delete(id, 'sweep');
      const left = requests.filter((_request, index) => errors.has(index));
      const UnprocessedItems = left.length > 0 ? { [tableName]: left } : {};
      return { status: 200, body: { UnprocessedItems }, tally: { deleted: ids.length - left.length } };
    },
  };
}

type Statements = readonly { readonly Statement: string; readonly Parameters: readonly EventValue[] }[];

/** The only PartiQL statement that the functions send. Parameters: values of the key, maximum TTL, and a lower bound (exclusive). */
function guardedDelete({ keyNames, options: { settings } }: MemoryTable): string {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const ttl = quoted(settings.model.ttlAttribute);
  const conditions = [...keyNames.map(name => `${quoted(name)} = ?`), `${ttl} <= ?`, `${ttl} > ?`];
  return `DELETE FROM ${quoted(settings.tableName)} WHERE ${conditions.join(' AND ')} RETURNING ALL OLD *`;
}

function batchOfStatements(given: Statements, table: MemoryTable): TableRequest {
  const { tableName: TableName } = table.options.settings;
  const { keyNames } = table;
  const expected = guardedDelete(table);
  const deletes = given.map(({ Statement, Parameters }) => {
    if (Statement !== expected || Parameters.length !== keyNames.length + 2)
      throw new UnknownRequestError(`expected ${expected}, got ${Statement}`);
    const [upTo, after] = Parameters.slice(keyNames.length).map(numberOf) as [number, number];
    const key = Object.fromEntries(keyNames.map((name, index) => [name, Parameters[index] as EventValue]));
    const isSwept = (ttl = Number.NaN) => ttl <= upTo && ttl > after;
    return { id: table.idOf(key), isSwept };
  });
  return {
    ids: checked(deletes.map(({ id }) => id)),
    answer(errors) {
      const tally = { deleted: 0, notFound: 0, refused: 0 };
      const Responses = deletes.map(({ id, isSwept }, index) => {
        const Item = table.images.get(id);
        const isKept = Item !== undefined && !isSwept(table.ttlOf(Item));
        const Code = errors.get(index) ?? (isKept ? 'ConditionalCheckFailed' : undefined);
        if (Code !== undefined) {
          if (isLasting(Code)) tally.refused += 1;
          return { TableName, Error: { Code, Message: `${Code}: simulated` } };
        }
        tally[Item === undefined ? 'notFound' : 'deleted'] += 1;
        table.delete(id, 'sweep');
        return { TableName, ...(Item && { Item }) };
      });
      return { status: 200, body: { Responses }, tally };
    },
  };
}

/** Returns `ids`. @throws UnknownRequestError for more than MAX_KEYS keys, or the same key twice: DynamoDB refuses such a batch */
function checked(ids: readonly string[]): readonly string[] {
  if (ids.length <= MAX_KEYS && new Set(ids).size === ids.length) return ids;
  throw new UnknownRequestError(`expected a batch of at most ${MAX_KEYS} different keys, got ${ids}`);
}

function numberOf(value: EventValue | undefined): number {
  if (value === undefined || !('N' in value)) throw new UnknownRequestError('expected a Number');
  return Number(value.N);
}

function textOf(value: EventValue | undefined): string {
  if (value === undefined || !('S' in value)) throw new UnknownRequestError('expected a String');
  return value.S;
}
