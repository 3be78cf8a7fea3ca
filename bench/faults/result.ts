import type { LagPercentiles } from '../../lab/report/lag.ts';
import { count } from '../../lab/report/numbers.ts';
import { markdownTable, percent, seconds } from '../live/format.ts';
import type { ExecutionSums } from '../ticks/executions.ts';
import type { Bounds } from './scenarios.ts';

export interface FaultsResult {
  readonly id: string;
  readonly title: string;
  /** Items a second. */
  readonly rate: number;
  readonly bounds: Bounds;
  readonly written: number;
  readonly deleted: number;
  /** Items deleted before their TTL; anything but 0 is a failure. */
  readonly early: number;
  /** Items that were in a call that hung. */
  readonly struck: number;
  /** From expiry to deletion, of all that was deleted. */
  readonly lagMs: LagPercentiles;
  /** Of the deleted items that were not in a call that hung, the share (0 to 1) later than LATE_MS. */
  readonly lateShare: number;
  readonly sums: ExecutionSums;
}

/** What was promised of a scenario and not kept. */
export function faultsProblems(result: FaultsResult): string[] {
  const { title, bounds, written, deleted, early, lagMs, lateShare, sums } = result;
  const problems: string[] = [];
  if (deleted !== written) problems.push(`${count(deleted)} of ${count(written)} items deleted`);
  if (early > 0) problems.push(`${count(early)} items deleted before they expired`);
  if (sums.failed > 0) problems.push(`${count(sums.failed)} sweeps failed`);
  if (!sums.eachAddsUp) problems.push('the counts of a sweep do not add up');
  if (sums.deleted !== deleted) {
    problems.push(`${count(deleted)} deletions were seen, the executions count ${count(sums.deleted)}`);
  }
  if (bounds.p99Ms !== undefined && (lagMs.p99 ?? 0) > bounds.p99Ms) {
    problems.push(`p99 expected at most ${seconds(bounds.p99Ms)} s, got ${seconds(lagMs.p99)} s`);
  }
  if (bounds.lateShare !== undefined && lateShare > bounds.lateShare) {
    problems.push(
      `later than 2 s expected at most ${percent(bounds.lateShare)}, got ${percent(lateShare)} of the other items`,
    );
  }
  return problems.map(problem => `${title}: ${problem}`);
}

const HEAD = [
  'scenario',
  'deleted',
  'lag p50, s',
  'p99, s',
  'max, s',
  'later than 2 s',
  'sweeps failed',
  'bound',
];

export function faultsTable(results: readonly FaultsResult[]): string {
  const rows = results.map(({ title, written, deleted, lagMs, lateShare, struck, sums, bounds }) => [
    title,
    `${count(deleted)} of ${count(written)}`,
    ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
    `${percent(lateShare)}${struck > 0 ? ' of the others' : ''}`,
    `${count(sums.failed)} of ${count(sums.executions)}`,
    boundOf(bounds),
  ]);
  return markdownTable(HEAD, rows);
}

function boundOf({ p99Ms, lateShare }: Bounds): string {
  if (p99Ms !== undefined) return `p99 ≤ ${p99Ms / 1000} s`;
  return lateShare === undefined ? '–' : `later than 2 s ≤ ${percent(lateShare)}`;
}
