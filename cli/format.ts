import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import type { ShownKey } from '../statemachine/contract/keys.ts';
import type { LagSummary } from '../statemachine/contract/report.ts';
import { COUNT_LIST, type CountName, wordsOf } from '../statemachine/counts.ts';
import { count } from './dashboard/words.ts';

/** Characters that a terminal interprets: control and format characters, and separators of lines and paragraphs, except line feeds. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces UNPRINTABLE characters with JSON escapes, so that JSON text keeps its meaning. */
export function printable(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // A character beyond U+FFFF has two code units, each with an escape of its own.
  return text.replace(UNPRINTABLE, character => character.split('').map(escaped).join(''));
}

export function shownOn(screen: Screen, text: string, kind?: TextKind): string {
  return kind === 'data' ? printable(text) : formatText(printable(text), lookOf(screen), kind);
}

/** Characters of a long key that are shown: at its beginning, and at its end, where similar keys differ. */
const KEY_START = 160;
const KEY_END = 40;

export const shownText = (key: ShownKey): string => (typeof key === 'string' ? key : JSON.stringify(key));

/** Shortens a long key for a person, and shows its length: keys can have 2 KB. `--json` prints the whole key. */
export function shortKey(text: string): string {
  if (text.length <= KEY_START + KEY_END) return text;
  const length = text.length.toLocaleString('en-US');
  return `${text.slice(0, KEY_START)}… (${length} characters) …${text.slice(-KEY_END)}`;
}

/** The counts above 0 as text: `found 3, deleted 3, lag p50 0.06 s, p99 0.09 s`. */
export function countsText(
  counts: Partial<Readonly<Record<CountName, number>>>,
  lagMs: LagSummary | null | undefined,
): string {
  const told = COUNT_LIST.flatMap(([name]) =>
    counts[name] ? `${wordsOf(name)} ${count(counts[name])}` : [],
  );
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  const lag = lagMs ? [`lag p50 ${seconds(lagMs.p50)}, p99 ${seconds(lagMs.p99)}`] : [];
  return [...told, ...lag].join(', ');
}

export function aligned(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, told]) => `  ${name.padEnd(width)}  ${told}`.trimEnd()).join('\n');
}

/** The rows as text, with the numbers aligned right. Rows with the value 0 are omitted, except those that `always` names. */
export function countRows(
  rows: readonly (readonly [name: string, value: number, note: string])[],
  always: readonly string[],
): string {
  const shown = rows
    .filter(([name, value]) => value > 0 || always.includes(name))
    .map(([name, value, note]) => [name, count(value), note] as const);
  const width = Math.max(...shown.map(([, value]) => value.length));
  return aligned(shown.map(([name, value, note]) => [name, `${value.padStart(width)}  ${note}`.trimEnd()]));
}

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Width in columns, if a width is needed and none is known. */
export const USUAL_WIDTH = 80;
/** Minimum width in columns. A narrower terminal wraps the lines itself. */
const MIN_WIDTH = 40;

/** Returns the width, and whether to colour (`NO_COLOR`, `FORCE_COLOR`, `TERM`). Without `COLUMNS`, a file or pipe has unlimited width. */
export function lookOf({ isTTY, columns }: Screen, environment: NodeJS.ProcessEnv = process.env): Look {
  const { COLUMNS = '', FORCE_COLOR } = environment;
  const wanted = /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
  const width = wanted ?? (isTTY ? columns || USUAL_WIDTH : undefined);
  const mayColour = isTTY || FORCE_COLOR !== undefined;
  return {
    width: width && Math.max(width, MIN_WIDTH),
    colours: mayColour && WriteStream.prototype.getColorDepth(environment) > 1,
  };
}

/** Columns that a text beside a name needs. With fewer columns, the text's further lines begin below the name. */
const MIN_COLUMN = 24;

/** Whether a line begins like a command. Such a line is not wrapped: a user copies it into a shell, where a line break would split it. */
export const isCommand = (line: string): boolean => /^ *(?:-> )?(?:npx|aws|export|terraform) /.test(line);

/** Breaks a long line between words. For a line such as `name  text`, further lines begin below the text, if there is room. */
function wrapLine(line: string, width: number): string[] {
  if (stringWidth(line) <= width || isCommand(line)) return [line];
  const column = stringWidth(/^.*\S {2,}(?=\S)/.exec(line)?.[0] ?? '');
  const indent = line.search(/\S/);
  const hang = column > 0 && width - column >= MIN_COLUMN ? column : indent && indent + 2;
  const lines: string[] = [];
  let current = '';
  for (const [word] of line.matchAll(/\s*\S+/g)) {
    if (current !== '' && stringWidth(current + word) > width) {
      lines.push(current);
      current = ' '.repeat(hang) + word.trimStart();
    } else current += word;
  }
  return [...lines, current];
}

/** A line break within a paragraph of a help. As in Markdown, such lines are joined. */
const SOURCE_BREAK = /(?<=^\S.*)\n(?=\S)/gm;

interface Look {
  /** Columns; undefined: unlimited. */
  readonly width: number | undefined;
  readonly colours: boolean;
}

/** `data` is for programs: it has neither colours nor further line breaks. */
export type TextKind = 'text' | 'help' | 'error' | 'data';

export function formatText(text: string, { width, colours }: Look, kind: TextKind = 'text'): string {
  const isHelp = kind === 'help';
  const lines = (isHelp ? text.replaceAll(SOURCE_BREAK, ' ') : text).split('\n');
  // A help is wrapped even in a file or pipe: no script reads a help, and pagers cut long lines in the middle of a word.
  const columns = width ?? (isHelp ? USUAL_WIDTH : undefined);
  const shown = lines.flatMap(line => {
    const [head = '', ...rest] = columns === undefined ? [line] : wrapLine(line, columns);
    return [colours && kind !== 'error' ? withColouredSign(head) : head, ...rest];
  });
  const told = shown.join('\n');
  return colours && kind === 'error' ? told.replace(/\S.*?(?=: |$)/m, head => styled('red', head)) : told;
}

type Style = Parameters<typeof styleText>[0];

const SIGNS: readonly (readonly [RegExp, Style])[] = [
  [/(?<=^ *)(✓|Healthy\b|kept\b)/u, 'green'],
  [/(?<=^ *)(WARNING\b|NOT KNOWN\b|not known\b|\?(?= ))/u, 'yellow'],
  // In the line of an execution, its time and its kind come before its result.
  [/(?<=^ *)(✗|BROKEN\b|NOT KEPT\b)|(?<=^\d\d:\d\d.* {2})(FAILED|TIMED_OUT|ALARM)\b/u, 'red'],
];

const withColouredSign = (line: string): string =>
  SIGNS.reduce((told, [sign, style]) => told.replace(sign, found => styled(style, found)), line);

/** Styles a text without a check for colours: the callers check, because `styleText` of older Node versions does not. */
const styled = (style: Style, text: string): string => styleText(style, text, { validateStream: false });
