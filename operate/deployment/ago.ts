/** How long ago something was, for a person. */
export function ago(now: number, then: Date): string {
  return `${duration(now - then.getTime())} ago`;
}

/**
 * How old something is, in one unit, for a person: `95 s`, `12 minutes`, `5 hours`. For a length whose rest counts, as that of
 * a pause, there is `describeDuration` of the commands.
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
