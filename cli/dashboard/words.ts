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
