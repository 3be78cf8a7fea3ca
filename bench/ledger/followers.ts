import { enrichmentInput, type PipeResource } from '../../local/pipes/pipes.ts';
import { type Arrival, type ArrivalCounts, judgeArrivals } from './arrivals.ts';
import type { Ledger } from './ledger.ts';
import type { Violation } from './verdict.ts';

/** A pipe whose events are compared with a table's deletions. */
export interface FollowedPipe {
  readonly name: string;
  /** What it delivers to, for the reader: `event-bus/default`. */
  readonly target: string;
  /** Whether its events contain the items. */
  readonly oldImage: boolean;
}

/** The pipes of a stack with one table, as their templates say. */
export function followedPipes(pipes: readonly PipeResource[]): FollowedPipe[] {
  return pipes.map(({ name, targetArn, inputTemplate }) => {
    const [{ oldImage }] = enrichmentInput(inputTemplate, [{}]) as [{ readonly oldImage: boolean }];
    return { name, target: targetArn.split(':').slice(5).join(':'), oldImage };
  });
}

/** The events of a pipe in a run. */
export interface FollowedEvents extends ArrivalCounts {
  readonly target: string;
}

/** Receives what pipes deliver, and compares it with a ledger. */
export class Followers {
  readonly pipes: readonly FollowedPipe[];
  readonly #events: ReadonlyMap<string, Arrival[]>;

  constructor(pipes: readonly FollowedPipe[]) {
    this.pipes = pipes;
    this.#events = new Map(pipes.map(({ name }) => [name, []]));
  }

  /** Records an event. */
  delivered(pipe: string, arrival: Arrival): void {
    this.#events.get(pipe)?.push(arrival);
  }

  /** Compares the received events with the deletions. */
  followed(ledger: Ledger): FollowedEvents[] {
    return this.#judged(ledger).map(({ target, counts }) => ({ target, ...counts }));
  }

  violations(ledger: Ledger): Violation[] {
    return this.#judged(ledger).flatMap(({ violations }) => violations);
  }

  /** Number of received events of each pipe. */
  get arrivals(): readonly number[] {
    return [...this.#events.values()].map(({ length }) => length);
  }

  /** Whether all deletions have arrived everywhere. @param deleted smallest number of deleted items */
  isComplete(deleted: number, ledger: Ledger): boolean {
    // Checked first, because comparing many records takes long.
    if (this.arrivals.some(events => events < deleted)) return false;
    return this.#judged(ledger).every(({ isComplete }) => isComplete);
  }

  #judged(ledger: Ledger) {
    return this.pipes.map(({ name, target, oldImage }) => ({
      target,
      ...judgeArrivals(this.#events.get(name) ?? [], ledger, { oldImage }),
    }));
  }
}
