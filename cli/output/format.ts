import { asError, asHeading, withColouredSigns } from './colours.ts';
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
