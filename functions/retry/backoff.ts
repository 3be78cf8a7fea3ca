const CAP_SECONDS = 8;

/**
 * The upper bound of a wait is a second at first, and doubles per attempt up to a cap. The wait is a random share of the bound ("full
 * jitter"), so that calls that were throttled together are not repeated together.
 * @param attempts attempts made so far, 1 at the first wait
 * @param random at least 0, below 1
 */
export function backoffMs(attempts: number, random: () => number): number {
  return Math.round(random() * 1000 * Math.min(CAP_SECONDS, 2 ** (attempts - 1)));
}

/** Step Functions drops the milliseconds of a Timestamp: so the time is ISO-8601 in whole seconds. */
export function waitUntil(epochSeconds: number): string {
  return `${new Date(Math.floor(epochSeconds) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Sleeps from the end of a Wait to `untilMs`, epoch milliseconds: less than a second. So functions whose Waits end together are spread. */
export async function sleepRest(
  untilMs: number,
  nowMs: number,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const restMs = Math.min(untilMs - nowMs, 999);
  if (restMs > 0) await sleep(restMs);
}
