import { styleText } from 'node:util';
import stringWidth from 'string-width';

/** Columns that a text beside a name needs; if fewer are left, it is placed below the name. */
const MIN_COLUMN = 24;

/** Commands that the user copies into a shell: a line break would split one into two commands. */
const COMMAND = /^ *(?:-> )?(?:npx|aws|export|terraform) /;

/** Whether a line is a command to copy, which is never wrapped. */
export function isCommand(line: string): boolean {
  return COMMAND.test(line);
}

/**
 * Wraps a line between words. Further lines are indented to the beginning of the line's text, which comes after its name or sign.
 * A word that is longer than the width stays whole on a line of its own.
 *
 * @param isHelp wrap commands too: those of a help are patterns, with words such as FILE
 */
function wrapLine(line: string, width: number, isHelp = false): string[] {
  if (stringWidth(line) <= width || (isCommand(line) && !isHelp)) return [line];
  if (isCommand(line)) return wrapWords(line, width, USAGE_HANG);
  const beside = lastColumn(line);
  if (beside === undefined) return wrapWords(line, width, hangOf(line));
  const { head, text } = beside;
  const column = stringWidth(line) - stringWidth(text);
  if (width - column >= MIN_COLUMN) return wrapWords(line, width, column);
  const below = `${' '.repeat(indentOf(line) + 4)}${text}`;
  return [...wrapLine(head, width), ...wrapWords(below, width, indentOf(below))];
}

const USAGE_HANG = 4;

/** Splits a line at its last gap, after which the text of the last column begins. */
function lastColumn(line: string): { readonly head: string; readonly text: string } | undefined {
  const [, head, text] = /^(.*\S) {2,}(\S.*)$/.exec(line) ?? [];
  return head === undefined || text === undefined ? undefined : { head, text };
}

const indentOf = (line: string): number => line.search(/\S/);

/** A line with a deeper indent belongs to a column whose name is omitted, and is not a paragraph. */
const MAX_INDENT = 6;

function hangOf(line: string): number {
  const marker = /^ *(?:->|[-*•✓✗?]|\d+\.) +/.exec(line)?.[0];
  if (marker !== undefined) return marker.length;
  const indent = indentOf(line);
  return indent === 0 || indent > MAX_INDENT ? indent : indent + 2;
}

function wrapWords(line: string, width: number, hang: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const [, gap = '', word = ''] of line.matchAll(/(\s*)(\S+)/g)) {
    const longer = `${current}${gap}${word}`;
    const isFirst = current === '';
    if (isFirst || stringWidth(longer) <= width) current = longer;
    else {
      lines.push(current);
      current = indented(word, hang, width);
    }
  }
  return [...lines, current];
}

/** Indents a word, but less if the word would not fit otherwise. */
function indented(word: string, hang: number, width: number): string {
  const room = width - stringWidth(word);
  return ' '.repeat(room < 0 ? hang : Math.min(hang, room)) + word;
}

/** Line breaks to remove: those within a paragraph, and those before a line that continues the text of a row. */
const SOURCE_BREAK = /(?<=^\S.*)\n(?=\S)|\n {8,}(?=\S)/gm;

/**
 * Joins the lines of each paragraph of a help, as Markdown does. The first paragraph is unchanged, because it has one line for
 * each usage. Indented lines are rows; deeper indented lines continue the text of a row.
 */
function paragraphsOf(help: string): string {
  const [usage = '', ...rest] = help.split('\n\n');
  return [usage, ...rest.map(paragraph => paragraph.replaceAll(SOURCE_BREAK, ' '))].join('\n\n');
}

/** Settings for showing a text. */
export interface Look {
  /** Columns of a line; undefined: unlimited. */
  readonly width: number | undefined;
  readonly colours: boolean;
}

/** Kinds of texts: helps consist of paragraphs, and the first line of an error is highlighted. */
export type TextKind = 'text' | 'help' | 'error';

/**
 * Width of helps if the width is not known, as without a terminal. Scripts do not read helps, and pagers cut long lines in the
 * middle of a word.
 */
const HELP_WIDTH = 80;

/** Formats a text of a command. Its words and their order never change. */
export function formatText(text: string, { width, colours }: Look, kind: TextKind = 'text'): string {
  const isHelp = kind === 'help';
  const lines = (isHelp ? paragraphsOf(text) : text).split('\n');
  const columns = isHelp ? (width ?? HELP_WIDTH) : width;
  const first = lines.findIndex(line => line !== '');
  return lines
    .flatMap((line, index) => {
      const shown = columns === undefined ? [line] : wrapLine(line, columns, isHelp);
      if (!colours) return shown;
      if (kind === 'error' && index === first) return withFirst(shown, asError);
      return isHeading(line, lines[index + 1]) ? shown.map(asHeading) : withFirst(shown, withColouredSigns);
    })
    .join('\n');
}

function withFirst([first = '', ...rest]: readonly string[], style: (line: string) => string): string[] {
  return [style(first), ...rest];
}

/** Longer lines before a list are sentences and not headings. */
const MAX_HEADING = 100;

function isHeading(line: string, next = ''): boolean {
  return /^\S/.test(line) && line.length <= MAX_HEADING && /^ +\S/.test(next) && !isCommand(next);
}

type Style = Parameters<typeof styleText>[0];

/** Words and signs at the beginning of a line that are shown in a colour, each with its style. */
const SIGNS: readonly (readonly [RegExp, Style])[] = [
  [/^ *(✓|Fine\b|Healthy\b)/u, 'green'],
  [/^ *(WARNING\b|Warnings\b|NOT KNOWN\b|Not known\b|\?(?= ))/u, 'yellow'],
  [/^ *(✗|BROKEN\b|Broken\b|DIFFERS\b|FAILED\b)/u, 'red'],
  // The result of an execution comes after its time and its name.
  [/^\d\d:\d\d.* {2}(failed|FAILED|TIMED_OUT)\b/u, 'red'],
  [/^\d\d:\d\d.* {2}(ALARM)\b/u, 'red'],
];

/** Verdicts at the end of a heading, each with its style. */
const VERDICTS: readonly (readonly [RegExp, Style])[] = [
  [/: (fine|equal)$/, 'green'],
  [/: (warnings|not known)\b/, 'yellow'],
  [/: (broken)\b/, 'red'],
];

/** A line with its first word or sign in colour. */
export function withColouredSigns(line: string): string {
  return colouredBy(SIGNS, line);
}

export function asHeading(line: string): string {
  return bold(colouredBy(VERDICTS, line));
}

/** Colours the field that an error names, or the whole first line if it names none. */
export function asError(line: string): string {
  const [head = ''] = /^.{1,60}?(?=: )/.exec(line) ?? [line];
  return `${styled('red', head)}${line.slice(head.length)}`;
}

function colouredBy(signs: typeof SIGNS, line: string): string {
  for (const [pattern, style] of signs) {
    const [match = '', sign = ''] = pattern.exec(line) ?? [];
    if (sign === '') continue;
    const at = line.indexOf(match) + match.lastIndexOf(sign);
    return `${line.slice(0, at)}${styled(style, sign)}${line.slice(at + sign.length)}`;
  }
  return line;
}

const bold = (text: string): string => (text === '' ? text : styled('bold', text));

/** The caller has checked that the terminal has colours, because older versions of Node do not check it here. */
function styled(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}
