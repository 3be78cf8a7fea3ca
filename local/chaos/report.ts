import { FAULTS, type FaultCounts, type FaultName } from '../faults/index.ts';
import type { Accounts } from './accounts.ts';
import type { Counts, Violation } from './truth.ts';

export interface ChaosReport {
  readonly seed: number;
  readonly deleteMode: string;
  readonly counts: Counts;
  readonly faults: FaultCounts;
  readonly kills: number;
  readonly accounts: Accounts;
  readonly violations: readonly Violation[];
  /** What else went wrong: a sentence each. */
  readonly problems: readonly string[];
  readonly interrupted: boolean;
}

/** Histories that are printed; all violations are counted. */
const MOST_HISTORIES = 5;

export function kept({ violations, problems, accounts }: ChaosReport): boolean {
  return violations.length === 0 && problems.length === 0 && accounts.wrong.length === 0;
}

/** The summary a person reads. */
export function formatChaosReport(report: ChaosReport): string {
  const { counts, faults, kills, accounts, violations, problems, seed, deleteMode, interrupted } = report;
  const number = (value: number) => value.toLocaleString('en-US');
  const violated = (what: Violation['what']) => violations.filter(each => each.what === what).length;
  const rows: [string, string][] = [
    [
      'items',
      `${number(counts.items)} written, ${number(counts.renewals)} renewals, ${number(counts.deletedByUs)} deleted by the application, ${number(counts.swept)} swept (${deleteMode})`,
    ],
    ...(Object.entries(FAULTS) as [FaultName, string][]).map(([name, what]): [string, string] => [
      name,
      `${number(faults[name] ?? 0)} ${what}`,
    ]),
    ['kills', `${number(kills)} runners killed with SIGKILL`],
    ['executions', [...accounts.endings].map(([ending, count]) => `${number(count)} ${ending}`).join(', ')],
    [
      'their counts',
      Object.entries(accounts.totals)
        .map(([name, count]) => `${name} ${number(count)}`)
        .join(', '),
    ],
    [
      'add up',
      accounts.wrong.length === 0 ? 'in every execution' : `not in ${accounts.wrong.length} executions`,
    ],
    ['lost', number(violated('lost'))],
    ['wrongly deleted', number(violated('wrongly deleted'))],
    ['out of step', `${number(violated('out of step'))} items that are not as they were written`],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(16)} ${text}`);
  const histories = violations
    .slice(0, MOST_HISTORIES)
    .flatMap(({ what, id, history }) => ['', `${id}: ${what}`, ...history.map(line => `  ${line}`)]);
  const verdict = interrupted
    ? 'Interrupted: nothing can be said of what was left.'
    : kept(report)
      ? `Nothing lost, nothing wrongly deleted, every count adds up (seed ${seed}).`
      : `Violated, with seed ${seed}:`;
  return [
    ...lines,
    '',
    verdict,
    ...[...accounts.wrong, ...problems].map(line => `  ${line}`),
    ...histories,
  ].join('\n');
}
