import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { JOURNAL_KEYS, rowItem, type SweepRow, sweepsId, wholeReport } from './layout.ts';
import { unreadable } from './read-state.ts';
import { plainValue } from './stored-values.ts';
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

export interface RowQuery {
  /** Selects executions that began in [from, to], ISO-8601. @default all */
  readonly from?: string;
  readonly to?: string;
  /** @default 'oldest' */
  readonly first?: 'oldest' | 'latest';
  /** Selects only executions that left items. @default false */
  readonly failed?: boolean;
  /** Rows of a page. @default as many as DynamoDB returns */
  readonly pageRows?: number;
}

/** Whether a report has failures. Its counts of 0 are left out, so the fields exist only then. */
const LEFT_SOMETHING = (
  ['failed', 'shardsFailed', 'tablesFailed', 'failure'] as const satisfies readonly (keyof SweepReport)[]
)
  .map(field => `attribute_exists(#report.${field})`)
  .join(' OR ');

/**
 * Reads the results of executions for a table, in the order of their starts. It reads a page when the caller needs more rows.
 *
 * @throws JournalUnreadableError
 */
export async function* readRows(
  { documents, tableName }: JournalTable,
  table: string,
  { from = '', to, first = 'oldest', failed = false, pageRows }: RowQuery = {},
): AsyncGenerator<SweepRow> {
  let startKey: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: '#id = :id AND #at BETWEEN :from AND :to',
      ExpressionAttributeNames: {
        '#id': JOURNAL_KEYS.partitionKey,
        '#at': JOURNAL_KEYS.sortKey,
        ...(failed && { '#report': 'report' }),
      },
      ...(failed && { FilterExpression: LEFT_SOMETHING }),
      ...(pageRows !== undefined && { Limit: pageRows }),
      ExpressionAttributeValues: {
        ':id': sweepsId(table),
        // A key must not be empty. All keys begin with a digit; the name of an execution follows after a #.
        ':from': from === '' ? '0' : from,
        ':to': to === undefined ? ':' : `${to}$`,
      },
      ScanIndexForward: first === 'oldest',
      ...(startKey && { ExclusiveStartKey: startKey }),
    });
    const { Items = [], LastEvaluatedKey } = await documents.send(command).catch((error: unknown) => {
      throw unreadable(tableName, error);
    });
    for (const item of Items) yield rowFrom(table, plainValue(item) as StoredRow);
    startKey = LastEvaluatedKey;
  } while (startKey !== undefined);
}

interface StoredRow extends Omit<SweepRow, 'table' | 'report'> {
  readonly report: Partial<SweepReport>;
}

function rowFrom(table: string, { kind, execution, startedAt, endedAt, report }: StoredRow): SweepRow {
  return { table, kind, execution, startedAt, endedAt, report: wholeReport(report) };
}
