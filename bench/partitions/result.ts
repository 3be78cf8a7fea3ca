import { adviseShards, PARTITION_UNITS } from '../../expiry/partition-rule.ts';
import type { LagPercentiles } from '../../lab/report/lag.ts';
import { count } from '../../lab/report/numbers.ts';
import { markdownRow, markdownTable, percent, seconds } from '../live/format.ts';
import type { ExecutionSums } from '../ticks/executions.ts';
import { loadOf, type Scenario } from './scenarios.ts';

export interface PartitionsResult extends Scenario {
  /** That expired. */
  readonly items: number;
  /** Still there two ticks later. */
  readonly left: number;
  /** Of those that were deleted. */
  readonly lagMs: LagPercentiles;
  /** Share of the items that were deleted later than two seconds after their expiry, or not at all, 0 to 1. */
  readonly lateShare: number;
  /** Share of the users' own puts that found no write unit, each tried once, 0 to 1. */
  readonly putsThrottledShare: number;
  readonly sums: ExecutionSums;
}

/** What holds keeps this. */
const P99_MS = 2_000;
const MOST_PUTS_THROTTLED = 0.001;

/** Where the rule says that it holds, and it does not. */
export function partitionsProblems(result: PartitionsResult): string[] {
  const { rate, shards, granularityMinutes, partitions, lagMs, left, putsThrottledShare, sums } = result;
  const problems = sums.eachAddsUp ? [] : ['the counts of a sweep do not add up'];
  if (adviseShards(loadOf(result)).verdict === 'holds') {
    if (left > 0) problems.push(`${count(left)} items left`);
    if ((lagMs.p99 ?? 0) > P99_MS) problems.push(`p99 expected at most 2 s, got ${seconds(lagMs.p99)} s`);
    if (putsThrottledShare > MOST_PUTS_THROTTLED)
      problems.push(`${percent(putsThrottledShare)} of the puts throttled`);
  }
  const of = `${count(rate)} items/s, windows of ${granularityMinutes} min, ${shards} shards, ${partitions} partitions`;
  return problems.map(problem => `${of}: ${problem}`);
}

const HEAD = [
  'items a second',
  'window',
  'lifetimes',
  'index warm for',
  'shards',
  'the rule says',
  'lag p99, s',
  'later than 2 s',
  "users' puts throttled",
];

/** A result is shown as soon as it is there. */
export function partitionsHead(): string {
  return markdownTable(HEAD, []);
}

export function partitionsRow(result: PartitionsResult): string {
  return markdownRow([
    count(result.rate),
    result.granularityMinutes === 1 ? 'minute' : 'day',
    result.lifetimes,
    count(result.partitions * PARTITION_UNITS),
    count(result.shards),
    adviseShards(loadOf(result)).verdict,
    result.left > 0 ? `${count(result.left)} left` : seconds(result.lagMs.p99),
    percent(result.lateShare),
    percent(result.putsThrottledShare),
  ]);
}
