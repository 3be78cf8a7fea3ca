import stringWidth from 'string-width';

/** Columns that a text beside a name needs; with fewer it stands below the name. */
const MIN_COLUMN = 24;

/** Lines that somebody copies into a shell: a break in one of them would be another command. */
const COMMAND = /^ *(?:-> )?(?:npx|aws|export|terraform) /;

/** Whether a line is a command to copy, which is left as long as it is. */
export function isCommand(line: string): boolean {
  return COMMAND.test(line);
}

/**
 * A line, in as many as it takes at a width. It breaks between words only. What follows hangs below where the text of the line
 * begins: behind its name or its sign. A word that is longer than the width stays whole, on a line of its own.
 *
 * @param isHelp nobody copies a command of it: it has words such as FILE
 */
export function wrapLine(line: string, width: number, isHelp = false): string[] {
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

/** The text behind the last gap of a line, which stands beside something. */
function lastColumn(line: string): { readonly head: string; readonly text: string } | undefined {
  const [, head, text] = /^(.*\S) {2,}(\S.*)$/.exec(line) ?? [];
  return head === undefined || text === undefined ? undefined : { head, text };
}

const indentOf = (line: string): number => line.search(/\S/);

/** Deeper than that begins a column whose name was left out, and no paragraph. */
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

/** A long word goes to the left where that keeps it in the width. */
function indented(word: string, hang: number, width: number): string {
  const room = width - stringWidth(word);
  return ' '.repeat(room < 0 ? hang : Math.min(hang, room)) + word;
}

/** Between two lines of a paragraph, and before what goes on below the text of a row. */
const SOURCE_BREAK = /(?<=^\S.*)\n(?=\S)|\n {8,}(?=\S)/gm;

/**
 * A help whose paragraphs are one line each, as in Markdown: a break of a line in a paragraph is one of the source. The first
 * paragraph has a line for each usage, and indented lines are rows; a row goes on where its text began.
 */
export function paragraphsOf(help: string): string {
  const [usage = '', ...rest] = help.split('\n\n');
  return [usage, ...rest.map(paragraph => paragraph.replaceAll(SOURCE_BREAK, ' '))].join('\n\n');
}
