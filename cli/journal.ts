import {
  JOURNAL_KEYS,
  journalName,
  type Pause,
  type SweepRow,
  sweepsId,
} from '../functions/journal/layout.ts';
import { type JournalTable, queryJournal } from '../functions/journal/read-state.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';
import { EXECUTION_COUNTS, noCounts } from '../statemachine/counts.ts';
import type { Clients } from './clients.ts';
import type { Table } from './command.ts';
import { commandLine } from './command-line.ts';
import { clock } from './dashboard/words.ts';

export function journalOf({ props }: Table, { documents }: Pick<Clients, 'documents'>): JournalTable {
  return { documents, tableName: journalName(props.deployment) };
}

export function pauseText(table: string, { since, until }: Pause, now: number): string {
  const end = until === undefined ? commandLine('resume', ['--table', table]) : clock(until, now);
  return `since ${clock(since, now)}, until ${end}`;
}

type StoredRow = Omit<SweepRow, 'table' | 'report'> & { readonly report: Partial<SweepReport> };

/** Yields the table's sweeps from the journal, the latest start first. Queries the journal again only when the caller needs more. */
export async function* readRows(
  journal: JournalTable,
  table: string,
  pageRows?: number,
): AsyncGenerator<SweepRow> {
  const rows = queryJournal(journal, {
    KeyConditionExpression: '#id = :id',
    ExpressionAttributeNames: { '#id': JOURNAL_KEYS.partitionKey },
    ExpressionAttributeValues: { ':id': sweepsId(table) },
    ScanIndexForward: false,
    ...(pageRows !== undefined && { Limit: pageRows }),
  });
  for await (const row of rows) {
    const { kind, execution, startedAt, endedAt, report } = row as unknown as StoredRow;
    yield { table, kind, execution, startedAt, endedAt, report: wholeReport(report) };
  }
}

/** Returns the whole report: `told` may lack counts that are 0, a `dryRun` that is false, and empty lists. */
export function wholeReport(told: Partial<SweepReport>): SweepReport {
  return { dryRun: false, ...noCounts(EXECUTION_COUNTS), failedKeys: [], sampleKeys: [], ...told };
}
