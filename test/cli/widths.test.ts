import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { COMMAND_NAMES, COMMANDS } from '../../cli/commands.ts';
import { generalHelp } from '../../cli/main.ts';
import { formatText, isCommand } from '../../cli/output/format.ts';

const WIDTHS = [80, 100, 160] as const;

/** Lines that may be longer than the terminal: a single word, and a command to copy. */
const isUnbreakable = (line: string) => !line.trim().includes(' ') || isCommand(line);

const wordsOf = (text: string) => text.split(/\s+/).filter(word => word !== '');

const tooLong = (text: string, width: number) =>
  text.split('\n').filter(line => stringWidth(line) > width && !isUnbreakable(line));

/** Checks that no word or line is broken or cut at any width, with colours or without. */
function expectToFit(text: string): void {
  for (const width of WIDTHS) {
    const shown = formatText(text, { width, colours: false }, 'help');
    expect({ width, lines: tooLong(shown, width) }).toEqual({ width, lines: [] });
    expect(wordsOf(shown)).toEqual(wordsOf(text));
    expect(stripVTControlCharacters(formatText(text, { width, colours: true }, 'help'))).toBe(shown);
  }
}

test('the list of all commands', () => expectToFit(generalHelp()));

test.each(COMMAND_NAMES)('the help of %s', async name => {
  const { help } = await COMMANDS[name].load();
  expectToFit(help());
});
