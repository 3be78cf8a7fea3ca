import { isIdle, type Sweep } from '../deployment/sweep.ts';
import { OUTCOME_COUNTS, type SweepOutcome } from '../deployment/sweep-outcome.ts';
import { describeOutcome, describeSweepLine, utc } from '../deployment/sweep-text.ts';
import { shortKey } from '../print.ts';
import { type KeyTextOptions, keysToShow, listedKeyText } from '../table/key-text.ts';
import type { History, TableHistory } from './job.ts';

/** A history for a person: the newest first, those with nothing to do in one line. */
export function describeHistory({ tables, since }: History, { mask }: { readonly mask: boolean }): string {
  return tables.map(table => describeTable(table, new Date(since), mask)).join('\n\n');
}

function describeTable({ tableName, sweeps, more, keys }: TableHistory, since: Date, mask: boolean): string {
  const shown = { ...keys, logKeys: keysToShow(keys.logKeys, mask) };
  // Of another day than any: each line then has its date.
  const noDay = new Date(0);
  const lines: string[] = [];
  for (const group of groupsOf(sweeps)) {
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) continue;
    if (!isIdle(first)) lines.push(...describeSweep(first, noDay, shown));
    else if (group.length === 1) lines.push(describeSweepLine(first, noDay));
    else lines.push(`${utc(last.startedAt)} to ${utc(first.startedAt).slice(11)}  ${describeIdle(group)}`);
  }
  return [
    `Table ${tableName}, since ${utc(since)}`,
    ...(sweeps.length === 0 ? ['  none'] : lines.map(line => `  ${line}`)),
    `  ${describeTotals(sweeps)}`,
    ...(more ? ['  There are older ones; --limit takes more of them.'] : []),
  ].join('\n');
}

/** `1,439 idle ticks`, `58 idle ticks and 1 idle reconcile` */
function describeIdle(sweeps: readonly Sweep[]): string {
  const kinds = Object.entries(Object.groupBy(sweeps, ({ kind }) => kind));
  return kinds
    .map(([kind, { length } = []]) => `${count(length ?? 0)} idle ${kind}${length === 1 ? '' : 's'}`)
    .join(' and ');
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

/** Neighbours that had nothing to do are together, all others alone. */
function groupsOf(sweeps: readonly Sweep[]): Sweep[][] {
  const groups: Sweep[][] = [];
  for (const sweep of sweeps) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && isIdle(first) && isIdle(sweep)) last.push(sweep);
    else groups.push([sweep]);
  }
  return groups;
}

function describeTotals(sweeps: readonly Sweep[]): string {
  const statuses = Object.entries(Object.groupBy(sweeps, ({ status }) => status));
  const how = statuses.map(([status, { length } = []]) => `${count(length ?? 0)} ${status}`).join(', ');
  // A dry run deletes nothing, and what it finds is found again.
  const outcomes = sweeps.flatMap(({ outcome, kind }) => (outcome && kind !== 'dry run' ? [outcome] : []));
  const sum = (name: keyof Omit<SweepOutcome, 'lagMs'>) =>
    outcomes.reduce((all, each) => all + each[name], 0);
  const total = Object.fromEntries(OUTCOME_COUNTS.map(name => [name, sum(name)])) as Omit<
    SweepOutcome,
    'lagMs'
  >;
  const sweepsText = `${count(sweeps.length)} ${sweeps.length === 1 ? 'execution' : 'executions'}`;
  return `${sweepsText}${how && ` (${how})`}: ${describeOutcome({ ...total, lagMs: null } as SweepOutcome)}`;
}

const count = (value: number): string => value.toLocaleString('en-US');
