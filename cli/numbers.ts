/** Numbers and rows for a person. */
export const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** A price of us-east-1 in words. */
export function dollars(value: number): string {
  return value > 0 && value < 0.01
    ? 'less than $0.01'
    : `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** `40 s`, `12 min`, `3.5 hours` */
export function span(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} s`;
  const hours = (seconds / 3_600).toLocaleString('en-US', { maximumFractionDigits: 1 });
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${hours} hours`;
}

/** Rows of a name and a text, the texts below each other. */
export function aligned(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, told]) => `  ${name.padEnd(width)}  ${told}`.trimEnd()).join('\n');
}

/** Counts with their names and a note, the numbers aligned right; those of 0 are left out unless `always` names them. */
export function countRows(
  rows: readonly (readonly [name: string, value: number, note: string])[],
  always: readonly string[],
): string {
  const shown = rows
    .filter(([name, value]) => value > 0 || always.includes(name))
    .map(([name, value, note]) => [name, count(value), note] as const);
  const width = Math.max(...shown.map(([, value]) => value.length));
  return aligned(shown.map(([name, value, note]) => [name, `${value.padStart(width)}  ${note}`.trimEnd()]));
}
