import type { ChildOutput, ChildProgress, ShardResult, SweepTarget } from '../../statemachine/contract.ts';
import { CHILD_COUNTS, countEach, sumOfFates } from '../../statemachine/counts.ts';
import { listFailedKeys } from '../report/listed-keys.ts';
import { startProgress } from './child-progress.ts';

/**
 * How a child ends. In all of these found is the sum of the fates, except in a dry run: the counts are
 * made of fates, so that nothing is counted twice and nothing that is left is counted by a child that hands it on.
 */

/**
 * A child that got nowhere would hand its target on for ever. A dry run gets on by its position, and so does a child that came upon
 * what is held, which stays where it is.
 */
export function madeProgress(progress: ChildProgress): boolean {
  const { dryRun, position, ...counts } = progress;
  if (dryRun) return counts.found > 0 && position !== null;
  const held = goesOnBehindHeld(progress) ? counts.held : 0;
  return sumOfFates({ ...counts, failed: 0, held }) > 0;
}

/** Nothing that is left lies before its position but what is held. */
function goesOnBehindHeld({ dryRun, position, held, failed, deferred }: ChildProgress): boolean {
  return !dryRun && position !== null && held > 0 && failed === 0 && deferred === 0;
}

/**
 * The child is done, or can go no further: what is deferred has failed.
 *
 * @param interrupted it ends before it has read everything that is its own: the sweep must not pass for complete
 */
export function endShard(progress: ChildProgress, { interrupted }: { interrupted: boolean }): ShardResult {
  const failed = progress.failed + progress.deferred;
  const failedKeys = listFailedKeys(
    [...progress.failedKeys, ...progress.deferredKeys],
    progress.listedKeysBytes,
  );
  const result = resultOf(progress, failed, failedKeys);
  return { ...result, complete: !interrupted && failed === 0, interrupted };
}

/**
 * The child is out of time and hands its target on. What failed, is deferred or held is not counted: the next child finds it again and
 * counts it then. Where it would find nothing but what is held, it goes on behind it: over and over, it would never get further.
 */
export function handOn(progress: ChildProgress): ShardResult {
  const { dryRun, target, position } = progress;
  const goesOn = goesOnBehindHeld(progress);
  const resume: SweepTarget = dryRun || goesOn ? { ...target, position } : target;
  const counted = dryRun || goesOn ? progress : { ...progress, held: 0 };
  return { ...resultOf(counted, 0, []), complete: false, interrupted: false, resume };
}

/** What a child came to, by what the Map Run holds of it; undefined when it crashed and nothing is known. */
export function shardResultOf(output: ChildOutput): ShardResult | undefined {
  if ('complete' in output) return output;
  if (!('interruptedBy' in output)) return undefined;
  const progress = startProgress(output.progress);
  // Some of the page in flight may have been deleted: which is not known, so all of it counts as failed.
  return endShard({ ...progress, failed: progress.failed + progress.inFlight }, { interrupted: true });
}

function resultOf(
  { dryRun, ...progress }: ChildProgress,
  failed: number,
  failedKeys: ShardResult['failedKeys'],
): Omit<ShardResult, 'complete' | 'interrupted'> {
  const { sampleKeys, lagCounts, lagMaxMs } = progress;
  const counts = { ...countEach(CHILD_COUNTS, name => progress[name]), failed };
  return {
    ...counts,
    found: dryRun ? progress.found : sumOfFates(counts),
    failedKeys,
    sampleKeys,
    lagCounts,
    lagMaxMs,
  };
}
