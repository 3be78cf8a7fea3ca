import { type Screen, shownOn, type TextKind, USUAL_WIDTH } from './format.ts';

/** The progress that is on the terminal. It is removed before other text is written there. */
let onTerminal: Progress | undefined;

/** Prints to stdout, with control characters escaped. Commands print only by this file: the linter forbids them `console`. */
export function print(text: string, kind?: TextKind): void {
  onTerminal?.end();
  console.log(shownOn(process.stdout, text, kind));
}

export function printError(text: string, kind?: TextKind): void {
  onTerminal?.end();
  console.error(shownOn(process.stderr, text, kind));
}

export interface Output extends Screen {
  write(text: string): unknown;
}

/** Interval between two lines of progress if lines can't be overwritten, as in a log file or in CI. */
const PLAIN_INTERVAL_MS = 10_000;
const FIRST_PLAIN_MS = 2_000;

const CLEAR_BELOW = '\u001b[J';

/** Shows a line of progress. On a terminal it is overwritten; other outputs get a line after two seconds and then every ten seconds. */
export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  #plainAt: number;

  constructor(output: Output, now: () => number = Date.now) {
    this.#output = output;
    this.#now = now;
    this.#plainAt = now() + FIRST_PLAIN_MS;
  }

  show(line: string): void {
    if (this.#output.isTTY) {
      // A line of the whole width would be wrapped, and a wrapped line cannot be overwritten.
      this.#output.write(`\r${fitting(line, (this.#output.columns || USUAL_WIDTH) - 1)}${CLEAR_BELOW}`);
      onTerminal = this;
    } else if (this.#now() >= this.#plainAt) {
      this.#plainAt = this.#now() + PLAIN_INTERVAL_MS;
      this.#output.write(`${line}\n`);
    }
  }

  /** Removes the line from the terminal. Safe to call more than once. */
  end(): void {
    if (onTerminal !== this) return;
    this.#output.write(`\r${CLEAR_BELOW}`);
    onTerminal = undefined;
  }
}

function fitting(line: string, room: number): string {
  if (line.length <= room) return line;
  return `${line.slice(0, room - 1).replace(/\s+\S*$/, '')} …`;
}
