import { WriteStream } from 'node:tty';
import { endProgress, type Output } from '../lab/report/progress.ts';
import { formatText, type Look, type TextKind } from './output/format.ts';

/**
 * Characters that a terminal interprets instead of showing: control and format characters, such as those that reverse the
 * direction of text, and separators of lines and paragraphs. Line feeds are allowed, because our own texts contain them.
 */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a text safe for a terminal: special characters in keys, names or foreign errors are shown and have no effect. They are
 * escaped as in JSON, so that JSON keeps its value.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, character =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Prepares a text for a screen: escapes special characters, wraps lines to its width, and adds colours if it has them. */
export function shownOn(screen: Screen, text: string, kind?: TextKind): string {
  return formatText(printable(text), lookOf(screen), kind);
}

/**
 * Writes a text for a person to stdout. The linter requires that every command prints with this or with the functions below, so
 * that all texts are wrapped and coloured here.
 */
export function print(text: string): void {
  endProgress();
  console.log(shownOn(process.stdout, text));
}

/** Writes data for a program, such as JSON, to stdout: unchanged and without colours. */
export function printData(text: string): void {
  endProgress();
  console.log(printable(text));
}

/** Writes a help to stdout. */
export function printHelp(text: string): void {
  console.log(shownOn(process.stdout, text, 'help'));
}

/** Writes a text for a person to stderr. */
export function printError(text: string, kind?: TextKind): void {
  endProgress();
  console.error(shownOn(process.stderr, text, kind));
}

/** Standard output for a run of the lab, whose lines are shown as those of a command. */
export const STDOUT: Output = {
  get isTTY() {
    return process.stdout.isTTY;
  },
  get columns() {
    return process.stdout.columns;
  },
  get rows() {
    return process.stdout.rows;
  },
  write: text => process.stdout.write(text),
  shown: lines => shownOn(process.stdout, lines),
};

/** Characters of a long key that are shown: from its beginning, and from its end, where similar keys differ. */
const KEY_START = 160;
const KEY_END = 40;

/** A key for a person. Keys can have 2 KB: a long one is shortened, and its length is shown. `--json` prints the whole key. */
export function shortKey(text: string): string {
  if (text.length <= KEY_START + KEY_END) return text;
  const length = text.length.toLocaleString('en-US');
  return `${text.slice(0, KEY_START)}… (${length} characters) …${text.slice(-KEY_END)}`;
}

/** The stream that a command writes to. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Columns of a terminal that does not report its width. */
const USUAL_WIDTH = 80;
/** Columns that names and numbers need; narrower terminals wrap lines by themselves. */
const MIN_WIDTH = 40;

/**
 * Settings for a screen. The width is that of `COLUMNS`, or else of the terminal; files and pipes without `COLUMNS` have unlimited
 * width, because scripts read them. Colours depend on the terminal and on `NO_COLOR`, `FORCE_COLOR` and `TERM`, as in Node.
 */
export function lookOf(screen: Screen, environment: NodeJS.ProcessEnv = process.env): Look {
  return { width: widthOf(screen, environment), colours: hasColours(screen, environment) };
}

function widthOf({ isTTY, columns }: Screen, { COLUMNS }: NodeJS.ProcessEnv): number | undefined {
  const wanted = /^[1-9]\d{0,4}$/.test(COLUMNS ?? '') ? Number(COLUMNS) : undefined;
  const width = wanted ?? (isTTY ? columns || USUAL_WIDTH : undefined);
  return width && Math.max(width, MIN_WIDTH);
}

function hasColours({ isTTY }: Screen, environment: NodeJS.ProcessEnv): boolean {
  if (!(isTTY || environment['FORCE_COLOR'] !== undefined)) return false;
  return WriteStream.prototype.getColorDepth(environment) > 1;
}
