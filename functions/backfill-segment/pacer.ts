/**
 * Limits calls to a rate, evenly spread. Unused turns are lost, and the first turn comes after a whole interval: otherwise a caller that
 * makes a new pacer for each call would exceed the rate.
 *
 * @param perSecond turns per second, above 0
 * @param clock epoch milliseconds
 * @returns waits for the next turn; while one caller waits, later callers wait behind it
 */
export function pacer(
  perSecond: number,
  clock: () => number,
  sleep: (ms: number) => Promise<void>,
): (turns?: number) => Promise<void> {
  const intervalMs = 1000 / perSecond;
  let free = clock() + intervalMs;
  return async (turns = 1) => {
    const now = clock();
    const at = Math.max(free, now);
    free = at + turns * intervalMs;
    if (at > now) await sleep(at - now);
  };
}
