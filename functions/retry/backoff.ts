const CAP_SECONDS = 8;

/**
 * Milliseconds until the next attempt: random ("full jitter"), so that throttled requests are not repeated together.
 * @param attempts attempts made so far, at least 1
 */
export function backoffMs(attempts: number, random: () => number): number {
  return Math.round(random() * 1000 * Math.min(CAP_SECONDS, 2 ** (attempts - 1)));
}

/** The `Timestamp` of a Wait state: ISO-8601 in whole seconds, rounded down. Step Functions ignores the milliseconds of a Timestamp. */
export function waitUntil(epochSeconds: number): string {
  return `${new Date(Math.floor(epochSeconds) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Sleeps until `untilMs` (epoch milliseconds), at most 999 ms: `waitUntil` rounds down, so a Wait state can end too early. */
export async function sleepRest(
  untilMs: number,
  nowMs: number,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const restMs = Math.min(untilMs - nowMs, 999);
  if (restMs > 0) await sleep(restMs);
}
