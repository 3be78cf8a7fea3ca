/** `12,345` */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Milliseconds as seconds: `0.3 s`, `42.0 s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The time of day in UTC: `09:02:00Z`. */
export function timeOfDay(epochMilliseconds: number): string {
  return `${new Date(epochMilliseconds).toISOString().slice(11, 19)}Z`;
}
