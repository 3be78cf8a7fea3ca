import type { Body } from 'aws-on-loopback/dynamodb/answer';
import type { RandomSource } from 'stepfunctions-emulator';

/** An entry of an index as DynamoDB's JSON has it: the index's key and the item's. */
export type IndexEntry = Readonly<
  Record<string, { readonly S?: string; readonly N?: string; readonly B?: string }>
>;

/** Most entries kept of one partition of an index, and added to one answer. */
const MAX_KEPT = 500;
const MAX_ADDED = 5;

/**
 * Former entries of an index. Indexes are eventually consistent, so a query may still return the entry of an item that
 * is gone, was renewed into another window, or was written again since; DynamoDB Local's never does.
 */
export class StaleIndex {
  readonly #random: RandomSource;
  /** Entries by their text, by partition key of the index. */
  readonly #partitions = new Map<string, Map<string, IndexEntry>>();

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** An entry that a query of this table's index may return from now on, whatever becomes of its item. */
  remember(tableName: string, indexKey: string, entry: IndexEntry): void {
    const partition = partitionOf(tableName, indexKey);
    const entries = this.#partitions.get(partition) ?? new Map<string, IndexEntry>();
    this.#partitions.set(partition, entries);
    entries.set(textOf(entry), entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_KEPT && oldest !== undefined) entries.delete(oldest);
  }

  /** Remembers what a query returned. */
  rememberAnswer(request: Body, answer: Body): void {
    const query = readQuery(request);
    if (query === undefined) return;
    for (const item of itemsOf(answer)) this.remember(query.tableName, query.indexKey, item);
  }

  /**
   * The answer with some former entries, as if they were still there: in their place by sort key, within the range and
   * the limit.
   */
  widen(request: Body, answer: Body): Body {
    const query = readQuery(request);
    if (query === undefined) return answer;
    const real = itemsOf(answer);
    const known = new Set(real.map(textOf));
    const sortKey = (entry: IndexEntry) => Number(entry[query.sortKey]?.N);
    // Where real entries follow, those with the same sort key may: a position behind a former one would skip them.
    const lastReal = real.at(-1);
    const before = answer['LastEvaluatedKey'] && lastReal ? sortKey(lastReal) : Number.POSITIVE_INFINITY;
    const former = [
      ...(this.#partitions.get(partitionOf(query.tableName, query.indexKey))?.values() ?? []),
    ].filter(entry => {
      const value = sortKey(entry);
      return (
        value > query.after &&
        value >= query.from &&
        value <= query.upTo &&
        value < before &&
        !known.has(textOf(entry))
      );
    });
    const added: IndexEntry[] = [];
    while (added.length < MAX_ADDED && former.length > 0) {
      added.push(...former.splice(Math.floor(this.#random.next() * former.length), 1));
    }
    if (added.length === 0) return answer;
    // A stable sort: of the same sort key the real ones stay first.
    const all = [...real, ...added].sort((one, other) => sortKey(one) - sortKey(other));
    const Items = all.slice(0, query.limit);
    const last = Items.at(-1);
    if (all.length === Items.length || last === undefined) return { ...answer, Items, Count: Items.length };
    return { ...answer, Items, Count: Items.length, LastEvaluatedKey: last };
  }
}

/** One index a table: that is what the sweep reads. */
function partitionOf(tableName: string, indexKey: string): string {
  return `${tableName}/${indexKey}`;
}

interface Query {
  readonly tableName: string;
  readonly indexKey: string;
  readonly sortKey: string;
  readonly from: number;
  readonly upTo: number;
  /** Sort key that the query goes on behind. */
  readonly after: number;
  readonly limit: number;
}

const BY_WINDOW = /^#\w+ = (:\w+) AND (#\w+) BETWEEN (:\w+) AND (:\w+)$/;
const BY_SECOND = /^(#\w+) = (:\w+)$/;

/** Only queries of the forms that the functions make: one partition, a range of a number or that number alone. */
function readQuery(request: Body): Query | undefined {
  if (request['IndexName'] === undefined) return undefined;
  const condition = String(request['KeyConditionExpression']);
  const names = (request['ExpressionAttributeNames'] ?? {}) as Readonly<Record<string, string>>;
  const values = (request['ExpressionAttributeValues'] ?? {}) as IndexEntry;
  const [byWindow, bySecond] = [BY_WINDOW.exec(condition), BY_SECOND.exec(condition)];
  const [, partitionValue = '', sortName = '', fromValue = '', upToValue = ''] = byWindow ?? [];
  const [, secondName = '', secondValue = ''] = bySecond ?? [];
  const sortKey = names[byWindow ? sortName : secondName];
  const indexKey = byWindow ? values[partitionValue]?.S : values[secondValue]?.N;
  if (sortKey === undefined || indexKey === undefined) return undefined;
  const start = request['ExclusiveStartKey'] as IndexEntry | undefined;
  return {
    tableName: String(request['TableName']),
    indexKey,
    sortKey,
    from: Number(byWindow ? values[fromValue]?.N : indexKey),
    upTo: Number(byWindow ? values[upToValue]?.N : indexKey),
    // By second all entries have one TTL: what a former one is behind of is not known.
    after: start ? Number(byWindow ? start[sortKey]?.N : Infinity) : Number.NEGATIVE_INFINITY,
    limit: Number(request['Limit'] ?? Number.POSITIVE_INFINITY),
  };
}

function itemsOf(answer: Body): IndexEntry[] {
  return [...((answer['Items'] as readonly IndexEntry[] | undefined) ?? [])];
}

function textOf(entry: IndexEntry): string {
  return JSON.stringify(Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1)));
}
