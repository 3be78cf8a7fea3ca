import type { Clock } from 'stepfunctions-emulator';

/**
 * Lets the two things that the functions take from the platform go by this clock while some work runs: how long a poll has been reading,
 * and until when a request may take. Such a signal does not fire; the network asks it when it would.
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
