import { type Clock, realClock } from 'stepfunctions-emulator';
import type { Ledger } from './ledger.ts';
import type { Span } from './machine.ts';
import type { SessionTable } from './session-table.ts';
import type { Action } from './workload.ts';

/** Requests in flight at a time: enough for 1,000 writes a second at 20 ms each. */
const CONCURRENCY = 32;

export interface WriterOptions {
  /** @default the wall clock */
  readonly clock?: Clock;
  /**
   * Leaves out what would expire before it is written, as an application does that takes the time from now; a machine
   * that slept comes that late. @default false
   */
  readonly skipExpired?: boolean;
  /** DynamoDB answered a request. Epoch milliseconds. */
  readonly onAnswer?: (span: Span) => void;
}

/**
 * Carries out a planned workload in real time and enters into the ledger what DynamoDB acknowledged.
 *
 * @param signal stops it between two requests
 * @throws the first error of a request
 */
export async function carryOut(
  actions: readonly Action[],
  table: SessionTable,
  ledger: Ledger,
  signal: AbortSignal,
  { clock = realClock, skipExpired = false, onAnswer = () => {} }: WriterOptions = {},
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  /** The last action of each item that is under way: the next one waits for it. */
  const perItem = new Map<number, Promise<void>>();
  const failures: unknown[] = [];
  for (const action of actions) {
    const wait = action.atMs - clock.now();
    // An aborted wait is over too: the loop ends below.
    if (wait > 0) await clock.sleep(wait, signal).catch(() => {});
    while (inFlight.size >= CONCURRENCY) await Promise.race(inFlight);
    if (signal.aborted || failures.length > 0) break;
    const before = perItem.get(action.item);
    const done: Promise<void> = (async () => {
      await before;
      if (skipExpired && (action.ttl ?? Number.POSITIVE_INFINITY) * 1000 <= clock.now()) return;
      const from = clock.now();
      await clock.busy(() => act(action, table, ledger, clock));
      onAnswer({ from, to: clock.now() });
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

async function act(
  { item, kind, ttl }: Action,
  table: SessionTable,
  ledger: Ledger,
  clock: Clock,
): Promise<void> {
  if (kind === 'write') {
    await table.write(item, ttl);
    ledger.wrote(table.id(item), ttl, { knownAt: clock.now(), shard: table.shard(item) });
  } else if (await table.renew(item, ttl)) {
    ledger.renewed(table.id(item), ttl, clock.now());
  }
}
