import type { Progress } from '../../cli/progress.ts';

/** The problems of a run, a sentence each, shown as they happen. */
export class Problems {
  readonly #found: string[] = [];
  readonly #progress: Progress;
  readonly #broken = new AbortController();

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  get found(): readonly string[] {
    return this.#found;
  }

  /** Aborted once there is no point in going on. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  add(problem: string): void {
    this.#found.push(problem);
    this.#progress.say(`✗ ${problem}`);
  }

  /** Adds a problem after which the run has no point: DynamoDB itself failed. Everything after the first such problem follows from it. */
  breakOff(problem: string): void {
    if (!this.#broken.signal.aborted) this.add(problem);
    this.#broken.abort();
  }
}
