const MINUTE_MS = 60_000;
/** For whatever is between planning and the first tick. */
const LEAD_MS = 5_000;

/**
 * When the first item of a run may expire, epoch seconds: the local schedules begin with the next minute, and a precise
 * tick owns the minute after the next, so the minute after that tick is the first that every mode is there for.
 */
export function firstTtlOf(startMs: number): number {
  return (Math.ceil((startMs + LEAD_MS) / MINUTE_MS) * MINUTE_MS + MINUTE_MS) / 1000;
}
