import { isObject } from '../../expiry/fields.ts';
import type {
  ChildOutput,
  ChildProgress,
  CountsProgress,
  ShardResult,
} from '../../statemachine/contract/child.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { CHILD_COUNTS, sumOfFates } from '../../statemachine/counts.ts';
import { LAG_BUCKETS } from '../report/lag.ts';
import { areWindows } from '../table/target-windows.ts';
import { countFailed } from './child-counts.ts';
import { startProgress } from './child-progress.ts';
import { asOne } from './parts.ts';

/**
 * How a child ends. Except in a dry run, `found` is the sum of all results: the counts are made from the results, so that nothing is
 * counted twice, and a child that hands its target on does not count the items that it leaves.
 */

/**
 * Whether the child made progress. If it did not, handing its target on would repeat for ever. A dry run progresses by its
 * position.
 */
export function madeProgress(progress: ChildProgress): boolean {
  const { dryRun, poll, counts } = progress;
  if (dryRun) return counts.found > 0 && poll.position !== null;
  return sumOfFates({ ...counts, failed: 0 }) > 0;
}

/**
 * Ends a child that is done, or that can do no more: its deferred keys have failed.
 *
 * @param interrupted whether it ends before it has read its whole target, so that the sweep is not complete
 */
export function endShard(progress: ChildProgress, { interrupted }: { interrupted: boolean }): ShardResult {
  const { deferred, counts, listedKeysBytes } = progress;
  const ended = resultOf(progress, countFailed(counts, deferred.count, deferred.keys, listedKeysBytes));
  return { ...ended, complete: !interrupted && ended.failed === 0, interrupted };
}

/**
 * Ends a child that is out of time and hands its target on. Failed and deferred keys are not counted: the next child finds and counts
 * them again.
 */
export function handOn(progress: ChildProgress): ShardResult {
  const { dryRun, target, poll, counts } = progress;
  const resume: SweepTarget = dryRun ? { ...target, position: poll.position } : target;
  const counted = { ...counts, failed: 0, failedKeys: [] };
  return { ...resultOf(progress, counted), complete: false, interrupted: false, resume };
}

/**
 * The result of a child in the Map Run; undefined when it crashed and has none. A child with a malformed result counts as crashed, so that
 * it does not spoil the sums of the others.
 */
export function shardResultOf(output: ChildOutput): ShardResult | undefined {
  try {
    const result = resultOfOutput(output);
    return result && isShardResult(result) ? result : undefined;
  } catch {
    return undefined;
  }
}

function isShardResult({
  failedKeys,
  sampleKeys,
  lagCounts,
  lagMaxMs,
  resume,
  ...counts
}: ShardResult): boolean {
  return (
    // A child that began before a deployment lacks the counts that the deployment added.
    [...CHILD_COUNTS.map(name => counts[name] ?? 0), lagMaxMs, ...Object.values(lagCounts)].every(isCount) &&
    Object.keys(lagCounts).every(bucket => isCount(Number(bucket)) && Number(bucket) < LAG_BUCKETS) &&
    failedKeys.every(isObject) &&
    sampleKeys.every(key => key !== null) &&
    (resume === undefined || isTarget(resume))
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isTarget({ windows, from, before, upcomingFrom, position = null }: SweepTarget): boolean {
  return (
    areWindows(windows) &&
    [from, before].every(Number.isSafeInteger) &&
    (upcomingFrom === null || Number.isSafeInteger(upcomingFrom)) &&
    (position === null || isObject(position))
  );
}

function resultOfOutput(output: ChildOutput): ShardResult | undefined {
  if ('complete' in output) return output;
  if (!('interruptedBy' in output) || output.progress === null) return undefined;
  const progress = asOne(startProgress(output.progress));
  const { counts } = progress;
  // An unknown number of keys of the page in flight was deleted, so all of them count as failed.
  const failed = { ...counts, failed: counts.failed + counts.inFlight };
  return endShard({ ...progress, counts: failed }, { interrupted: true });
}

function resultOf(
  { dryRun }: ChildProgress,
  counts: CountsProgress,
): Omit<ShardResult, 'complete' | 'interrupted'> {
  const { inFlight: _inFlight, ...result } = counts;
  return {
    ...result,
    found: dryRun ? counts.found : sumOfFates(counts),
  };
}
