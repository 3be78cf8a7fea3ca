import type { LagSummary } from '../../statemachine/contract/report.ts';
import { COUNT_LIST, type CountName, wordsOf } from '../../statemachine/counts.ts';

export const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** A time as text: `2026-11-20T12:34:56Z`. @param at epoch seconds, or ISO-8601 */
export const isoTime = (at: number | string): string =>
  `${new Date(typeof at === 'number' ? at * 1_000 : at).toISOString().slice(0, 19)}Z`;

/** A time: `12:34:56Z`, with its date if `now` has another date. @param at as for {@link isoTime} @param now epoch milliseconds */
export function clock(at: number | string, now: number): string {
  const text = isoTime(at);
  return text.slice(0, 10) === new Date(now).toISOString().slice(0, 10) ? text.slice(11) : text;
}

/** The time of day in UTC: `09:02:00Z`. @param at epoch milliseconds */
export const timeOfDay = (at: number): string => `${new Date(at).toISOString().slice(11, 19)}Z`;

/** A length of time in one unit: `95 s`, `12 minutes`, `5 hours`, `3 days`. @param seconds below 0 count as 0 */
export function lasting(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

export const counted = (number: number, noun: string): string =>
  `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

/** The counts above 0 as text: `found 3, deleted 3, lag p50 0.06 s, p99 0.09 s`. */
export function countsText(
  counts: Partial<Readonly<Record<CountName, number>>>,
  lagMs: LagSummary | null | undefined,
): string {
  const told = COUNT_LIST.flatMap(([name]) => {
    const { [name]: value = 0 } = counts;
    return value > 0 ? [`${wordsOf(name)} ${count(value)}`] : [];
  });
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  const lag = lagMs ? [`lag p50 ${seconds(lagMs.p50)}, p99 ${seconds(lagMs.p99)}`] : [];
  return [...told, ...lag].join(', ');
}

export function aligned(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, told]) => `  ${name.padEnd(width)}  ${told}`.trimEnd()).join('\n');
}

/** Numbers are aligned right. Rows of 0 are left out, except those that `always` names. */
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
