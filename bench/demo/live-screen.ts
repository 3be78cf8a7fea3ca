import { stripVTControlCharacters } from 'node:util';
import { shownOn, USUAL_WIDTH } from '../../cli/format.ts';
import { type Output, Progress } from '../../cli/print.ts';

export interface LiveOutput extends Output {
  readonly rows?: number;
}

const ESCAPE = '\u001b[';
const HIDE_CURSOR = `${ESCAPE}?25l`;
const SHOW_CURSOR = `${ESCAPE}?25h`;
const CLEAR_BELOW = `${ESCAPE}J`;
const CLEAR_LINE = `${ESCAPE}K`;

/** Shows a line of progress or, on a terminal, a block of lines that the next block overwrites. {@link say} writes above the block. */
export class LiveScreen {
  readonly #output: LiveOutput;
  readonly #progress: Progress;
  #block: readonly string[] = [];
  #hidesCursor = false;

  constructor(output: LiveOutput, now?: () => number) {
    this.#output = output;
    this.#progress = new Progress(output, now);
  }

  /** Maximum width of a line of a block, columns. A terminal may wrap a line that takes its whole width. */
  get columns(): number {
    return (this.#output.columns || USUAL_WIDTH) - 1;
  }

  show(line: string): void {
    this.#clear();
    this.#progress.show(line);
  }

  /** Shows lines, each at most {@link columns} wide. If the terminal has too few rows, the first lines are left out. */
  showBlock(lines: readonly string[]): void {
    if (!this.#hidesCursor) {
      this.#hidesCursor = true;
      this.#output.write(HIDE_CURSOR);
      process.once('exit', this.#showCursor);
    }
    this.#draw(lines.slice(-Math.max(1, (this.#output.rows || Number.POSITIVE_INFINITY) - 1)));
  }

  /** Writes lines of text above the block of {@link showBlock}. On a terminal, first removes the line of {@link show}. */
  say(text: string): void {
    this.#progress.end();
    const block = this.#block;
    const [top, clear] = block.length > 0 ? [this.#toTop(), CLEAR_BELOW] : ['', ''];
    this.#output.write(`${top}${clear}${shownOn(this.#output, text)}\n`);
    this.#block = [];
    if (block.length > 0) this.#draw(block);
  }

  /** Removes the shown lines, and shows the terminal's cursor again. Safe to call more than once. */
  end(): void {
    this.#progress.end();
    this.#clear();
  }

  #clear(): void {
    if (this.#block.length === 0) return;
    this.#output.write(`${this.#toTop()}${CLEAR_BELOW}`);
    this.#block = [];
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
    this.#output.write(`${this.#toTop()}${text}${CLEAR_BELOW}`);
    this.#block = lines;
  }

  /** Text that moves the cursor to the first shown line. Counts rows, because a line wraps when the terminal becomes narrower. */
  #toTop(): string {
    const columns = this.#output.columns || USUAL_WIDTH;
    const rowsOf = (line: string) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns));
    const shown = this.#block.reduce((total, line) => total + rowsOf(line), 0);
    return shown > 1 ? `\r${ESCAPE}${shown - 1}A` : '\r';
  }
}
