import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { JOURNAL_KEYS, type SweepRow, sweepsId } from '../functions/journal/layout.ts';
import { unreadable } from '../functions/journal/read-state.ts';
import { plainValue } from '../functions/journal/stored-values.ts';
import type { JournalTable } from '../functions/journal/update-entry.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';
import { EXECUTION_COUNTS, noCounts } from '../statemachine/counts.ts';

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

/** Restores the report that the journal has shortened. */
export function wholeReport(told: Partial<SweepReport>): SweepReport {
  return { dryRun: false, ...noCounts(EXECUTION_COUNTS), failedKeys: [], sampleKeys: [], ...told };
}
