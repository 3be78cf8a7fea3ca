import { FAULTS, type FaultCounts, type FaultName } from '../faults/index.ts';
import type { Accounts } from '../ledger/accounts.ts';
import type { ArchivedItems } from '../ledger/followers.ts';
import type { Counts } from '../ledger/tally.ts';
import { FINDINGS, type Violation } from '../ledger/verdict.ts';
import { count } from '../report/numbers.ts';

export interface ChaosReport {
  readonly seed: number;
  readonly deleteMode: string;
  readonly counts: Counts;
  readonly faults: FaultCounts;
  readonly accounts: Accounts;
  /** The archived items; undefined without an archive. */
  readonly archive: ArchivedItems | undefined;
  /** Injected failures of S3 calls. */
  readonly s3: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** Further problems, one sentence each. */
  readonly problems: readonly string[];
  /** Longest time for which the machine stood still or DynamoDB Local did not answer, milliseconds. */
  readonly longestLostMs: number;
  readonly interrupted: boolean;
}

/** Longest standstill of the machine after which deletions and children can still be judged, milliseconds. */
export const MAX_LOST_MS = 2_000;

/**
 * `kept`: every promise was kept. `violated`: one was not. `undecided`: the machine was so slow that remaining items prove nothing; a
 * deleted live item is a violation all the same.
 */
export type Verdict = 'interrupted' | 'violated' | 'undecided' | 'kept';

export function verdictOf(report: ChaosReport): Verdict {
  const { violations, problems, accounts, longestLostMs, interrupted } = report;
  if (interrupted) return 'interrupted';
  if (violations.some(violation => whatOf(violation) !== 'lost')) return 'violated';
  if (longestLostMs > MAX_LOST_MS) return 'undecided';
  const kept = violations.length === 0 && problems.length === 0 && accounts.wrong.length === 0;
  return kept ? 'kept' : 'violated';
}

type What = (typeof FINDINGS)[Violation['finding']]['what'];

const whatOf = ({ finding }: Violation): What => FINDINGS[finding].what;

/** Histories that are printed; all violations are counted. */
const MAX_HISTORIES = 5;

const WORDS: Readonly<Record<Verdict, (seed: number) => string>> = {
  interrupted: () => 'Interrupted: nothing can be said of what was left.',
  undecided: seed => `The machine was too slow: this run proves nothing (seed ${seed}).`,
  kept: seed => `Nothing lost, nothing wrongly deleted, every count adds up (seed ${seed}).`,
  violated: seed => `Violated, with seed ${seed}:`,
};

/** Formats the summary. */
export function formatChaosReport(report: ChaosReport): string {
  const { counts, faults, accounts, violations, problems, seed, deleteMode, longestLostMs } = report;
  const { archive, s3 } = report;
  const violated = (what: What) => violations.filter(each => whatOf(each) === what).length;
  const rows: [string, string][] = [
    [
      'items',
      `${count(counts.items)} written, ${count(counts.renewals)} renewals, ${count(counts.deletedByUs)} deleted by the application, ${count(counts.swept)} swept (${deleteMode})`,
    ],
    ...(counts.held === 0
      ? []
      : [
          ['held', `${count(counts.held)} items, ${count(counts.released)} of them released`] as [
            string,
            string,
          ],
        ]),
    ...(Object.entries(FAULTS) as [FaultName, string][]).map(([name, what]): [string, string] => [
      name,
      `${count(faults[name] ?? 0)} ${what}`,
    ]),
    ...(archive === undefined ? [] : archiveRows(archive, s3)),
    ['executions', [...accounts.endings].map(([ending, times]) => `${count(times)} ${ending}`).join(', ')],
    [
      'their counts',
      Object.entries(accounts.totals)
        .map(([name, total]) => `${name} ${count(total)}`)
        .join(', '),
    ],
    [
      'add up',
      accounts.wrong.length === 0 ? 'in every execution' : `not in ${accounts.wrong.length} executions`,
    ],
    [
      'machine',
      `${count(longestLostMs)} ms behind at the worst; more than ${count(MAX_LOST_MS)} proves nothing`,
    ],
    ['lost', count(violated('lost'))],
    ['wrongly deleted', count(violated('wrongly deleted'))],
    ['out of step', `${count(violated('out of step'))} items that are not as they were written`],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(16)} ${text}`);
  const histories = violations
    .slice(0, MAX_HISTORIES)
    .flatMap(violation => [
      '',
      `${violation.id}: ${whatOf(violation)}`,
      ...violation.history.map(line => `  ${line}`),
    ]);
  return [
    ...lines,
    '',
    WORDS[verdictOf(report)](seed),
    ...[...accounts.wrong, ...problems].map(line => `  ${line}`),
    ...histories,
  ].join('\n');
}

function archiveRows(archive: ArchivedItems, s3: ChaosReport['s3']): [string, string][] {
  const { items, again, objects, doubtful } = archive;
  const failed = Object.entries(s3).map(([name, times]) => `${count(times)} ${name}`);
  return [
    [
      'archived',
      `${count(items)} deletions in ${count(objects)} objects, ${count(again)} lines twice, ${count(doubtful)} read too late to tell`,
    ],
    ['S3', `calls that failed: ${failed.join(', ') || 'none'}`],
  ];
}
