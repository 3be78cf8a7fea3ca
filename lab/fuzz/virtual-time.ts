import type { Clock } from 'stepfunctions-emulator';

/**
 * Lets the functions use this clock during some work, for the duration of a poll and the timeout of a request. Such a timeout signal does
 * not fire; the network asks for its time.
 */
export async function inVirtualTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const { now } = performance;
  const { timeout } = AbortSignal;
  performance.now = () => clock.now();
  AbortSignal.timeout = ms => Object.assign(new AbortController().signal, { endsAt: clock.now() + ms });
  try {
    return await work();
  } finally {
    performance.now = now;
    AbortSignal.timeout = timeout;
  }
}
