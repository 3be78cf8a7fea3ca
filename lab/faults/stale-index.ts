import type { Body } from 'aws-on-loopback/dynamodb/answer';
import type { RandomSource } from 'stepfunctions-emulator';

/** An index entry in DynamoDB's JSON: the index's key and the item's key. */
type IndexEntry = Readonly<Record<string, { readonly S?: string; readonly N?: string; readonly B?: string }>>;

/** Largest number of old entries that are stored for one partition of an index, and added to one answer. */
const MAX_KEPT = 500;
const MAX_ADDED = 5;

/**
 * Stores old entries of an index. Indexes are eventually consistent, so a query may still return the entry of an item that was deleted,
 * renewed into another window, or written again since; DynamoDB Local never returns one.
 */
export class StaleIndex {
  readonly #random: RandomSource;
  /** Entries by their text, by partition key of the index. */
  readonly #partitions = new Map<string, Map<string, IndexEntry>>();

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Stores the entries that a query returned. Later ones may return them, too, whatever happens to their items. */
  rememberAnswer(request: Body, answer: Body): void {
    const query = readQuery(request);
    if (query === undefined) return;
    const partition = partitionOf(query.tableName, query.indexKey);
    const entries = this.#partitions.get(partition) ?? new Map<string, IndexEntry>();
    this.#partitions.set(partition, entries);
    for (const entry of itemsOf(answer)) {
      entries.set(textOf(entry), entry);
      const [oldest] = entries.keys();
      if (entries.size > MAX_KEPT && oldest !== undefined) entries.delete(oldest);
    }
  }

  /** Adds some old entries to the answer: in their order by sort key, within the range and the limit. */
  widen(request: Body, answer: Body): Body {
    const query = readQuery(request);
    if (query === undefined) return answer;
    const real = itemsOf(answer);
    const known = new Set(real.map(textOf));
    const sortKey = (entry: IndexEntry) => Number(entry[query.sortKey]?.N);
    // More real entries with the same sort key may follow: paging after an old entry would skip them.
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
    // The sort is stable: among equal sort keys the real entries stay first.
    const all = [...real, ...added].sort((one, other) => sortKey(one) - sortKey(other));
    const Items = all.slice(0, query.limit);
    const last = Items.at(-1);
    if (all.length === Items.length || last === undefined) return { ...answer, Items, Count: Items.length };
    return { ...answer, Items, Count: Items.length, LastEvaluatedKey: last };
  }
}

/** Names a partition of an index. Each table has one index here, because the sweep reads only one. */
function partitionOf(tableName: string, indexKey: string): string {
  return `${tableName}/${indexKey}`;
}

interface Query {
  readonly tableName: string;
  readonly indexKey: string;
  readonly sortKey: string;
  readonly from: number;
  readonly upTo: number;
  /** Sort key after which the query continues. */
  readonly after: number;
  readonly limit: number;
}

const BY_WINDOW = /^#\w+ = (:\w+) AND (#\w+) BETWEEN (:\w+) AND (:\w+)$/;
const BY_SECOND = /^(#\w+) = (:\w+)$/;

/** Parses the queries that the functions send: one partition, with a range or a single number as the sort key. Others give undefined. */
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
    // By second all entries have one TTL, so the order of old entries is unknown.
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
