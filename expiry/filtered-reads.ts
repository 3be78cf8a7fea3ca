import { InvalidRequestError } from './errors.ts';
import { type Fields, withTtlAttribute } from './requests.ts';
import { isExpired } from './ttl.ts';

export interface FilteredRead {
  readonly request: Fields;
  readonly isAdded: boolean;
  readonly answer: (output: Fields) => Fields;
}

export interface Tables {
  /** Returns null if the table's items do not expire. */
  readonly ttlAttributeOf: (tableName: unknown) => string | null;
  /** Returns the latest TTL that is expired, epoch seconds. Called when an answer arrives: items also expire during a request. */
  readonly cutoff: () => number;
}

/** The SDK's commands that read, and their filters. Answers to writes are not filtered: they contain only items that the request writes. */
const READS: Readonly<Record<string, (request: Fields, tables: Tables) => FilteredRead>> = {
  QueryCommand: manyItems,
  ScanCommand: manyItems,
  GetItemCommand: oneItem,
  BatchGetItemCommand: batch,
  TransactGetItemsCommand: transaction,
  ExecuteStatementCommand: statements,
  BatchExecuteStatementCommand: statements,
  ExecuteTransactionCommand: statements,
};

export function filteredRead(
  commandName: string | undefined,
  request: Fields,
  tables: Tables,
): FilteredRead | undefined {
  if (commandName === undefined || !Object.hasOwn(READS, commandName)) return undefined;
  return READS[commandName]?.(request, tables);
}

interface TableRead {
  readonly request: Fields;
  readonly isAdded: boolean;
  readonly live: (items: readonly Fields[]) => readonly Fields[];
}

function tableRead(request: Fields, tableName: unknown, tables: Tables, wholeItems = true): TableRead {
  const ttlAttribute = tables.ttlAttributeOf(tableName);
  if (ttlAttribute === null) return { request, isAdded: false, live: items => items };
  const projected = withTtlAttribute(request, ttlAttribute, wholeItems);
  return {
    ...projected,
    live: items => {
      const cutoff = tables.cutoff();
      const live = items.filter(item => !isExpired(item[ttlAttribute], cutoff));
      return projected.isAdded ? live.map(item => without(item, ttlAttribute)) : live;
    },
  };
}

function manyItems(request: Fields, tables: Tables): FilteredRead {
  // With a projection, `Select` stays COUNT, so that DynamoDB refuses the request.
  const counts = request['Select'] === 'COUNT' && request['ProjectionExpression'] === undefined;
  const { isAdded, live, ...read } = tableRead(request, request['TableName'], tables, !counts);
  if (counts && !isAdded) return untouched(request);
  return {
    // DynamoDB refuses a filter on a key attribute, and the TTL may be a key of the index. So the items are read, and counted here.
    request: counts ? { ...read.request, Select: 'SPECIFIC_ATTRIBUTES' } : read.request,
    isAdded,
    answer: output => {
      const items = live(itemsOf(output['Items']));
      return { ...(counts ? without(output, 'Items') : { ...output, Items: items }), Count: items.length };
    },
  };
}

function untouched(request: Fields): FilteredRead {
  return { request, isAdded: false, answer: output => output };
}

function oneItem(request: Fields, tables: Tables): FilteredRead {
  const { live, ...read } = tableRead(request, request['TableName'], tables);
  return { ...read, answer: output => withLiveItem(output, live) };
}

function batch(request: Fields, tables: Tables): FilteredRead {
  const asked = Object.entries((request['RequestItems'] ?? {}) as Readonly<Record<string, Fields>>);
  const reads = asked.map(([name, ofTable]) => ({ name, ofTable, ...tableRead(ofTable, name, tables) }));
  const readOf = (name: string) => reads.find(each => tableNameOf(each.name) === tableNameOf(name));
  return {
    request: { ...request, RequestItems: Object.fromEntries(reads.map(read => [read.name, read.request])) },
    isAdded: reads.some(({ isAdded }) => isAdded),
    answer: output => ({
      ...output,
      ...mapped(output, 'Responses', (name, items) => readOf(name)?.live(itemsOf(items)) ?? items),
      // The caller sends unprocessed keys again, so these keys get the caller's projection, without the added TTL attribute.
      ...mapped(output, 'UnprocessedKeys', (name, left) => ({
        ...readOf(name)?.ofTable,
        Keys: (left as Fields)['Keys'],
      })),
    }),
  };
}

function mapped(output: Fields, field: string, change: (table: string, value: unknown) => unknown): Fields {
  const tables = output[field];
  if (tables === undefined || tables === null) return {};
  return {
    [field]: Object.fromEntries(Object.entries(tables).map(([name, value]) => [name, change(name, value)])),
  };
}

/** Filters TransactGetItems. An expired item leaves an empty response, because the responses have the order of the requests. */
function transaction(request: Fields, tables: Tables): FilteredRead {
  const reads = itemsOf(request['TransactItems']).map(({ Get = {} }) =>
    tableRead(Get as Fields, (Get as Fields)['TableName'], tables),
  );
  return {
    request: { ...request, TransactItems: reads.map(({ request: Get }) => ({ Get })) },
    isAdded: reads.some(({ isAdded }) => isAdded),
    answer: output => ({
      ...output,
      Responses: itemsOf(output['Responses']).map((response, index) =>
        withLiveItem(response, reads[index]?.live),
      ),
    }),
  };
}

/** Refuses PartiQL statements that read: only a parser could tell what a statement reads, and whether it reads the TTL. */
function statements(request: Fields): FilteredRead {
  const all = [request, ...itemsOf(request['Statements']), ...itemsOf(request['TransactStatements'])];
  const reading = all
    .map(({ Statement }) => Statement)
    .find(text => text !== undefined && !/^\s*(insert|update|delete|exists)\b/i.test(String(text)));
  if (reading === undefined) return untouched(request);
  throw new InvalidRequestError({
    field: 'Statement',
    expected: 'a statement that writes: what PartiQL reads is not filtered',
    got: reading,
    remedy:
      'Use a Query, Scan or Get; or send it by the client that was given to withoutExpired, and pass each item through unlessExpired.',
  });
}

function withLiveItem(output: Fields, live: TableRead['live'] = items => items): Fields {
  if (output['Item'] === undefined || output['Item'] === null) return output;
  const [Item] = live([output['Item'] as Fields]);
  return Item === undefined ? without(output, 'Item') : { ...output, Item };
}

function itemsOf(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list : [];
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _left, ...others } = fields;
  return others;
}

/** The table's name, also if a request has the table's ARN in `TableName`. Source: DynamoDB API reference, TableName of Query. */
export function tableNameOf(nameOrArn: string): string {
  return nameOrArn.split(':table/').at(-1) ?? nameOrArn;
}
