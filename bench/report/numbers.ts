export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** A duration as minutes and seconds, such as `1:05`. @param total seconds */
export function clock(total: number): string {
  return `${Math.floor(total / 60)}:${String(Math.floor(total % 60)).padStart(2, '0')}`;
}

/** Nearest-rank percentiles of the lags, milliseconds; all are null without lags. */
export function lagPercentiles(lags: readonly number[]) {
  const sorted = lags.toSorted((one, other) => one - other);
  const at = (share: number) => {
    const value = sorted[Math.ceil(share * sorted.length) - 1];
    return value === undefined ? null : Math.round(value);
  };
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
