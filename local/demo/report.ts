import type { Tally, Violations } from './ledger.ts';

/** What `--json` writes; exactly these fields. */
export interface DemoResult {
  readonly written: number;
  /** Items whose TTL passed while the job ran. */
  readonly expired: number;
  /** Of these, the ones seen to be deleted. */
  readonly deleted: number;
  readonly liveDeleted: number;
  /** Items renewed, or made permanent, in their last seconds, that outlived the time they had before. */
  readonly renewedKept: number;
  readonly overdue: number;
  /** Milliseconds from expiry to deletion, as seen from outside; 0 when nothing was deleted. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface Judged {
  readonly result: DemoResult;
  /** Promises that weren't kept; empty is a success. */
  readonly violations: Violations;
  readonly renewed: number;
}

/** Nearest-rank percentile: the smallest value that at least `share` (0 to 1) of the values don't exceed. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export function lagOf(lags: readonly number[]): DemoResult['lagMs'] {
  const sorted = [...lags].sort((a, b) => a - b);
  const round = (share: number) => Math.round(percentile(sorted, share));
  return { p50: round(0.5), p99: round(0.99), max: round(1) };
}

/**
 * Judges a run that has ended.
 *
 * @param found what the ledger found in the table that contradicts it
 * @param failures executions that failed, starts that didn't work: a sentence each
 */
export function judge(
  tally: Tally,
  lags: readonly number[],
  found: Violations,
  failures: readonly string[],
): Judged {
  const { written, expired, deleted, liveDeleted, overdue, renewed, renewedKept } = tally;
  const violations: string[] = [];
  if (deleted !== expired) violations.push(`${expired} items expired, but ${deleted} were deleted`);
  if (liveDeleted > 0) violations.push(`${liveDeleted} items were deleted while they were live`);
  if (renewedKept !== renewed)
    violations.push(`${renewed} items were renewed in time, but ${renewedKept} were kept`);
  if (overdue > 0) violations.push(`${overdue} items were overdue at the end`);
  return {
    result: { written, expired, deleted, liveDeleted, renewedKept, overdue, lagMs: lagOf(lags) },
    violations: [...violations, ...found, ...failures],
    renewed,
  };
}

export interface ReportContext {
  /** What the sweep promises: `at the tick of the minute: gone within 60 s`. */
  readonly promise: string;
  readonly executions: number;
  readonly interrupted: boolean;
}

/** The summary a person reads. */
export function formatReport(
  { result, violations, renewed }: Judged,
  { promise, executions, interrupted }: ReportContext,
): string {
  const { written, expired, deleted, liveDeleted, renewedKept, overdue, lagMs } = result;
  const mark = (kept: boolean) => (interrupted ? ' ' : kept ? '✓' : '✗');
  const rows: [string, string, string, string][] = [
    [' ', 'written', number(written), 'sessions'],
    [
      mark(deleted === expired),
      'expired = deleted',
      `${number(expired)} = ${number(deleted)}`,
      "seen in the table's stream",
    ],
    [mark(liveDeleted === 0), 'live items deleted', number(liveDeleted), ''],
    [
      mark(renewedKept === renewed),
      'renewed, kept',
      `${number(renewedKept)} of ${number(renewed)}`,
      'renewed or made permanent in their last seconds',
    ],
    [mark(overdue === 0), 'overdue at the end', number(overdue), ''],
    [
      ' ',
      'lag p50 / p99 / max',
      deleted === 0 ? '–' : `${seconds(lagMs.p50)} / ${seconds(lagMs.p99)} / ${seconds(lagMs.max)}`,
      `promised ${promise}`,
    ],
    [' ', 'executions', number(executions), 'of the state machine'],
  ];
  const width = (column: 1 | 2) => Math.max(...rows.map(row => row[column].length));
  const lines = rows.map(([sign, name, value, note]) =>
    `  ${sign} ${name.padEnd(width(1))}  ${value.padEnd(width(2))}  ${note}`.trimEnd(),
  );
  const verdict = interrupted
    ? '  Interrupted: this is what is known so far; nothing was judged.'
    : violations.length === 0
      ? '  Every promise was kept.'
      : ['  Not as promised:', ...violations.map(violation => `  ✗ ${violation}`)].join('\n');
  return [...lines, '', verdict].join('\n');
}

/** One line for while it runs, as narrow as 80 columns for a run of ordinary size. */
export function formatProgress(tally: Tally, lags: readonly number[], secondsLeft: number): string {
  const { p50, max } = lagOf(lags);
  const lag = lags.length > 0 ? `${(p50 / 1000).toFixed(1)}/${seconds(max)}` : '–';
  return [
    `written ${number(tally.written)}`,
    `expired ${number(tally.expired)}`,
    `deleted ${number(tally.deleted)}`,
    `overdue ${number(tally.overdue)}`,
    `lag ${lag}`,
    secondsLeft > 0 ? clock(secondsLeft) : 'last sweep',
  ].join('  ');
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** Milliseconds as seconds: `0.3 s`, `42.0 s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function clock(total: number): string {
  return `${Math.floor(total / 60)}:${String(Math.floor(total % 60)).padStart(2, '0')}`;
}
