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
export function paragraphsOf(help: string): string {
  const [usage = '', ...rest] = help.split('\n\n');
  return [usage, ...rest.map(paragraph => paragraph.replaceAll(SOURCE_BREAK, ' '))].join('\n\n');
}
