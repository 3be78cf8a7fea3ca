/** One count: its name, its value, and a note that may be empty. */
export type CountRow = readonly [name: string, value: number, note: string];

/** Prints counts as a table: names aligned left, numbers aligned right. */
export function countTable(rows: readonly CountRow[]): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length)) + 2;
  const width = Math.max(...rows.map(([, value]) => grouped(value).length));
  return rows
    .map(([name, value, note]) =>
      `  ${name.padEnd(nameWidth)}${grouped(value).padStart(width)}  ${note}`.trimEnd(),
    )
    .join('\n');
}

const grouped = (value: number): string => value.toLocaleString('en-US');
