const TEN_SECONDS = 10_000;

/** The most and the fewest of these moments (epoch milliseconds) in any ten seconds that lie within a span. */
export function countsOfTenSeconds(
  moments: readonly number[],
  fromMs: number,
  untilMs: number,
): { readonly most: number; readonly fewest: number } {
  const sorted = moments.filter(at => at >= fromMs && at < untilMs).sort((one, other) => one - other);
  // Most are in ten seconds that begin with one of them, and fewest in some that begin just after one.
  const starts = [
    fromMs,
    untilMs - TEN_SECONDS,
    ...sorted.flatMap(at => [Math.floor(at), Math.floor(at) + 1]),
  ];
  let [most, fewest] = [0, Number.POSITIVE_INFINITY];
  let [begin, end] = [0, 0];
  for (const start of starts.sort((one, other) => one - other)) {
    if (start < fromMs || start + TEN_SECONDS > untilMs) continue;
    while (begin < sorted.length && (sorted[begin] ?? 0) < start) begin += 1;
    while (end < sorted.length && (sorted[end] ?? 0) < start + TEN_SECONDS) end += 1;
    most = Math.max(most, end - begin);
    fewest = Math.min(fewest, end - begin);
  }
  return { most, fewest };
}
