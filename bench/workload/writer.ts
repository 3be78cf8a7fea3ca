import { type Clock, realClock } from 'stepfunctions-emulator';
import type { Span } from '../watch/machine.ts';
import type { Action, Item } from './plan.ts';

/** Largest number of concurrent requests: enough for 1,000 writes a second at 20 ms each. */
const CONCURRENCY = 32;

export interface WritingOptions {
  /** @default the wall clock */
  readonly clock?: Clock;
  /**
   * Skips items that would expire before they are written, as an application does that calculates the TTL from the current time. A machine
   * that slept is this late. @default false
   */
  readonly skipExpired?: boolean;
  /** Called for each answer of DynamoDB, epoch milliseconds. */
  readonly onAnswer?: ((span: Span) => void) | undefined;
}

/**
 * Executes the planned actions, in real time.
 * @param signal stops it between two requests
 * @throws the first error of a request
 */
export async function carryOut(
  actions: readonly Action[],
  act: (action: Action) => Promise<void>,
  signal: AbortSignal,
  { clock = realClock, skipExpired = false, onAnswer }: WritingOptions = {},
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  /** The last running action of each item: the next one waits for it. */
  const perItem = new Map<Item, Promise<void>>();
  const failures: unknown[] = [];
  for (const action of actions) {
    const wait = action.atMs - clock.now();
    // An aborted wait ends, too: the loop ends below.
    if (wait > 0) await clock.sleep(wait, signal).catch(() => {});
    while (inFlight.size >= CONCURRENCY) await Promise.race(inFlight);
    if (signal.aborted || failures.length > 0) break;
    const before = perItem.get(action.item);
    const done: Promise<void> = (async () => {
      await before;
      if (skipExpired && (action.ttl ?? Number.POSITIVE_INFINITY) * 1000 <= clock.now()) return;
      const from = clock.now();
      await clock.busy(() => act(action));
      onAnswer?.({ from, to: clock.now() });
    })()
      .catch(error => {
        failures.push(error);
      })
      .finally(() => {
        inFlight.delete(done);
        if (perItem.get(action.item) === done) perItem.delete(action.item);
      });
    inFlight.add(done);
    perItem.set(action.item, done);
  }
  await Promise.all(inFlight);
  if (failures.length > 0) throw failures[0];
}
