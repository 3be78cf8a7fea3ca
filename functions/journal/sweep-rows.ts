import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { rowItem, type SweepRow } from './layout.ts';
import { type JournalTable, unwritable } from './update-entry.ts';

/** Rows per batch. Source: DynamoDB API reference, BatchWriteItem. */
const ROWS_AT_ONCE = 25;

/** Pauses before each retry of rows that DynamoDB left unprocessed, milliseconds. */
const PAUSES_MS = [50, 200, 800];

/**
 * Writes the results of an execution, one row for each table. Writing the same row again changes nothing.
 *
 * @throws JournalUnwritableError
 */
export async function putRows(
  journal: JournalTable,
  rows: readonly SweepRow[],
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    await putBatch(journal, rows.slice(first, first + ROWS_AT_ONCE), pause);
  }
}

async function putBatch(
  { documents, tableName }: JournalTable,
  rows: readonly SweepRow[],
  pause: (ms: number) => Promise<unknown>,
): Promise<void> {
  let requests = rows.map(row => ({ PutRequest: { Item: rowItem(row) } })) as BatchWriteRequests;
  for (const ms of [...PAUSES_MS, undefined]) {
    const command = new BatchWriteCommand({ RequestItems: { [tableName]: requests } });
    const { UnprocessedItems = {} } = await documents.send(command).catch((error: unknown) => {
      throw unwritable(tableName, error);
    });
    requests = UnprocessedItems[tableName] ?? [];
    if (requests.length === 0) return;
    if (ms !== undefined) await pause(ms);
  }
  throw unwritable(tableName, new Error(`${requests.length} rows are still unprocessed`));
}

type BatchWriteRequests = NonNullable<
  NonNullable<ConstructorParameters<typeof BatchWriteCommand>[0]['RequestItems']>[string]
>;
