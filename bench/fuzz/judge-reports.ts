import { readExecutionReport } from '../../functions/report/execution-report.ts';
import { SWEEP_INCOMPLETE } from '../../statemachine/contract/machines.ts';
import type { Violation } from '../ledger/verdict.ts';
import { type FuzzedTable, said } from './fuzzed-table.ts';
import type { EndedSweep } from './machine.ts';
import { addTo, NO_DELETES } from './sdk.ts';

/** What an execution says of a table that is in no report of it. */
const NOTHING = { deleted: 0, notFound: 0, renewed: 0, failed: 0, shardsFailed: 0, leftForLater: 0 } as const;

/**
 * Compares the reports of an execution with DynamoDB's deletes, for each table. So the sum of all reports is the number of deletes, but for
 * what the first two points leave open.
 *
 * - An execution without a report (stopped, timed out, not recorded) says nothing of its deletes. It must not have succeeded.
 * - If a child was interrupted, its page in progress counts as failed, whatever became of it. Then `deleted` is at most what was answered.
 * - Otherwise `deleted` and `notFound` are what was answered. A delete whose answer was lost is not found when it is tried again, is
 *   renewed if its user has written it again, or is given up as failed: no more items were deleted than the report has keys, except in the last page of a child that left some for later.
 * - A key that DynamoDB refuses for good is counted as failed, and an execution that leaves keys does not succeed.
 *
 * @param isCalm whether the execution must succeed
 */
export function judgeReports(
  { calls, name, status, error, text }: EndedSweep,
  tables: readonly Pick<FuzzedTable, 'name' | 'settings'>[],
  isCalm: boolean,
): Violation[] {
  const isGood = status === 'SUCCEEDED';
  if (isCalm && !isGood) return [said('failedQuietly', `${name} ended ${status} ${error ?? ''}: ${text}`)];
  const report = readExecutionReport(text);
  const isRecorded = report !== undefined && report.notRecorded === undefined;
  const isTold = isRecorded && (isGood || error === SWEEP_INCOMPLETE);
  const reports = isTold ? report.tables : {};
  const tally = new Map([['', NO_DELETES]]);
  for (const call of calls)
    for (const [table, { applied, ...answered }] of call.tally)
      addTo(tally, table, { applied, ...(call.isReceived && answered) });

  const wrong = tables.flatMap(({ name: table, settings }): string[] => {
    const { applied, refused, ...answered } = tally.get(table) ?? NO_DELETES;
    const told = { ...NOTHING, ...reports[table] };
    const isExact = isTold && told.shardsFailed === 0;
    // A batch does not report which items were gone.
    const counts =
      settings.deleteMode === 'batch' ? (['deleted'] as const) : (['deleted', 'notFound'] as const);
    return [
      ...counts
        .filter(count => (isExact ? told[count] !== answered[count] : told[count] > answered[count]))
        .map(count => `says ${count} ${told[count]} of ${table}; DynamoDB's answers say ${answered[count]}`),
      ...(isExact &&
      told.leftForLater === 0 &&
      applied > told.deleted + told.notFound + told.renewed + told.failed
        ? [
            `says ${told.deleted} + ${told.notFound} + ${told.renewed} + ${told.failed} of ${table}; DynamoDB deleted ${applied}`,
          ]
        : []),
      ...(isExact && refused > 0 && told.failed === 0
        ? [`says nothing of ${refused} keys of ${table} that DynamoDB refused`]
        : []),
      ...(isGood && told.failed + told.shardsFailed > 0
        ? [`succeeded and left ${told.failed} keys of ${table}`]
        : []),
    ];
  });
  return wrong.map(sentence => said('wrongCounts', `${name} ${sentence}`));
}
