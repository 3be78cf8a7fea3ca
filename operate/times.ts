/** `2026-11-20T09:00:00Z` */
export function isoSeconds(date: Date | number): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** How long ago something was, in words. */
export function ago(now: number, then: Date): string {
  return `${duration(now - then.getTime())} ago`;
}

/**
 * A length of time in one unit: `95 s`, `12 minutes`, `5 hours`. If the rest matters, as for a pause, use `describeDuration` of
 * the commands.
 *
 * @param ms milliseconds; below 0 counts as 0
 */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3600)} hours`;
  return `${Math.round(seconds / 86_400)} days`;
}
