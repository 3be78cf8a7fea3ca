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
