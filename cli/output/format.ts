import { styleText } from 'node:util';
import { isCommand, paragraphsOf, wrapLine } from './layout.ts';

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
