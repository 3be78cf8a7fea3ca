import { failureAround, StateFailure } from '../failure.ts';
import type { Payload } from '../payload.ts';
import { recordPartFailed } from './aborted.ts';
import type { Cancellation } from './cancellation.ts';
import type { Line, MapItem } from './line.ts';

/** The branches of one attempt of a Parallel, or the iterations of a Map. The first failure aborts the others. */
export class Fork {
  readonly #line: Line;
  readonly #cancellation: Cancellation;
  readonly #release: () => void;
  #failure: unknown;

  constructor(line: Line) {
    this.#line = line;
    const { cancellation, release } = line.cancellation.part();
    this.#cancellation = cancellation;
    this.#release = release;
    line.openParts.clear();
  }

  /** Whether nothing more may be started. */
  get stopped(): boolean {
    return this.#cancellation.cancelled;
  }

  branch(index: number, item?: MapItem): Line {
    return this.#line.branch(index, this.#cancellation, item);
  }

  /**
   * Records that a branch or iteration has returned.
   * @param lastEventId what comes after all of them follows this event of the one that ended last
   */
  join(index: number, branch: Line, output: Payload, lastEventId: number): void {
    this.#line.join(index, branch, output);
    this.#line.lastEventId = lastEventId;
  }

  /** Records that a branch or iteration has thrown. */
  fail(index: number, branch: Line, error: unknown): void {
    if (this.stopped) return;
    this.#failure = error;
    this.#line.lastEventId = branch.lastEventId;
    if (error instanceof StateFailure) recordPartFailed(this.#line, index, error);
    this.#cancellation.cancel();
  }

  /** @throws what the first one failed with; Cancelled when all were cut off from outside */
  end(): void {
    this.#release();
    this.#line.cancellation.throwIfCancelled();
    if (this.#failure !== undefined) throw failureAround(this.#failure);
  }
}
