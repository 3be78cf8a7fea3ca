import { clearLine, cursorTo } from 'node:readline';

/** Where a command writes for a person. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
  /** Whole lines as they are shown there. @default as they are */
  shown?(lines: string): string;
}

/** The progress whose line stands on the terminal. */
let shown: Progress | undefined;

/** Takes the line of a progress off the terminal, before something else is written there. */
export function endProgress(): void {
  shown?.end();
}

/** How often progress is shown where lines can't be overwritten: a log file, CI. The first time is soon: somebody may wait for it. */
const PLAIN_INTERVAL_MS = 10_000;
const FIRST_PLAIN_MS = 2_000;

/** Progress on one line that is overwritten on a terminal, and elsewhere on a line after two seconds and every ten. */
export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  #shownAt: number;
  #open = false;

  constructor(output: Output, now: () => number = Date.now) {
    this.#output = output;
    this.#now = now;
    this.#shownAt = now() + FIRST_PLAIN_MS - PLAIN_INTERVAL_MS;
  }

  show(line: string): void {
    if (this.#output.isTTY) {
      this.#clear();
      // A line that wraps couldn't be overwritten.
      this.#output.write(fitting(line, (this.#output.columns || 80) - 1));
      this.#open = true;
      shown = this;
    } else if (this.#now() - this.#shownAt >= PLAIN_INTERVAL_MS) {
      this.#shownAt = this.#now();
      this.#output.write(`${line}\n`);
    }
  }

  /** Writes whole lines above the progress. */
  say(text: string): void {
    if (this.#open) this.#clear();
    this.#open = false;
    this.#output.write(`${this.#output.shown?.(text) ?? text}\n`);
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

/** As many words of a line as there is room for. */
function fitting(line: string, room: number): string {
  if (line.length <= room) return line;
  return `${line.slice(0, room - 1).replace(/\s+\S*$/, '')} …`;
}
