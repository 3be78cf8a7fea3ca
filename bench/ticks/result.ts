import type { Tally } from '../../lab/ledger/tally.ts';
import { count } from '../../lab/report/numbers.ts';
import { CHUNK_KEYS } from '../../statemachine/contract.ts';
import { markdownTable } from '../live/format.ts';
import type { Machine } from '../live/machine.ts';
import { MEASURED_HEAD, type Measured, measured, measuredCells } from '../live/measured.ts';
import type { ExecutionSums } from './executions.ts';
import type { Scenario } from './scenarios.ts';

export interface ScenarioResult extends Measured {
  readonly id: string;
  readonly title: string;
  /** Of each tick that owned expiry times of the run: its deliveries, in seconds after its time. */
  readonly deliveredAfter: readonly (readonly number[])[];
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
  tally: Tally,
  lags: readonly number[],
  sums: ExecutionSums,
): ScenarioResult {
  return {
    id,
    title,
    deliveredAfter,
    ...measured(tally, lags),
    sums,
    countsAgree:
      sums.eachAddsUp && sums.failed === 0 && countedAsSeen(sums, tally.deleted + tally.liveDeleted),
  };
}

/** What a call deleted whose answer was lost, nobody counts as deleted: that is the only difference there may be. */
function countedAsSeen({ deleted, retries }: ExecutionSums, seen: number): boolean {
  const uncounted = seen - deleted;
  return uncounted >= 0 && uncounted <= retries * CHUNK_KEYS;
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
  ...MEASURED_HEAD,
  'executions',
  'their deleted',
  'not found',
  'retries',
  'counts add up',
];

export function ticksTable({ scenarios }: TicksResult): string {
  const rows = scenarios.map(({ title, deliveredAfter, sums, countsAgree, ...result }) => [
    title,
    deliveredAfter.map(delays => delays.join(' and ') || 'never').join(', '),
    ...measuredCells(result),
    ...[sums.executions, sums.deleted, sums.notFound, sums.retries].map(count),
    countsAgree ? 'yes' : 'no',
  ]);
  return markdownTable(HEAD, rows);
}
