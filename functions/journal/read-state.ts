import {
  NumberValue,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { describeProblem } from '../../expiry/errors.ts';
import {
  fieldProblems,
  isObject,
  type Kinds,
  kind,
  objectProblems,
  under,
  whole,
} from '../../expiry/fields.ts';
import { JournalUnreadableError } from '../runtime/errors.ts';
import type { Documents } from '../table/dynamodb.ts';
import {
  DEPLOYMENT_ID,
  type DeploymentState,
  JOURNAL_KEYS,
  type Pause,
  type Pauses,
  TABLE_PREFIX,
  tableEntry,
  tableOfEntry,
  WATERMARKS_AT,
  type Watermark,
} from './layout.ts';

export interface JournalTable {
  readonly documents: Documents;
  readonly tableName: string;
}

const moment = kind<string>(
  value => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  'a time such as 2026-11-20T09:00:00.000Z',
);
const seconds = whole(0, Number.MAX_SAFE_INTEGER, 'epoch seconds: a whole number');

const ENTRY_KINDS = { pause: object({ since: moment, until: moment }, ['since']) };

const SWEPT = { from: seconds, to: seconds, tick: moment, part: seconds, parts: seconds };
const WATERMARK = object(
  {
    ...{ since: seconds, gone: seconds, at: moment, shards: whole(1, 1_000, 'a number of shards') },
    swept: kind<readonly object[]>(
      value =>
        Array.isArray(value) &&
        value.every(
          each =>
            isObject(each) &&
            objectProblems(SWEPT, each, { required: Object.keys(SWEPT), remedy: '' }).length === 0,
        ),
      `a list of objects with ${Object.keys(SWEPT).join(', ')}`,
    ),
  },
  ['since', 'gone', 'at', 'shards'],
);

function object(kinds: Kinds, required: readonly string[] = Object.keys(kinds)) {
  return kind<object>(isObject, `an object with ${Object.keys(kinds).join(', ')}`, {
    inside: value => objectProblems(kinds, value, { required, remedy: REMEDY }),
  });
}

const REMEDY = 'Correct it, or take the whole item away: then nothing is set.';

/**
 * Reads the pauses and the watermarks with strong consistency.
 * @throws JournalUnreadableError, also for a malformed entry
 */
export async function readState(journal: JournalTable): Promise<DeploymentState> {
  const items = await readEntries(journal);
  const marks = items.find(item => item[JOURNAL_KEYS.sortKey] === WATERMARKS_AT);
  return {
    pauses: pausesOf(journal, items),
    watermarks: marks === undefined ? { tables: byTable() } : watermarksOf(journal, marks),
  };
}

/** Reads only the pauses: to read the watermarks, too, would cost more read units. @throws JournalUnreadableError */
export async function readPauses(journal: JournalTable): Promise<Pauses> {
  return pausesOf(journal, await readEntries(journal, TABLE_PREFIX));
}

function pausesOf(journal: JournalTable, items: readonly Record<string, unknown>[]): Pauses {
  const pauses = byTable<Pause>();
  for (const item of items) {
    const at = String(item[JOURNAL_KEYS.sortKey]);
    const table = tableOfEntry(at);
    if (table === undefined) continue;
    const { pause } = checked<{ readonly pause?: Pause }>(journal, at, ENTRY_KINDS, item);
    if (pause !== undefined) pauses[table] = pause;
  }
  return pauses;
}

/** An object without a prototype, because a table may have the name of an inherited property, such as `toString`. */
function byTable<Value>(): Record<string, Value> {
  return Object.create(null);
}

function watermarksOf(journal: JournalTable, item: Record<string, unknown>): DeploymentState['watermarks'] {
  const tables = Object.keys(item).flatMap(name => tableOfEntry(name) ?? []);
  const kinds = Object.fromEntries(tables.map(table => [tableEntry(table), WATERMARK]));
  const read = checked<Record<string, unknown>>(journal, WATERMARKS_AT, { tick: moment, ...kinds }, item);
  return {
    ...(read['tick'] !== undefined && { tick: read['tick'] as string }),
    tables: Object.assign(
      byTable<Watermark>(),
      Object.fromEntries(tables.map(table => [table, read[tableEntry(table)]])),
    ),
  };
}

function checked<Entry>(
  { tableName }: JournalTable,
  at: string,
  kinds: Kinds,
  item: Record<string, unknown>,
): Entry {
  const [problem] = under(at, fieldProblems(kinds, item, { remedy: REMEDY }));
  if (problem) throw new JournalUnreadableError(`Journal ${tableName}: ${describeProblem(problem)}`);
  return item as Entry;
}

/** Replaces each `NumberValue` of the document client by a plain number. The journal's numbers are small enough for a plain number. */
export function plainValue(value: unknown): unknown {
  if (value instanceof NumberValue) return Number(value.value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainValue(each)]));
}

async function readEntries(journal: JournalTable, prefix?: string): Promise<Record<string, unknown>[]> {
  const entries = queryJournal(journal, {
    KeyConditionExpression: prefix === undefined ? '#id = :id' : '#id = :id AND begins_with(#at, :prefix)',
    ExpressionAttributeNames: {
      '#id': JOURNAL_KEYS.partitionKey,
      ...(prefix !== undefined && { '#at': JOURNAL_KEYS.sortKey }),
    },
    ExpressionAttributeValues: { ':id': DEPLOYMENT_ID, ...(prefix !== undefined && { ':prefix': prefix }) },
    ConsistentRead: true,
  });
  const items: Record<string, unknown>[] = [];
  for await (const item of entries) items.push(item);
  return items;
}

/** Yields a query's items. The next request is sent only when the caller needs more items. @throws JournalUnreadableError */
export async function* queryJournal(
  { documents, tableName }: JournalTable,
  query: Omit<QueryCommandInput, 'TableName'>,
): AsyncGenerator<Record<string, unknown>> {
  let startKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const page = { TableName: tableName, ...query, ...(startKey && { ExclusiveStartKey: startKey }) };
    const answer: QueryCommandOutput = await documents
      .send(new QueryCommand(page))
      .catch((error: unknown) => {
        throw unreadable(tableName, error);
      });
    for (const item of answer.Items ?? []) yield plainValue(item) as Record<string, unknown>;
    startKey = answer.LastEvaluatedKey;
  } while (startKey !== undefined);
}

function unreadable(tableName: string, error: unknown): JournalUnreadableError {
  const consequence = ' Nothing was deleted, because a table may be paused.';
  return new JournalUnreadableError(problemOf(tableName, 'read', error, consequence), { cause: error });
}

export function problemOf(
  tableName: string,
  call: 'read' | 'write',
  error: unknown,
  consequence = '',
): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return `Journal ${tableName}: expected to ${call} it, got ${name}: ${message}.${consequence} See to the table, and to what the role of the caller may do with it.`;
}
