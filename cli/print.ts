import { stripVTControlCharacters } from 'node:util';
import { printable, type Screen, shownOn, type TextKind } from './format.ts';

/** The progress that is on the terminal. It is removed before other text is written there. */
let onTerminal: Progress | undefined;

/** Commands print only by the functions of this file, which escape control characters. The linter forbids `console` elsewhere. */
export function print(text: string): void {
  onTerminal?.end();
  console.log(shownOn(process.stdout, text));
}

export function printData(text: string): void {
  onTerminal?.end();
  console.log(printable(text));
}

export function printHelp(text: string): void {
  console.log(shownOn(process.stdout, text, 'help'));
}

export function printError(text: string, kind?: TextKind): void {
  onTerminal?.end();
  console.error(shownOn(process.stderr, text, kind));
}

export interface Output extends Screen {
  readonly rows?: number;
  write(text: string): unknown;
}

/** Interval between two lines of progress if lines can't be overwritten, as in a log file or in CI. */
const PLAIN_INTERVAL_MS = 10_000;
const FIRST_PLAIN_MS = 2_000;

const USUAL_COLUMNS = 80;

const ESCAPE = '\u001b[';
const HIDE_CURSOR = `${ESCAPE}?25l`;
const SHOW_CURSOR = `${ESCAPE}?25h`;
const CLEAR_BELOW = `${ESCAPE}J`;
const CLEAR_LINE = `${ESCAPE}K`;

/** Shows progress. Lines on a terminal are overwritten; other outputs get a line after two seconds and then every ten seconds. */
export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  #shownAt: number;
  /** The lines at the end of the terminal that are overwritten next. */
  #block: readonly string[] = [];
  #hidesCursor = false;

  constructor(output: Output, now: () => number = Date.now) {
    this.#output = output;
    this.#now = now;
    this.#shownAt = now() + FIRST_PLAIN_MS - PLAIN_INTERVAL_MS;
  }

  /** Maximum width of a line that can be overwritten, columns: a wrapped line cannot be overwritten. */
  get columns(): number {
    return (this.#output.columns || USUAL_COLUMNS) - 1;
  }

  show(line: string): void {
    if (this.#output.isTTY) {
      this.#draw([fitting(line, this.columns)]);
    } else if (this.#now() - this.#shownAt >= PLAIN_INTERVAL_MS) {
      this.#shownAt = this.#now();
      this.#output.write(`${line}\n`);
    }
  }

  /** Shows several lines on a terminal, each at most {@link columns} wide. If the terminal is too low, the first lines are left out. */
  showBlock(lines: readonly string[]): void {
    if (!this.#hidesCursor) {
      this.#hidesCursor = true;
      this.#output.write(HIDE_CURSOR);
      process.once('exit', this.#showCursor);
    }
    this.#draw(lines.slice(-Math.max(1, (this.#output.rows || Number.POSITIVE_INFINITY) - 1)));
  }

  /** Writes whole lines above the lines of {@link showBlock}. A line of {@link show} is removed. */
  say(text: string): void {
    const block = this.#block;
    this.#output.write(`${this.#toTop()}${shownOn(this.#output, text)}\n`);
    if (this.#hidesCursor) this.#draw(block);
  }

  /** Removes the progress, and restores the terminal. Safe to call more than once. */
  end(): void {
    const top = this.#toTop();
    if (top !== '') this.#output.write(top);
    this.#showCursor();
    process.off('exit', this.#showCursor);
  }

  readonly #showCursor = (): void => {
    if (this.#hidesCursor) this.#output.write(SHOW_CURSOR);
    this.#hidesCursor = false;
  };

  /** Writes all lines at once, so that nobody sees an incomplete line. */
  #draw(lines: readonly string[]): void {
    const text = lines.map(line => `${line}${CLEAR_LINE}`).join('\n');
    this.#output.write(`${this.#moveToTop()}${text}${CLEAR_BELOW}`);
    this.#block = lines;
    onTerminal = this;
  }

  #toTop(): string {
    const move = this.#moveToTop();
    this.#block = [];
    return move === '' ? '' : `${move}${CLEAR_BELOW}`;
  }

  /** Moves the cursor to the first shown line. After a terminal became narrower, a line may take several rows. */
  #moveToTop(): string {
    if (this.#block.length === 0) return '';
    const columns = this.#output.columns || USUAL_COLUMNS;
    const shown = this.#block.reduce((total, line) => total + rowsOf(line, columns), 0);
    return shown > 1 ? `\r${ESCAPE}${shown - 1}A` : '\r';
  }
}

function fitting(line: string, room: number): string {
  if (line.length <= room) return line;
  return `${line.slice(0, room - 1).replace(/\s+\S*$/, '')} …`;
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns));
}
