import { type Clock, realClock } from 'stepfunctions-emulator';
import type { Deed } from '../ledger/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Span } from '../watch/machine.ts';
import type { Action, Item } from './plan.ts';
import type { SessionTable } from './session-table.ts';

const DEEDS = {
  write: 'wrote',
  renew: 'renewed',
  makePermanent: 'made permanent',
} as const satisfies Readonly<Record<Exclude<Action['kind'], 'delete'>, Deed>>;

/** Executes actions, and enters into the ledger what DynamoDB acknowledged. */
export class Writer {
  readonly #table: SessionTable;
  readonly #ledger: Ledger;
  /** Last acknowledged version of each item. */
  readonly #versions = new Map<Item, number>();

  constructor(table: SessionTable, ledger: Ledger) {
    this.#table = table;
    this.#ledger = ledger;
  }

  /**
   * Executes one action.
   * @throws DynamoDB's error, after which nobody knows whether the action took effect. A delete throws none: the ledger gets `unsure`
   */
  async act({ kind, item, ttl }: Omit<Action, 'atMs'>): Promise<void> {
    const id = this.#table.id(item);
    const current = this.#versions.get(item) ?? 0;
    if (kind === 'delete') {
      this.#ledger.deleted(id, current, await this.#table.delete(item, current));
      return;
    }
    if (kind === 'write') {
      await this.#table.write(item, current + 1, ttl);
    } else if (!(await this.#table.renew(item, current + 1, ttl))) {
      this.#ledger.tooLate(id);
      return;
    }
    this.#ledger.wrote(id, current + 1, ttl, DEEDS[kind], this.#table.shard(item));
    this.#versions.set(item, current + 1);
  }
}

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
  readonly onAnswer?: (span: Span) => void;
}

/**
 * Executes the planned actions, in real time.
 * @param signal stops it between two requests
 * @throws the first error of a request
 */
export async function carryOut(
  actions: readonly Action[],
  writer: Writer,
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
      await clock.busy(() => writer.act(action));
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
