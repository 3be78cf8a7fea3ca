import { isObject } from '../../expiry/fields.ts';
import type {
  ChildOutput,
  ChildProgress,
  ChildSweep,
  ShardResult,
  SweepTarget,
} from '../../statemachine/contract/child.ts';
import type { DeletionLag } from '../../statemachine/contract/chunks.ts';
import { CHILD_COUNTS, noCounts, sumOfFates } from '../../statemachine/counts.ts';
import { LAG_BUCKETS, NO_LAG } from '../report/lag.ts';
import { jsonBytes, withoutNothing } from '../report/listed-keys.ts';

/** Makes a child's result. If the result exceeds `resultBytes`, the histogram of lags gets fewer, wider buckets. */
export function resultOf(
  { counts }: ChildProgress,
  { dryRun, resultBytes }: Pick<ChildSweep, 'dryRun' | 'resultBytes'>,
  how: Partial<ShardResult> = {},
): Pick<ShardResult, 'found'> & Partial<ShardResult> {
  const { inFlight: _inFlight, lagCounts: _lagCounts, ...result } = counts;
  const found = dryRun ? counts.found : sumOfFates(counts);
  const named = withoutNothing({ ...result, ...how });
  const withBuckets = (width: number) => ({ ...named, found, ...widerLags(counts, width) });
  let width = 1;
  while (width < LAG_BUCKETS && jsonBytes(withBuckets(width)) > resultBytes) width *= 2;
  return withBuckets(width);
}

function widerLags({ lagCounts }: DeletionLag, width: number): Partial<DeletionLag> {
  const wider: Record<string, number> = {};
  for (const [bucket, count] of Object.entries(lagCounts)) {
    const last = Math.min(LAG_BUCKETS, (Math.floor(Number(bucket) / width) + 1) * width) - 1;
    wider[last] = (wider[last] ?? 0) + count;
  }
  return Object.keys(wider).length === 0 ? {} : { lagCounts: wider };
}

const NOTHING: ShardResult = {
  ...noCounts(CHILD_COUNTS),
  ...NO_LAG,
  ...{ failedKeys: [], sampleKeys: [], interrupted: false },
};

/** A child's result; undefined if the output has no counts, e.g. after a crash, or if a field is malformed and would spoil all sums. */
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
    [...CHILD_COUNTS.map(name => counts[name]), lagMaxMs, ...Object.values(lagCounts)].every(isCount) &&
    Object.keys(lagCounts).every(bucket => isCount(Number(bucket)) && Number(bucket) < LAG_BUCKETS) &&
    failedKeys.every(isObject) &&
    sampleKeys.every(key => key !== null) &&
    (resume === undefined || isTarget(resume))
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Pattern for shards as `rangesOf` writes them, e.g. `0-24,30`. */
const RANGES = /^\d{1,3}(?:-\d{1,3})?(?:,\d{1,3}(?:-\d{1,3})?)*$/;

function isTarget({ shards, from, before, upcomingFrom }: SweepTarget): boolean {
  return (
    RANGES.test(shards) &&
    [from, before].every(Number.isSafeInteger) &&
    (upcomingFrom === null || Number.isSafeInteger(upcomingFrom))
  );
}

function resultOfOutput(output: ChildOutput): ShardResult | undefined {
  if ('found' in output) return { ...NOTHING, ...output };
  if (!('interruptedBy' in output) || output.progress === null) return undefined;
  const { inFlight, ...counts } = output.progress.counts;
  // If the child was interrupted during deletes, nobody knows which keys were deleted, so all keys of these deletes count as failed.
  const failed = { ...NOTHING, ...counts, failed: counts.failed + inFlight };
  return { ...failed, found: sumOfFates(failed), interrupted: true };
}
