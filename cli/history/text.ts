import type { Sweep } from '../deployment/sweep.ts';
import { OUTCOME_COUNTS, type SweepOutcome } from '../deployment/sweep-outcome.ts';
import { describeOutcome, describeSweepLine, utc } from '../deployment/sweep-text.ts';
import { shortKey } from '../print.ts';
import { type KeyTextOptions, keysToShow, listedKeyText } from '../table/key-text.ts';
import type { History, TableHistory } from './job.ts';

/** A history for a person, the newest first. */
export function describeHistory({ tables, since }: History, { mask }: { readonly mask: boolean }): string {
  return tables.map(table => describeTable(table, new Date(since), mask)).join('\n\n');
}

function describeTable({ tableName, sweeps, more, keys }: TableHistory, since: Date, mask: boolean): string {
  const shown = { ...keys, logKeys: keysToShow(keys.logKeys, mask) };
  // Of another day than any: each line then has its date.
  const noDay = new Date(0);
  const lines = sweeps.flatMap(sweep => describeSweep(sweep, noDay, shown));
  return [
    `Table ${tableName}, since ${utc(since)}`,
    ...(sweeps.length === 0 ? ['  none'] : lines.map(line => `  ${line}`)),
    `  ${describeTotals(sweeps)}`,
    ...(more ? ['  There are older ones; --limit takes more of them.'] : []),
  ].join('\n');
}

function describeSweep(sweep: Sweep, now: Date, keys: KeyTextOptions): string[] {
  return [
    describeSweepLine(sweep, now),
    ...(sweep.failure === undefined ? [] : [`    ${sweep.name}: ${sweep.failure}`]),
    ...sweep.failedKeys.map(
      failure => `    not deleted: ${shortKey(listedKeyText(failure, keys) ?? 'a key')} (${failure.reason})`,
    ),
  ];
}

function describeTotals(sweeps: readonly Sweep[]): string {
  const statuses = Object.entries(Object.groupBy(sweeps, ({ status }) => status));
  const how = statuses.map(([status, { length } = []]) => `${count(length ?? 0)} ${status}`).join(', ');
  const sum = (name: keyof Omit<SweepOutcome, 'lagMs'>) =>
    sweeps.reduce((all, { outcome }) => all + outcome[name], 0);
  const total = Object.fromEntries(OUTCOME_COUNTS.map(name => [name, sum(name)])) as Omit<
    SweepOutcome,
    'lagMs'
  >;
  const sweepsText = `${count(sweeps.length)} ${sweeps.length === 1 ? 'execution' : 'executions'}`;
  return `${sweepsText}${how && ` (${how})`}: ${describeOutcome({ ...total, lagMs: null } as SweepOutcome)}`;
}

const count = (value: number): string => value.toLocaleString('en-US');
