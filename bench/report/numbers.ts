export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** A duration as minutes and seconds, such as `1:05`. @param total seconds */
export function clock(total: number): string {
  return `${Math.floor(total / 60)}:${String(Math.floor(total % 60)).padStart(2, '0')}`;
}

/** Percentiles of the lag, milliseconds; null without deletions. */
interface LagPercentiles {
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

/** Nearest-rank percentile: at least `share` (0 to 1) of the values are at most this value. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
