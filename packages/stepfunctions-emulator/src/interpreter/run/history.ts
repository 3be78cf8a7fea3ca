export interface HistoryEvent {
  /** Event id, from 1, without gaps. */
  readonly id: number;
  /** Id of the event that this event follows; 0 e.g. for ExecutionStarted, the first StateEntered and ExecutionAborted. */
  readonly previousEventId: number;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly type: string;
  /** Details, under the key that the API uses for the type, e.g. `stateEnteredEventDetails`. */
  readonly [details: `${string}EventDetails`]: EventDetails;
}

export interface EventDetails {
  readonly [key: string]: unknown;
}

/** Value of fields such as `inputDetails` in events. AWS may cut a long text; this history never cuts a text. */
export const NOT_TRUNCATED = { truncated: false } as const;

export class History {
  readonly all: HistoryEvent[] = [];
  #closed = false;
  readonly #limit: number;
  readonly #onFull: (() => void) | undefined;
  readonly #now: () => number;

  /**
   * @param limit maximum number of events
   * @param onFull called when `add` adds no event, because only the event that ends the execution still fits
   */
  constructor(now: () => number, limit: number, onFull: (() => void) | undefined) {
    this.#now = now;
    this.#limit = limit;
    this.#onFull = onFull;
  }

  /** @returns the id of the new event; `previousEventId` when no event was added */
  add(type: string, previousEventId: number, detailsKey?: string, details?: EventDetails): number {
    if (this.#closed) return previousEventId;
    if (this.all.length + 1 >= this.#limit) {
      this.#onFull?.();
      return previousEventId;
    }
    return this.#push(type, previousEventId, detailsKey, details);
  }

  close(type: string, previousEventId: number, detailsKey: string, details: EventDetails): void {
    this.#push(type, previousEventId, detailsKey, details);
    this.#closed = true;
  }

  #push(type: string, previousEventId: number, detailsKey?: string, details?: EventDetails): number {
    const id = this.all.length + 1;
    const base = { id, previousEventId, timestamp: this.#now(), type };
    this.all.push(
      detailsKey === undefined ? base : { ...base, [`${detailsKey}EventDetails`]: details ?? {} },
    );
    return id;
  }
}
