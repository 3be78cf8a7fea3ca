const MINUTE_MS = 60_000;

/**
 * Does something at every full minute, from the next one on. One that isn't done when the next begins is not waited
 * for, as with two invocations of a function.
 *
 * @param onError gets what an action rejects with
 * @returns ends it, and resolves when nothing is under way any more
 */
export function everyMinute(
  action: (minuteMs: number) => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const underWay = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  const arm = (minuteMs: number): void => {
    timer = setTimeout(() => {
      // Timers may fire a little early.
      if (Date.now() < minuteMs) return arm(minuteMs);
      const done: Promise<void> = action(minuteMs)
        .catch(onError)
        .finally(() => underWay.delete(done));
      underWay.add(done);
      arm(minuteMs + MINUTE_MS);
    }, minuteMs - Date.now());
  };
  arm(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + MINUTE_MS);
  return async () => {
    clearTimeout(timer);
    await Promise.all(underWay);
  };
}
