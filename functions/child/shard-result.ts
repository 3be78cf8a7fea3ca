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
import { countFailed, NOTHING_COUNTED } from './child-counts.ts';
import { startProgress } from './child-progress.ts';
import { asOne } from './parts.ts';
import { recordOf } from './scan.ts';

/**
 * How a child ends. In all of these found is the sum of the fates, except in a dry run: the counts are
 * made of fates, so that nothing is counted twice and nothing that is left is counted by a child that hands it on.
 */

/**
 * A child that got nowhere would hand its target on for ever. A dry run gets on by its position, and so does a child that came upon
 * what is held, which stays where it is.
 */
export function madeProgress(progress: ChildProgress): boolean {
  const { dryRun, poll, counts, scan } = progress;
  if (counts.scanned > 0) return true;
  if (dryRun) return counts.found > 0 && poll.position !== null;
  // A scan that goes on reads its first page again, with what is held in it.
  const held = scan === undefined && goesOnBehindHeld(progress) ? counts.held : 0;
  return sumOfFates({ ...counts, failed: 0, held }) > 0;
}

/** Nothing that is left lies before its position but what is held. */
function goesOnBehindHeld({ dryRun, poll, deferred, counts }: ChildProgress): boolean {
  return !dryRun && poll.position !== null && counts.held > 0 && counts.failed === 0 && deferred.count === 0;
}

/**
 * The child is done, or can go no further: what is deferred has failed.
 *
 * @param interrupted it ends before it has read everything that is its own: the sweep must not pass for complete
 */
export function endShard(progress: ChildProgress, { interrupted }: { interrupted: boolean }): ShardResult {
  const { deferred, counts, listedKeysBytes } = progress;
  const ended = resultOf(progress, countFailed(counts, deferred.count, deferred.keys, listedKeysBytes));
  return { ...ended, complete: !interrupted && ended.failed === 0, interrupted };
}

/**
 * The child is out of time and hands its target on. What failed, is deferred or held is not counted: the next child finds it again and
 * counts it then. Where it would find nothing but what is held, it goes on behind it: over and over, it would never get further.
 */
export function handOn(progress: ChildProgress): ShardResult {
  const { dryRun, target, poll, counts, scan } = progress;
  if (target.scan !== undefined && scan !== undefined) {
    // Whatever lies before is counted: the next child does not come upon it.
    const resume = {
      ...target,
      position: scan.settled,
      scan: { ...target.scan, before: recordOf(target.scan, progress) },
    };
    return { ...resultOf(progress, counts), complete: false, interrupted: false, resume };
  }
  const isBehindHeld = goesOnBehindHeld(progress);
  const { position } = poll;
  const resume: SweepTarget = dryRun || isBehindHeld ? { ...target, position } : target;
  const { held } = dryRun || isBehindHeld ? counts : NOTHING_COUNTED;
  const counted = { ...counts, held, failed: 0, failedKeys: [] };
  return { ...resultOf(progress, counted), complete: false, interrupted: false, resume };
}

/**
 * The result of a child in the Map Run; undefined when it crashed and nothing is known. A child with any other result counts as crashed: it
 * must not spoil the sums of the others.
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
  named = [],
  ...counts
}: ShardResult): boolean {
  return (
    // A child that began before a deployment lacks a count that came with it.
    [...CHILD_COUNTS.map(name => counts[name] ?? 0), lagMaxMs, ...Object.values(lagCounts)].every(isCount) &&
    Object.keys(lagCounts).every(bucket => isCount(Number(bucket)) && Number(bucket) < LAG_BUCKETS) &&
    failedKeys.every(isObject) &&
    sampleKeys.every(key => key !== null) &&
    named.every(isObject) &&
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
  // Some of the page in flight may have been deleted: which is not known, so all of it counts as failed.
  const failed = { ...counts, failed: counts.failed + counts.inFlight };
  return endShard({ ...progress, counts: failed }, { interrupted: true });
}

function resultOf(
  { dryRun, scan }: ChildProgress,
  counts: CountsProgress,
): Omit<ShardResult, 'complete' | 'interrupted'> {
  const { inFlight: _inFlight, ...result } = counts;
  return {
    ...result,
    found: dryRun ? counts.found : sumOfFates(counts),
    ...(scan !== undefined && scan.named.length > 0 && { named: scan.named }),
  };
}
