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
  /** The longest delay of a small request to DynamoDB Local, milliseconds. */
  readonly worstPulseMs: number;
  readonly interrupted: boolean;
}

/**
 * A machine whose smallest requests take longer was so far behind that deletions are seen, and children get on, too late
 * to judge by.
 */
export const MAX_PULSE_MS = 2_000;

/**
 * `kept`: every promise was. `violated`: one was not. `undecided`: the machine was so slow that nothing follows from what
 * was left; what lived and was deleted is a violation all the same.
 */
export type Verdict = 'interrupted' | 'violated' | 'undecided' | 'kept';

export function verdictOf(report: ChaosReport): Verdict {
  const { violations, problems, accounts, worstPulseMs, interrupted } = report;
  if (interrupted) return 'interrupted';
  if (violations.some(({ what }) => what !== 'lost')) return 'violated';
  if (worstPulseMs > MAX_PULSE_MS) return 'undecided';
  const kept = violations.length === 0 && problems.length === 0 && accounts.wrong.length === 0;
  return kept ? 'kept' : 'violated';
}

/** Histories that are printed; all violations are counted. */
const MAX_HISTORIES = 5;

const WORDS: Readonly<Record<Verdict, (seed: number) => string>> = {
  interrupted: () => 'Interrupted: nothing can be said of what was left.',
  undecided: seed => `The machine was too slow: this run proves nothing (seed ${seed}).`,
  kept: seed => `Nothing lost, nothing wrongly deleted, every count adds up (seed ${seed}).`,
  violated: seed => `Violated, with seed ${seed}:`,
};

/** The summary a person reads. */
export function formatChaosReport(report: ChaosReport): string {
  const { counts, faults, kills, accounts, violations, problems, seed, deleteMode, worstPulseMs } = report;
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
    [
      'machine',
      `${number(worstPulseMs)} ms behind at the worst; more than ${number(MAX_PULSE_MS)} proves nothing`,
    ],
    ['lost', number(violated('lost'))],
    ['wrongly deleted', number(violated('wrongly deleted'))],
    ['out of step', `${number(violated('out of step'))} items that are not as they were written`],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(16)} ${text}`);
  const histories = violations
    .slice(0, MAX_HISTORIES)
    .flatMap(({ what, id, history }) => ['', `${id}: ${what}`, ...history.map(line => `  ${line}`)]);
  return [
    ...lines,
    '',
    WORDS[verdictOf(report)](seed),
    ...[...accounts.wrong, ...problems].map(line => `  ${line}`),
    ...histories,
  ].join('\n');
}
