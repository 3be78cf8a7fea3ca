import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosItems, Indexed } from './items.ts';
import type { Truth } from './truth.ts';
import type { ChaosAction } from './workload.ts';

/** Requests in flight at a time. */
const CONCURRENCY = 32;

export interface WritingOptions {
  readonly actions: readonly ChaosAction[];
  readonly items: ChaosItems;
  readonly truth: Truth;
  /** Gets what the index holds from a write on. */
  readonly onIndexed: (indexed: Indexed) => void;
  /** Stops it between two requests. */
  readonly signal: AbortSignal;
}

/**
 * Does what was planned, in real time, and enters into the truth what DynamoDB acknowledged.
 *
 * @throws the first error of a request: the truth would not be known any more
 */
export async function carryOut({ actions, signal, ...job }: WritingOptions): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  /** The last action of each item that is under way: the next one waits for it. */
  const perItem = new Map<string, Promise<void>>();
  const versions = new Map<string, number>();
  const failures: unknown[] = [];
  for (const action of actions) {
    const wait = action.atMs - Date.now();
    if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
    while (inFlight.size >= CONCURRENCY) await Promise.race(inFlight);
    if (signal.aborted || failures.length > 0) break;
    const before = perItem.get(action.id);
    const done: Promise<void> = (async () => {
      await before;
      await act(action, job, versions);
    })()
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => {
        inFlight.delete(done);
        if (perItem.get(action.id) === done) perItem.delete(action.id);
      });
    inFlight.add(done);
    perItem.set(action.id, done);
  }
  await Promise.all(inFlight);
  if (failures.length > 0) throw failures[0];
}

async function act(
  action: ChaosAction,
  { items, truth, onIndexed }: Omit<WritingOptions, 'actions' | 'signal'>,
  versions: Map<string, number>,
): Promise<void> {
  const { id } = action;
  const current = versions.get(id) ?? 0;
  if (action.kind === 'delete') {
    truth.deleted(id, current, await items.delete(id, current));
    return;
  }
  const { ttl } = action;
  if (action.kind === 'renew') {
    if (!(await items.renew(id, current + 1, ttl))) {
      truth.tooLate(id);
      return;
    }
    truth.wrote(id, current + 1, ttl, ttl === undefined ? 'made permanent' : 'renewed');
  } else {
    const indexed = await items.write(id, current + 1, ttl, action.olderStamp);
    truth.wrote(id, current + 1, ttl, action.kind === 'write' ? 'wrote' : 'wrote again');
    if (indexed) onIndexed(indexed);
  }
  versions.set(id, current + 1);
}
