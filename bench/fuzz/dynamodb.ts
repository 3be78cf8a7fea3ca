import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';
import { type Answer, type Body, jsonAnswer } from '../../local/dynamodb/answer.ts';
import { isLasting } from './faults.ts';
import { keyOfStatement, matches, readStatement, UnknownRequestError } from './partiql.ts';
import type { Tally } from './sdk.ts';
import type { MemoryTable, Position } from './table.ts';

/** Source: DynamoDB API reference, BatchExecuteStatement, BatchWriteItem. */
const MAX_STATEMENTS = 25;
const MAX_WRITES = 25;

/** Answers a request of the sweep as DynamoDB does. Requests that the functions never send are refused by name. */
export function answerRequest(operation: string, body: Body, table: MemoryTable): Answer {
  switch (operation) {
    case 'Query':
      return query(body as unknown as QueryBody, table);
    case 'BatchWriteItem':
      return batchWrite(body as unknown as WritesBody, table);
    case 'BatchExecuteStatement':
      return batchExecute(body as unknown as StatementsBody, table);
    default:
      throw new UnknownRequestError(`DynamoDB: expected a request that the functions send, got ${operation}`);
  }
}

interface QueryBody {
  readonly TableName: string;
  readonly IndexName: string;
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeNames: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues: EventImage;
  readonly ExclusiveStartKey?: EventImage;
  readonly Limit: number;
}

function query(body: QueryBody, table: MemoryTable): Answer {
  const { indexName, ttlAttribute, windowAttribute } = table.options;
  const {
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ExclusiveStartKey: start,
  } = body;
  checkTable(body.TableName, table);
  const byWindow = '#window = :window AND #ttl BETWEEN :from AND :upTo';
  const expected = windowAttribute === undefined ? '#ttl = :second' : byWindow;
  const isKnown =
    body.IndexName === indexName &&
    body.KeyConditionExpression === expected &&
    names['#ttl'] === ttlAttribute &&
    names['#window'] === windowAttribute;
  if (!isKnown) throw new UnknownRequestError(`Query: expected "${expected}", got ${JSON.stringify(body)}`);
  const partition =
    windowAttribute === undefined ? String(numberOf(values[':second'])) : textOf(values[':window']);
  const range =
    windowAttribute === undefined
      ? { from: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY }
      : { from: numberOf(values[':from']), upTo: numberOf(values[':upTo']) };
  const after: Position | undefined = start && { ttl: numberOf(start[ttlAttribute]), id: table.idOf(start) };
  const { entries, isEnd } = table.query(partition, range, after, body.Limit);
  const window = windowAttribute === undefined ? {} : { [windowAttribute]: { S: partition } };
  const Items = entries.map(({ key, ttl }) => ({ ...window, [ttlAttribute]: { N: ttl }, ...key }));
  return jsonAnswer({
    Items,
    Count: Items.length,
    ScannedCount: Items.length,
    ...(!isEnd && { LastEvaluatedKey: Items.at(-1) }),
  });
}

interface WritesBody {
  readonly RequestItems: Readonly<Record<string, readonly WriteRequest[]>>;
}

interface WriteRequest {
  readonly DeleteRequest?: { readonly Key: EventImage };
}

function batchWrite({ RequestItems }: WritesBody, table: MemoryTable): Answer {
  const requests = only(RequestItems, table);
  const ids = requests.map(({ DeleteRequest }) => {
    if (DeleteRequest === undefined) throw new UnknownRequestError('BatchWriteItem: expected deletes only');
    return table.idOf(DeleteRequest.Key);
  });
  if (ids.length > MAX_WRITES || new Set(ids).size < ids.length)
    return invalid('Provided list of item keys contains duplicates');
  for (const id of ids) table.delete(id, 'sweep');
  return jsonAnswer({ UnprocessedItems: {} });
}

interface StatementsBody {
  readonly Statements: readonly {
    readonly Statement: string;
    readonly Parameters: readonly EventValue[];
  }[];
}

