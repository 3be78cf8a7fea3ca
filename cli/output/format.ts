import { asError, asHeading, withColouredSigns } from './colours.ts';
import { isCommand, paragraphsOf, wrapLine } from './layout.ts';

/** How a text is shown. */
export interface Look {
  /** Columns that a line may have. Undefined: as many as it has. */
  readonly width: number | undefined;
  readonly colours: boolean;
}

/** What a text is: helps have paragraphs, and the first line of an error stands out. */
export type TextKind = 'text' | 'help' | 'error';

/** Without a terminal, where nobody knows the width. Scripts read no helps, and pagers cut long lines in mid-word. */
const HELP_WIDTH = 80;

/** A text of a command as it is shown. Its words stay the same, in the same order, in every look. */
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

/** Longer ones are sentences before a list. */
const MAX_HEADING = 100;

function isHeading(line: string, next = ''): boolean {
  return /^\S/.test(line) && line.length <= MAX_HEADING && /^ +\S/.test(next) && !isCommand(next);
}
