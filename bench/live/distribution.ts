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
