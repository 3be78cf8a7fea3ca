import { OUTCOME_COUNTS, type SweepOutcome } from '../../operate/deployment/sweep.ts';
import { describeOutcome, describeSweepLine, utc } from '../../operate/deployment/sweep-text.ts';
import type { HistoryReport, TableHistory } from '../../operate/history/report.ts';
import { count } from '../numbers.ts';
import { shortKey } from '../print.ts';

/** A history as text for a person, newest first. */
export function describeHistory({ tables, since }: HistoryReport): string {
  return tables.map(table => describeTable(table, new Date(since))).join('\n\n');
}

function describeTable({ tableName, sweeps }: TableHistory, since: Date): string {
  return [
    `Table ${tableName}, since ${utc(since)}`,
    ...(sweeps.length === 0 ? ['  none'] : sweeps.flatMap(describeSweep).map(line => `  ${line}`)),
    `  ${describeTotals(sweeps)}`,
  ].join('\n');
}

function describeSweep(sweep: TableHistory['sweeps'][number]): string[] {
  return [
    // Compared with a date in 1970 no sweep is from today, so that each line shows its date.
    describeSweepLine(sweep, new Date(0)),
    ...(sweep.failure === null ? [] : [`    ${sweep.name}: ${sweep.failure}`]),
    ...sweep.failedKeys.map(({ key = 'a key', reason }) => `    not deleted: ${shortKey(key)} (${reason})`),
  ];
}

function describeTotals(sweeps: TableHistory['sweeps']): string {
  const statuses = Object.entries(Object.groupBy(sweeps, ({ status }) => status));
  const how = statuses.map(([status, { length } = []]) => `${count(length ?? 0)} ${status}`).join(', ');
  const sum = (name: (typeof OUTCOME_COUNTS)[number]) =>
    sweeps.reduce((all, { outcome }) => all + outcome[name], 0);
  const total = Object.fromEntries(OUTCOME_COUNTS.map(name => [name, sum(name)]));
  const executions = `${count(sweeps.length)} ${sweeps.length === 1 ? 'execution' : 'executions'}`;
  return `${executions}${how && ` (${how})`}: ${describeOutcome({ ...total, lagMs: null } as SweepOutcome)}`;
}
