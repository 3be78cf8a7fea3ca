import type { IndexedBy } from '../../expiry/model.ts';
import type { LagPercentiles } from '../../lab/report/lag.ts';
import { count } from '../../lab/report/numbers.ts';
import { markdownTable, seconds } from '../live/format.ts';
import type { ExecutionSums } from '../ticks/executions.ts';

/** What a sweep with `maxDeletesPerSecond` came to. */
export interface LimitedResult {
  readonly indexedBy: IndexedBy;
  /** Expiring items a second. */
  readonly rate: number;
  readonly maxDeletesPerSecond: number;
  readonly items: number;
  readonly left: number;
  /** Deletes a second in any ten seconds under the limit. */
  readonly mostPerSecond: number;
  readonly fewestPerSecond: number;
  /** From the first tick without the limit to the last deletion. */
  readonly goneAfterMs: number;
  readonly lagMs: LagPercentiles;
  readonly sums: ExecutionSums;
}

/** What a table that was too small for a time came to. */
export interface ThrottledResult {
  /** The share of the sweep's calls that were refused besides, 0 to 1. */
  readonly randomShare: number;
  readonly withBrake: ThrottledHalf;
  readonly without: ThrottledHalf;
}

export interface ThrottledHalf {
  readonly items: number;
  readonly left: number;
  /** From the moment that the table had room again to the last deletion. */
  readonly goneAfterMs: number;
  readonly lagMs: LagPercentiles;
  /** The application's writes, each tried once, and those that found no room. */
  readonly writes: number;
  readonly writesThrottled: number;
  readonly sums: ExecutionSums;
  readonly braked: number;
}

/** Of the limit, either way. */
const TOLERANCE = 0.1;
/** The writer's throttled writes with the brake, of those without. */
const MOST_THROTTLED = 0.5;
const GONE_MS = 60_000;
/** A tick owns the minute after its own: the last limited one has its minute after the limit is gone. */
const RELEASED_MS = 120_000;

export function limitedProblems(result: LimitedResult): string[] {
  const { indexedBy, maxDeletesPerSecond: limit, mostPerSecond, fewestPerSecond, goneAfterMs } = result;
  const problems = sweepProblems(result);
  if (mostPerSecond > limit * (1 + TOLERANCE)) problems.push(`up to ${mostPerSecond} deletes a second`);
  if (fewestPerSecond < limit * (1 - TOLERANCE)) problems.push(`down to ${fewestPerSecond} deletes a second`);
  if (goneAfterMs > RELEASED_MS) problems.push(`gone only ${seconds(goneAfterMs)} s after the limit`);
  return problems.map(problem => `limit ${limit}, by ${indexedBy}: ${problem}`);
}

export function throttledProblems({ randomShare, withBrake, without }: ThrottledResult): string[] {
  const problems = [withBrake, without].flatMap(sweepProblems);
  if (withBrake.writesThrottled > without.writesThrottled * MOST_THROTTLED) {
    problems.push(
      `${withBrake.writesThrottled} writes throttled with the brake, ${without.writesThrottled} without`,
    );
  }
  if (withBrake.goneAfterMs > GONE_MS) problems.push(`gone only after ${seconds(withBrake.goneAfterMs)} s`);
  if (withBrake.braked === 0) problems.push('no report says that it braked');
  return problems.map(problem => `${percent(randomShare)} refused besides: ${problem}`);
}

function sweepProblems({ left, sums }: { readonly left: number; readonly sums: ExecutionSums }): string[] {
  return [
    ...(left > 0 ? [`${count(left)} items left`] : []),
    ...(sums.failed > 0 ? [`${count(sums.failed)} sweeps failed`] : []),
    ...(sums.eachAddsUp ? [] : ['the counts of a sweep do not add up']),
  ];
}

export function limitedTable(results: readonly LimitedResult[]): string {
  return markdownTable(
    [
      'limit',
      'expiring a second',
      'indexed by',
      'deletes a second in any ten seconds',
      'items left',
      'all gone after, s',
    ],
    results.map(result => [
      count(result.maxDeletesPerSecond),
      count(result.rate),
      result.indexedBy,
      `${result.fewestPerSecond} to ${result.mostPerSecond}`,
      `${count(result.left)} of ${count(result.items)}`,
      seconds(result.goneAfterMs),
    ]),
  );
}

export function throttledTable(results: readonly ThrottledResult[]): string {
  return markdownTable(
    [
      'refused besides',
      'brake',
      "writer's writes throttled",
      'of those without',
      'lag p50, s',
      'p99, s',
      'items left',
      'all gone after, s',
    ],
    results.flatMap(({ randomShare, withBrake, without }) =>
      (
        [
          ['off', without],
          ['on', withBrake],
        ] as const
      ).map(([brake, half]) => [
        percent(randomShare),
        brake,
        `${count(half.writesThrottled)} of ${count(half.writes)}`,
        (half.writesThrottled / without.writesThrottled).toFixed(2),
        seconds(half.lagMs.p50),
        seconds(half.lagMs.p99),
        `${count(half.left)} of ${count(half.items)}`,
        seconds(half.goneAfterMs),
      ]),
    ),
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
