const TEN_SECONDS = 10_000;

/** The most and the fewest of these moments (epoch milliseconds) in any ten seconds that lie within a span. */
export function countsOfTenSeconds(
  moments: readonly number[],
  fromMs: number,
  untilMs: number,
): { readonly most: number; readonly fewest: number } {
  const sorted = moments.filter(at => at >= fromMs && at < untilMs).sort((one, other) => one - other);
  let [most, fewest] = [0, Number.POSITIVE_INFINITY];
  let [begin, end] = [0, 0];
  // The count changes only where a moment enters or leaves, which all happen on whole milliseconds.
  const starts = new Set([fromMs, untilMs - TEN_SECONDS]);
  for (const at of sorted) {
    const around = [
      Math.floor(at) + 1,
      Math.floor(at),
      Math.floor(at) - TEN_SECONDS,
      Math.floor(at) - TEN_SECONDS + 1,
    ];
    for (const start of around) starts.add(start);
  }
  for (const start of [...starts].sort((one, other) => one - other)) {
    if (start < fromMs || start + TEN_SECONDS > untilMs) continue;
    while (begin < sorted.length && (sorted[begin] ?? 0) < start) begin += 1;
    while (end < sorted.length && (sorted[end] ?? 0) < start + TEN_SECONDS) end += 1;
    most = Math.max(most, end - begin);
    fewest = Math.min(fewest, end - begin);
  }
  return { most, fewest };
}
