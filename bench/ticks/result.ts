import type { Tally } from '../../local/demo/ledger.ts';
import { CHUNK_KEYS } from '../../statemachine/contract.ts';
import { type LagPercentiles, lagPercentiles } from '../live/distribution.ts';
import { count, markdownTable, seconds } from '../live/format.ts';
import type { Machine } from '../live/machine.ts';
import type { ExecutionSums } from './executions.ts';
import type { Scenario } from './scenarios.ts';

export interface ScenarioResult {
  readonly id: string;
  readonly title: string;
  /** Of each tick that owned expiry times of the run: its deliveries, in seconds after its time. */
  readonly deliveredAfter: readonly (readonly number[])[];
  readonly written: number;
  readonly expired: number;
  /** Of the expired ones, those seen to be deleted. */
  readonly deleted: number;
  /** Of the expired ones, those that were still there at the end. */
  readonly left: number;
  /** Items deleted before their TTL; anything but 0 is a failure. */
  readonly early: number;
  /** From expiry to deletion, milliseconds. */
  readonly lagMs: LagPercentiles;
  readonly sums: ExecutionSums;
  /** Whether what the executions say adds up: in each, and to what was seen from outside but for answers that were lost. */
  readonly countsAgree: boolean;
}

/** What is written to `bench/results/ticks.json`. */
export interface TicksResult {
  readonly settings: { readonly minutes: number; readonly rate: number; readonly seed: number };
  readonly machine: Machine;
  readonly scenarios: readonly ScenarioResult[];
}

export function scenarioResult(
  { id, title }: Scenario,
  deliveredAfter: ScenarioResult['deliveredAfter'],
  { written, expired, deleted, overdue, liveDeleted }: Tally,
  lags: readonly number[],
  sums: ExecutionSums,
): ScenarioResult {
  return {
    id,
    title,
    deliveredAfter,
    written,
    expired,
    deleted,
    left: overdue,
    early: liveDeleted,
    lagMs: lagPercentiles(lags),
    sums,
    countsAgree: sums.eachAddsUp && sums.failed === 0 && countedAsSeen(sums, deleted + liveDeleted),
  };
}

/** What a chunk whose answer was lost had deleted, its retry finds already gone: that is the only difference there may be. */
function countedAsSeen({ deleted, alreadyGone, retries }: ExecutionSums, seen: number): boolean {
  const uncounted = seen - deleted;
  return uncounted >= 0 && uncounted <= Math.min(alreadyGone, retries * CHUNK_KEYS);
}

/** What was promised of a scenario and not kept, whatever its lag. */
export function scenarioProblems({
  title,
  left,
  early,
  sums,
  countsAgree,
  deleted,
}: ScenarioResult): string[] {
  const problems: string[] = [];
  if (early > 0) problems.push(`${title}: ${count(early)} items deleted before they expired`);
  if (left > 0) problems.push(`${title}: ${count(left)} expired items left`);
  if (!countsAgree) {
    problems.push(
      `${title}: ${count(deleted)} deletions were seen, the executions count ${count(sums.deleted)}; ` +
        `${sums.failed} failed, ${sums.eachAddsUp ? 'each adds up' : 'one does not add up'}, ${sums.retries} retries`,
    );
  }
  return problems;
}

const HEAD = [
  'scenario',
  'ticks delivered after, s',
  'written',
  'expired',
  'deleted',
  'left',
  'early',
  'p50, s',
  'p99, s',
  'max, s',
  'executions',
  'their deleted',
  'already gone',
  'retries',
  'counts add up',
];

export function ticksTable({ scenarios }: TicksResult): string {
  const rows = scenarios.map(
    ({ title, deliveredAfter, written, expired, deleted, left, early, lagMs, sums, countsAgree }) => [
      title,
      deliveredAfter.map(delays => delays.join(' and ') || 'never').join(', '),
      ...[written, expired, deleted, left, early].map(count),
      ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
      ...[sums.executions, sums.deleted, sums.alreadyGone, sums.retries].map(count),
      countsAgree ? 'yes' : 'no',
    ],
  );
  return markdownTable(HEAD, rows);
}