function batchExecute({ Statements }: StatementsBody, table: MemoryTable): Answer {
  const { tableName, keyNames } = table.options;
  if (Statements.length > MAX_STATEMENTS) return invalid('Member must have length less than or equal to 25');
  const Responses = Statements.map(({ Statement, Parameters }) => {
    const statement = readStatement(Statement);
    checkTable(statement.tableName, table);
    const id = table.idOf(keyOfStatement(statement, Parameters, keyNames));
    const item = table.get(id);
    if (item === undefined) return { TableName: tableName };
    if (matches(statement, Parameters, item)) {
      table.delete(id, 'sweep');
      return { TableName: tableName, Item: item };
    }
    const Message = 'The conditional request failed';
    return { TableName: tableName, Error: { Code: 'ConditionalCheckFailed', Message } };
  });
  return jsonAnswer({ Responses });
}

/** The keys in a batch of deletes, as ids of the table; empty for any other request. */
export function deletedIds(operation: string, body: Body, table: MemoryTable): string[] {
  if (operation === 'BatchWriteItem') {
    const { RequestItems } = body as unknown as WritesBody;
    return only(RequestItems, table).flatMap(({ DeleteRequest }) =>
      DeleteRequest === undefined ? [] : [table.idOf(DeleteRequest.Key)],
    );
  }
  if (operation !== 'BatchExecuteStatement') return [];
  return (body as unknown as StatementsBody).Statements.map(({ Statement, Parameters }) =>
    table.idOf(keyOfStatement(readStatement(Statement), Parameters, table.options.keyNames)),
  );
}

/** The name of the table that a request is for. */
export function tableOf(operation: string, body: Body): string {
  if (operation === 'BatchWriteItem')
    return Object.keys((body as unknown as WritesBody).RequestItems)[0] ?? '';
  if (operation !== 'BatchExecuteStatement') return String(body['TableName']);
  const [first] = (body as unknown as StatementsBody).Statements;
  return /FROM "([^"]+)"/.exec(first?.Statement ?? '')?.[1] ?? '';
}

/** Counts the keys that an answer is about. @returns undefined if the answer does not belong to a batch of deletes */
export function answeredOf(operation: string, request: Body, answer: Answer): Partial<Tally> | undefined {
  if (answer.status !== 200) return undefined;
  const body = JSON.parse(answer.body.toString()) as Body;
  if (operation === 'BatchWriteItem') {
    const count = (items: unknown) =>
      Object.values((items ?? {}) as Record<string, readonly unknown[]>).reduce(
        (sum, each) => sum + each.length,
        0,
      );
    const deleted = count(request['RequestItems']) - count(body['UnprocessedItems']);
    return { deleted };
  }
  if (operation !== 'BatchExecuteStatement') return undefined;
  const responses = body['Responses'] as readonly {
    readonly Item?: unknown;
    readonly Error?: { readonly Code: string };
  }[];
  return {
    deleted: responses.filter(({ Item }) => Item !== undefined).length,
    notFound: responses.filter(({ Item, Error: error }) => Item === undefined && error === undefined).length,
    refused: responses.filter(({ Error: error }) => error !== undefined && isLasting(error.Code)).length,
  };
}

function only<Request>(items: Readonly<Record<string, Request>>, table: MemoryTable): Request {
  const [[name, request], ...others] = Object.entries(items) as [[string, Request]];
  if (others.length > 0) throw new UnknownRequestError('expected a batch of one table');
  checkTable(name, table);
  return request;
}

function checkTable(name: string, { options: { tableName } }: MemoryTable): void {
  if (name !== tableName) throw new UnknownRequestError(`expected the table ${tableName}, got ${name}`);
}

function invalid(message: string): Answer {
  return jsonAnswer({ __type: 'com.amazon.coral.validate#ValidationException', message }, 400);
}

function numberOf(value: EventValue | undefined): number {
  if (value === undefined || !('N' in value)) throw new UnknownRequestError('expected a Number');
  return Number(value.N);
}

function textOf(value: EventValue | undefined): string {
  if (value === undefined || !('S' in value)) throw new UnknownRequestError('expected a String');
  return value.S;
}
