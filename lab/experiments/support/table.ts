/** Formats a table in Markdown; all columns except the first are right-aligned numbers. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [markdownRow(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(markdownRow)].join('\n');
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Formats milliseconds as seconds; a dash for a missing value. */
export function seconds(milliseconds: number | null): string {
  return milliseconds === null ? '–' : (milliseconds / 1000).toFixed(2);
}

/** A share, 0 to 1. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** Formats the first number as a multiple of the second; a dash when either is missing. */
export function ratio(one: number | null, other: number | null): string {
  if (one === null || other === null || other === 0) return '–';
  return (one / other).toPrecision(2);
}

/** Calculates the median; the mean of the two middle values when their number is even. NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
