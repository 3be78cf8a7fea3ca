import { InvalidRequestError } from './errors.ts';
import { withTtlAttribute } from './projection.ts';
import type { Fields } from './requests.ts';
import { tableNameOf } from './table-name.ts';
import { isExpired } from './ttl.ts';

/** A read that gives live items only. */
export interface FilteredRead {
  /** The request for DynamoDB: the one that was given, where nothing has to be added to it. */
  readonly request: Fields;
  /** The answer without what is expired, as if it were not there. */
  readonly answer: (output: Fields) => Fields;
}

/** The tables that a read knows. */
export interface Tables {
  /**
   * The attribute with a table's expiry times; null for a table whose items do not expire.
   * @throws for a table of which nothing is known
   */
  readonly ttlAttributeOf: (tableName: unknown) => string | null;
  /** The second by which an answer is judged when it is there; epoch seconds. */
  readonly cutoff: () => number;
}

/** The commands that give items, by the SDK's names of them. What writes may give items back too: those are its own. */
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

/**
 * The filtered form of a command; undefined for one that reads no items.
 *
 * @throws InvalidRequestError for a read that cannot be filtered
 */
export function filteredRead(
  commandName: string | undefined,
  request: Fields,
  tables: Tables,
): FilteredRead | undefined {
  if (commandName === undefined || !Object.hasOwn(READS, commandName)) return undefined;
  return READS[commandName]?.(request, tables);
}

/** The items of one table that a request asks for. */
interface TableRead {
  readonly request: Fields;
  /** Those that are live, with the attributes that the reader asked for. */
  readonly live: (items: readonly Fields[]) => Fields[];
}

function tableRead(
  request: Fields,
  tableName: unknown,
  tables: Tables,
  wholeItems = true,
): TableRead | undefined {
  const ttlAttribute = tables.ttlAttributeOf(tableName);
  if (ttlAttribute === null) return undefined;
  const projected = withTtlAttribute(request, ttlAttribute, wholeItems);
  return {
    request: projected.request,
    live: items => {
      const cutoff = tables.cutoff();
      const live = items.filter(item => !isExpired(item[ttlAttribute], cutoff));
      return projected.isAdded ? live.map(item => without(item, ttlAttribute)) : live;
    },
  };
}

const untouched = (request: Fields): FilteredRead => ({ request, answer: output => output });

function manyItems(request: Fields, tables: Tables): FilteredRead {
  // DynamoDB itself refuses a request that counts and has a projection too.
  const counts =
    request['Select'] === 'COUNT' &&
    request['ProjectionExpression'] === undefined &&
    request['AttributesToGet'] === undefined;
  const read = tableRead(request, request['TableName'], tables, !counts);
  if (read === undefined) return untouched(request);
  return {
    // A count alone cannot be filtered, and a filter cannot name the key of an index. It costs the same to read.
    request: counts ? { ...read.request, Select: 'SPECIFIC_ATTRIBUTES' } : read.request,
    answer: output => {
      const items = read.live(itemsOf(output['Items']));
      return { ...(counts ? without(output, 'Items') : { ...output, Items: items }), Count: items.length };
    },
  };
}

function oneItem(request: Fields, tables: Tables): FilteredRead {
  const read = tableRead(request, request['TableName'], tables);
  return read === undefined
    ? untouched(request)
    : { request: read.request, answer: output => withLiveItem(output, read) };
}

function batch(request: Fields, tables: Tables): FilteredRead {
  const reads = entriesOf(request['RequestItems']).map(([name, asked]) => ({
    name,
    asked,
    read: tableRead(asked, name, tables),
  }));
  const readOf = (name: string) => reads.find(each => tableNameOf(each.name) === tableNameOf(name));
  const changed = reads.some(({ asked, read }) => requestOf(read, asked) !== asked);
  return {
    request: changed
      ? {
          ...request,
          RequestItems: Object.fromEntries(
            reads.map(({ name, asked, read }) => [name, requestOf(read, asked)]),
          ),
        }
      : request,
    answer: output => ({
      ...output,
      ...mapped(output, 'Responses', (name, items) => readOf(name)?.read?.live(itemsOf(items)) ?? items),
      // They are there to be sent again, and ask for what the reader asked for.
      ...mapped(output, 'UnprocessedKeys', (name, left) => ({
        ...readOf(name)?.asked,
        Keys: (left as Fields)['Keys'],
      })),
    }),
  };
}

/** A field with something for each table; nothing where the answer does not have it. */
function mapped(output: Fields, field: string, change: (table: string, value: unknown) => unknown): Fields {
  const tables = output[field];
  if (tables === undefined || tables === null) return {};
  return {
    [field]: Object.fromEntries(Object.entries(tables).map(([name, value]) => [name, change(name, value)])),
  };
}

/** The answers have the places of the questions: an expired item leaves the place of a missing one. */
function transaction(request: Fields, tables: Tables): FilteredRead {
  const asked = itemsOf(request['TransactItems']);
  const reads = asked.map(({ Get }) => {
    const get = (Get ?? {}) as Fields;
    return tableRead(get, get['TableName'], tables);
  });
  const changed = reads.some((read, index) => read !== undefined && read.request !== asked[index]?.['Get']);
  return {
    request: changed
      ? {
          ...request,
          TransactItems: asked.map((of, index) => ({ ...of, Get: requestOf(reads[index], of['Get']) })),
        }
      : request,
    answer: output => ({
      ...output,
      Responses: itemsOf(output['Responses']).map((response, index) => {
        const read = reads[index];
        return read === undefined ? response : withLiveItem(response, read);
      }),
    }),
  };
}

/** It would take a parser to know what a statement reads, and whether it reads the TTL. */
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

function withLiveItem(output: Fields, read: TableRead): Fields {
  if (output['Item'] === undefined || output['Item'] === null) return output;
  const [Item] = read.live([output['Item'] as Fields]);
  return Item === undefined ? without(output, 'Item') : { ...output, Item };
}

function requestOf<Request>(read: TableRead | undefined, request: Request): Fields | Request {
  return read?.request ?? request;
}

function itemsOf(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list : [];
}

function entriesOf(tables: unknown): [string, Fields][] {
  return Object.entries((tables ?? {}) as Readonly<Record<string, Fields>>);
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _left, ...others } = fields;
  return others;
}
