import { percentile } from '../../lab/demo/report.ts';

/** How late items were deleted, milliseconds; all null when none was. */
export interface LagPercentiles {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

export function lagPercentiles(lags: readonly number[]): LagPercentiles {
  if (lags.length === 0) return { p50: null, p99: null, max: null };
  const sorted = lags.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(percentile(sorted, share));
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** A lag in milliseconds, and the share (0 to 1) of all items that were deleted with that lag or less. */
export type CumulativePoint = readonly [lagMs: number, share: number];

/**
 * The cumulative distribution of lags, thinned out to points of equal distance in share. The first and the largest lag
 * are always among them.
 *
 * @param expired of how many items the shares are; those that were never deleted keep the last share below 1
 */
export function cumulative(lags: readonly number[], expired: number, maxPoints: number): CumulativePoint[] {
  const sorted = lags.toSorted((one, other) => one - other);
  const points = Math.min(maxPoints, sorted.length);
  return Array.from({ length: points }, (_unused, point) => {
    const index = points === 1 ? sorted.length - 1 : Math.round((point * (sorted.length - 1)) / (points - 1));
    const share = (index + 1) / expired;
    return [Math.round(sorted[index] ?? 0), Math.round(share * 1e5) / 1e5];
  });
}
