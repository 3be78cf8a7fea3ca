import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { describeProblem } from '../../expiry/errors.ts';
import {
  fieldProblems,
  isObject,
  type Kinds,
  kind,
  objectProblems,
  text,
  under,
  whole,
} from '../../expiry/fields.ts';
import { JournalUnreadableError } from '../runtime/errors.ts';
import {
  DEPLOYMENT_ID,
  type DeploymentState,
  type HandOverLease,
  JOURNAL_KEYS,
  type Pause,
  tableEntry,
  tableOfEntry,
  WATERMARKS_AT,
  type Watermark,
} from './layout.ts';
import { plainValue } from './stored-values.ts';
import type { JournalTable } from './update-entry.ts';

const moment = kind<string>(
  value => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  'a time such as 2026-11-20T09:00:00.000Z',
);
const seconds = whole(0, Number.MAX_SAFE_INTEGER, 'epoch seconds: a whole number');

/** The fields in the entry of a table. */
const ENTRY_KINDS = {
  pause: object({ since: moment, until: moment }, ['since']),
  handOver: object({ before: seconds, until: seconds, execution: text() }),
} as const;

const WATERMARK = object({ since: seconds, gone: seconds, at: moment });

/** A map with these fields, all of them required by default. */
function object(kinds: Kinds, required: readonly string[] = Object.keys(kinds)) {
  return kind<object>(isObject, `an object with ${Object.keys(kinds).join(', ')}`, {
    inside: value => objectProblems(kinds, value, { required, remedy: REMEDY }),
  });
}

const REMEDY = 'Correct it, or take the whole item away: then nothing is set.';

/**
 * Reads all that a tick needs, with strong consistency. A missing entry means that nothing is set.
 *
 * @throws JournalUnreadableError when it cannot be read, or has a malformed entry: then it is unknown which tables are paused
 */
export async function readState(journal: JournalTable): Promise<DeploymentState> {
  const pauses = byTable<Pause>();
  const handOvers = byTable<HandOverLease>();
  let watermarks: DeploymentState['watermarks'] = { tables: byTable() };
  for (const item of await readEntries(journal)) {
    const at = String(item[JOURNAL_KEYS.sortKey]);
    if (at === WATERMARKS_AT) watermarks = watermarksOf(journal, item);
    const table = tableOfEntry(at);
    if (table === undefined) continue;
    const { pause, handOver } = checked<TableEntry>(journal, at, ENTRY_KINDS, item);
    if (pause !== undefined) pauses[table] = pause;
    if (handOver !== undefined) handOvers[table] = handOver;
  }
  return { control: { pauses, handOvers }, watermarks };
}

/** An object without a prototype: tables may have the names of inherited properties. */
function byTable<Value>(): Record<string, Value> {
  return Object.create(null);
}

interface TableEntry {
  readonly pause?: Pause;
  readonly handOver?: HandOverLease;
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

async function readEntries({ documents, tableName }: JournalTable): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let startKey: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: '#id = :id',
      ExpressionAttributeNames: { '#id': JOURNAL_KEYS.partitionKey },
      ExpressionAttributeValues: { ':id': DEPLOYMENT_ID },
      ConsistentRead: true,
      ...(startKey && { ExclusiveStartKey: startKey }),
    });
    const { Items = [], LastEvaluatedKey } = await documents.send(command).catch((error: unknown) => {
      throw unreadable(tableName, error);
    });
    items.push(...Items.map(item => plainValue(item) as Record<string, unknown>));
    startKey = LastEvaluatedKey;
  } while (startKey !== undefined);
  return items;
}

export function unreadable(tableName: string, error: unknown): JournalUnreadableError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return new JournalUnreadableError(
    `Journal ${tableName}: expected to read it, got ${name}: ${message}. Nothing was deleted, because a table may be paused. See to the table, and to what the role of the caller may do with it.`,
    { cause: error },
  );
}
