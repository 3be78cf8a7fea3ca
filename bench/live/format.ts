/** A table in Markdown; all columns but the first are numbers, to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n');
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Milliseconds as seconds; a dash for what there is none of. */
export function seconds(milliseconds: number | null): string {
  return milliseconds === null ? '–' : (milliseconds / 1000).toFixed(2);
}

/** How many times the second; a dash for what can't be compared. */
export function ratio(one: number | null, other: number | null): string {
  if (one === null || other === null || other === 0) return '–';
  return (one / other).toPrecision(2);
}

/** The time of day in UTC: `09:02:00Z`. */
export function clockTime(epochSeconds: number): string {
  return `${new Date(epochSeconds * 1000).toISOString().slice(11, 19)}Z`;
}
