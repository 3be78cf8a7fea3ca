import type { DeletionLag } from '../../statemachine/contract/chunks.ts';
import type { LagSummary } from '../../statemachine/contract/report.ts';

/** Number of buckets. CloudWatch accepts at most 100 values per metric (CloudWatch User Guide, "Embedded metric format specification"). */
export const LAG_BUCKETS = 100;
const FIRST_BUCKET_MS = 16;
const BUCKETS_PER_DOUBLING = 4;

export const NO_LAG: DeletionLag = { lagCounts: {}, lagMaxMs: 0 };

export function bucketEndMs(bucket: number): number {
  return Math.round(FIRST_BUCKET_MS * 2 ** (bucket / BUCKETS_PER_DOUBLING));
}

function bucketOf(lagMs: number): number {
  if (lagMs <= FIRST_BUCKET_MS) return 0;
  const bucket = Math.ceil(Math.log2(lagMs / FIRST_BUCKET_MS) * BUCKETS_PER_DOUBLING);
  return Math.min(bucket, LAG_BUCKETS - 1);
}

export function lagOf(ttls: readonly number[], deletedAtMs: number): DeletionLag {
  const counts: Record<string, number> = {};
  let lagMaxMs = 0;
  for (const ttl of ttls) {
    const lagMs = Math.max(0, Math.round(deletedAtMs - ttl * 1000));
    const bucket = bucketOf(lagMs);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    lagMaxMs = Math.max(lagMaxMs, lagMs);
  }
  return { lagCounts: counts, lagMaxMs };
}

export function addLags(one: DeletionLag, other: DeletionLag): DeletionLag {
  const lagCounts: Record<string, number> = { ...one.lagCounts };
  for (const [bucket, count] of Object.entries(other.lagCounts)) {
    lagCounts[bucket] = (lagCounts[bucket] ?? 0) + count;
  }
  return { lagCounts, lagMaxMs: Math.max(one.lagMaxMs, other.lagMaxMs) };
}

function filledBuckets(lagCounts: DeletionLag['lagCounts']): [number, number][] {
  return Object.entries(lagCounts)
    .map(([bucket, count]): [number, number] => [Number(bucket), count])
    .sort(([one], [other]) => one - other);
}

export function summarizeLag({ lagCounts, lagMaxMs }: DeletionLag): LagSummary | null {
  const filled = filledBuckets(lagCounts);
  const total = filled.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const quantile = (share: number): number => {
    let rank = Math.ceil(share * total);
    const reached = filled.find(([, count]) => {
      rank -= count;
      return rank <= 0;
    });
    return Math.min(bucketEndMs(reached?.[0] ?? LAG_BUCKETS - 1), lagMaxMs);
  };
  return { p50: quantile(0.5), p99: quantile(0.99), max: lagMaxMs };
}

export function countAbove({ lagCounts }: DeletionLag, lagMs: number): number {
  return filledBuckets(lagCounts).reduce(
    (sum, [bucket, count]) => (bucketEndMs(bucket - 1) >= lagMs ? sum + count : sum),
    0,
  );
}

export type MetricHistogram = ReturnType<typeof toMetricHistogram>;

/** Returns the lags for CloudWatch to compute percentiles. `Values` are the buckets' upper bounds, but at most the longest lag. */
export function toMetricHistogram({ lagCounts, lagMaxMs }: DeletionLag) {
  const filled = filledBuckets(lagCounts);
  const Values = filled.map(([bucket]) => Math.min(bucketEndMs(bucket), lagMaxMs));
  const Counts = filled.map(([, count]) => count);
  return {
    Values,
    Counts,
    Min: Values[0] ?? 0,
    Max: lagMaxMs,
    Count: Counts.reduce((sum, count) => sum + count, 0),
    Sum: Values.reduce((sum, value, index) => sum + value * (Counts[index] ?? 0), 0),
  };
}
