import { clearLine, cursorTo } from 'node:readline';

/** Where a command writes for a person. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How often progress is shown where lines can't be overwritten: a log file, CI. */
const PLAIN_INTERVAL_MS = 10_000;

/** Progress on one line that is overwritten on a terminal, and on a line every ten seconds elsewhere. */
export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  #shownAt: number;
  #open = false;

  constructor(output: Output, now: () => number = Date.now) {
    this.#output = output;
    this.#now = now;
    this.#shownAt = now();
  }

  show(line: string): void {
    if (this.#output.isTTY) {
      this.#clear();
      // A line that wraps couldn't be overwritten.
      this.#output.write(line.slice(0, (this.#output.columns ?? 80) - 1));
      this.#open = true;
    } else if (this.#now() - this.#shownAt >= PLAIN_INTERVAL_MS) {
      this.#shownAt = this.#now();
      this.#output.write(`${line}\n`);
    }
  }

  /** Writes whole lines above the progress. */
  say(text: string): void {
    if (this.#open) this.#clear();
    this.#open = false;
    this.#output.write(`${text}\n`);
  }

  /** Removes the progress line. */
  end(): void {
    if (this.#open) this.#clear();
    this.#open = false;
  }

  #clear(): void {
    const stream = this.#output as unknown as NodeJS.WritableStream;
    cursorTo(stream, 0);
    clearLine(stream, 0);
  }
}
