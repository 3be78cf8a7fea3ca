import { type Clock, realClock } from 'stepfunctions-emulator';

const CHECK_INTERVAL_MS = 50;

export interface UntilIdleOptions {
  /** Epoch milliseconds. @default no deadline */
  readonly deadline?: number;
  /** @default the wall clock */
  readonly clock?: Clock;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Waits until no execution is running.
 * @returns whether nothing does
 */
export async function untilIdle(
  isIdle: () => boolean,
  { deadline = Number.POSITIVE_INFINITY, clock = realClock, signal }: UntilIdleOptions = {},
): Promise<boolean> {
  while (!isIdle() && clock.now() < deadline && !signal?.aborted) await clock.sleep(CHECK_INTERVAL_MS);
  return isIdle();
}
