import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { JournalUnwritableError } from '../runtime/errors.ts';
import {
  DEPLOYMENT_ID,
  rowItem,
  type SweepRow,
  type SweptSpan,
  tableEntry,
  WATERMARKS_AT,
  type Watermark,
} from './layout.ts';
import { type JournalTable, problemOf } from './read-state.ts';

/**
 * @returns undefined when the update's `ConditionExpression` is false
 * @throws JournalUnwritableError
 */
export async function updateEntry(
  { documents, tableName }: JournalTable,
  at: string,
  update: Omit<UpdateCommandInput, 'TableName' | 'Key'>,
): Promise<UpdateCommandOutput | undefined> {
  const command = new UpdateCommand({ TableName: tableName, Key: { id: DEPLOYMENT_ID, at }, ...update });
  try {
    return await documents.send(command);
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined;
    throw unwritable(tableName, error);
  }
}

function unwritable(tableName: string, error: unknown): JournalUnwritableError {
  return new JournalUnwritableError(problemOf(tableName, 'write', error), { cause: error });
}

/** Maximum number of tables in one UpdateExpression: at most 10 bytes each; DynamoDB allows 4 KB (Developer Guide, "Constraints"). */
const TABLES_AT_ONCE = 300;

/**
 * Writes only the watermarks of `tables`: a replay may have moved other watermarks after this tick read them.
 * @param tick start of a tick for all tables, ISO-8601
 */
export async function writeWatermarks(
  journal: JournalTable,
  tick: string,
  tables: Readonly<Record<string, Watermark>>,
): Promise<void> {
  const entries = Object.entries(tables);
  for (let first = 0; first === 0 || first < entries.length; first += TABLES_AT_ONCE) {
    const written = entries.slice(first, first + TABLES_AT_ONCE);
    await updateEntry(journal, WATERMARKS_AT, {
      UpdateExpression: `SET tick=:t${written.map((_entry, index) => `,#${index}=:${index}`).join('')}`,
      ...(written.length > 0 && {
        ExpressionAttributeNames: Object.fromEntries(
          written.map(([table], index) => [`#${index}`, tableEntry(table)]),
        ),
      }),
      ExpressionAttributeValues: {
        ':t': tick,
        ...Object.fromEntries(written.map(([, watermark], index) => [`:${index}`, watermark])),
      },
    });
  }
}

/**
 * Adds `span`, which a child has swept, to the table's watermark. The next tick moves the watermark over such spans (`advanced`).
 * @throws JournalUnwritableError, also when the table has no watermark
 */
export async function noteSwept(journal: JournalTable, table: string, span: SweptSpan): Promise<void> {
  await updateEntry(journal, WATERMARKS_AT, {
    UpdateExpression: 'SET #table.swept = list_append(if_not_exists(#table.swept, :none), :swept)',
    ExpressionAttributeNames: { '#table': tableEntry(table) },
    ExpressionAttributeValues: { ':none': [], ':swept': [span] },
  });
}

/**
 * Moves a table's watermark forward to the end of a replay's span, unless there is a gap before the span.
 * @param endedAt end of the replay, ISO-8601
 */
export async function noteReplayed(
  journal: JournalTable,
  table: string,
  from: number,
  to: number,
  endedAt: string,
): Promise<void> {
  await updateEntry(journal, WATERMARKS_AT, {
    UpdateExpression: 'SET #table.gone = :gone, #table.#at = :at',
    ConditionExpression: '#table.gone >= :least AND #table.gone < :gone',
    ExpressionAttributeNames: { '#table': tableEntry(table), '#at': 'at' },
    ExpressionAttributeValues: {
      ':gone': to - 1,
      ':at': endedAt,
      ':least': from - 1,
    },
  });
}

/** Maximum number of items in one BatchWriteItem. Source: DynamoDB API reference. */
const ROWS_AT_ONCE = 25;

const PAUSES_MS = [50, 200, 800];

/** Puts each row as an item. A repeated call puts the same items, so the caller may retry. @throws JournalUnwritableError */
export async function putRows(
  { documents, tableName }: JournalTable,
  rows: readonly SweepRow[],
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    const some = rows.slice(first, first + ROWS_AT_ONCE);
    let requests = some.map(row => ({ PutRequest: { Item: rowItem(row) } })) as BatchWriteRequests;
    for (const ms of [0, ...PAUSES_MS]) {
      if (ms > 0) await pause(ms);
      const command = new BatchWriteCommand({ RequestItems: { [tableName]: requests } });
      const { UnprocessedItems = {} } = await documents.send(command).catch((error: unknown) => {
        throw unwritable(tableName, error);
      });
      requests = UnprocessedItems[tableName] ?? [];
      if (requests.length === 0) break;
    }
    if (requests.length > 0)
      throw unwritable(tableName, new Error(`${requests.length} rows are still unprocessed`));
  }
}

type BatchWriteRequests = NonNullable<
  NonNullable<ConstructorParameters<typeof BatchWriteCommand>[0]['RequestItems']>[string]
>;
