import type { Execution } from 'stepfunctions-emulator';
import { readExecutionReport } from '../../functions/report/sweep-totals.ts';
import { SWEEP_INCOMPLETE } from '../../statemachine/contract/machines.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { FATES } from '../../statemachine/counts.ts';
import type { Violation } from '../ledger/ledger.ts';
import { type FuzzedTable, said } from './fuzzed-table.ts';
import type { Called } from './machine.ts';
import { addTo, NO_DELETES } from './sdk.ts';

const NOTHING = { deleted: 0, notFound: 0, renewed: 0, failed: 0, shardsFailed: 0, leftForLater: 0 } as const;

type Ended = Pick<Execution, 'name' | 'status' | 'error' | 'outputText' | 'cause'>;

/**
 * Compares the reports of an execution with DynamoDB's deletes, for each table.
 * @param isCalm whether the execution must succeed, because all faults have ended
 */
export function judgeReports(
  { name, status, error, outputText, cause }: Ended,
  calls: readonly Called[],
  tables: readonly Pick<FuzzedTable, 'name' | 'settings'>[],
  isCalm: boolean,
): Violation[] {
  const isGood = status === 'SUCCEEDED';
  const text = isGood ? outputText : cause;
  if (isCalm && !isGood) return [said('failedQuietly', `${name} ended ${status} ${error ?? ''}: ${text}`)];
  const isWhole = isGood || error === SWEEP_INCOMPLETE;
  const report = readExecutionReport(text);
  if (isWhole && report === undefined)
    return [said('wrongCounts', `${name} ended ${status} without a report: ${text}`)];
  const isReported = isWhole && report?.notRecorded === undefined;
  const reports = isReported ? (report?.tables ?? {}) : {};
  const tally = new Map([['', NO_DELETES]]);
  for (const call of calls)
    for (const [table, { applied, ...answered }] of call.tally)
      addTo(tally, table, { applied, ...(call.isReceived && answered) });

  const wrong = tables.flatMap(({ name: table, settings }): string[] => {
    const { applied, refused, ...answered } = tally.get(table) ?? NO_DELETES;
    const reported = { ...NOTHING, ...reports[table] };
    const { deleted, notFound, renewed, failed, shardsFailed, leftForLater } = reported;
    // If a shard's sweep failed, `deleted` and `notFound` may be too low.
    const isExact = isReported && shardsFailed === 0;
    // BatchWriteItem does not report which keys were not found.
    const counts =
      settings.deleteMode === 'batch' ? (['deleted'] as const) : (['deleted', 'notFound'] as const);
    const isWrong = (count: 'deleted' | 'notFound') =>
      isExact ? reported[count] !== answered[count] : reported[count] > answered[count];
    const sum = deleted + notFound + renewed + failed;
    return [
      ...counts
        .filter(isWrong)
        .map(
          count => `says ${count} ${reported[count]} of ${table}; DynamoDB's answers say ${answered[count]}`,
        ),
      // `applied` is compared with the sum: a delete whose response was lost may be reported as not found, renewed or failed.
      ...(isExact && leftForLater === 0 && applied > sum
        ? [`says ${deleted} + ${notFound} + ${renewed} + ${failed} of ${table}; DynamoDB deleted ${applied}`]
        : []),
      ...(isExact && refused > 0 && failed === 0
        ? [`says nothing of ${refused} keys of ${table} that DynamoDB refused`]
        : []),
      ...(isGood && failed + shardsFailed > 0 ? [`succeeded and left ${failed} keys of ${table}`] : []),
    ];
  });
  const unequal = Object.entries(reports).flatMap(([table, each]) => wrongSum(table, each));
  return [...wrong, ...unequal].map(sentence => said('wrongCounts', `${name} ${sentence}`));
}

function wrongSum(table: string, report: SweepReport): string[] {
  const sum = FATES.reduce((total, fate) => total + Number(report[fate]), 0);
  if (sum === report.found) return [];
  const fates = FATES.map(fate => `${fate} ${report[fate]}`).join(' + ');
  return [`found ${report.found} of ${table}, but ${fates} = ${sum}`];
}
