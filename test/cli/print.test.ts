import { stripVTControlCharacters } from 'node:util';
import { assert as check, constantFrom, oneof, property, string } from 'fast-check';
import stringWidth from 'string-width';
import { telling, wrong } from '../../cli/command.ts';
import { COMMAND_NAMES, COMMANDS } from '../../cli/commands.ts';
import { generalHelp } from '../../cli/main.ts';
import { formatText, isCommand, print, printable, printError, shortKey } from '../../cli/print.ts';
import { anyCharacter } from '../support/any-character.ts';

/** Characters that a terminal interprets: they change colours, move the cursor, or reverse the direction of text. */
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const LINES = /\n/g;

/** The output of some work. */
async function printed(work: () => unknown): Promise<string> {
  const spies = (['log', 'error'] as const).map(name =>
    jest.spyOn(console, name).mockImplementation(() => {}),
  );
  try {
    await work();
    return spies.flatMap(spy => spy.mock.calls.flat()).join('\n');
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}

test.each([
  ['\\u001b[31mred', '\u001b[31mred'],
  ['\\u009b2J', '\u009b2J'],
  ['a\\u202ecod.exe', 'a\u202ecod.exe'],
  ['\\u2066\\u2069\\u200b\\u00ad\\ufeff', '\u2066\u2069\u200b\u00ad\ufeff'],
  ['a\\u2028b\\u2029c', 'a\u2028b\u2029c'],
  ['\\udb40\\udc41', '\u{e0041}'],
  ['a\\u000d\\u0009b\\u007f', 'a\r\tb\u007f'],
  ['Grüße, 世界 🎫\nnext line', 'Grüße, 世界 🎫\nnext line'],
])('%j is what is printed of it', (expected, text) => {
  expect(printable(text)).toBe(expected);
});

const someCharacter = oneof(
  anyCharacter,
  constantFrom('\u009b', '\u007f', '\u202e', '\u2028', '\u{e0041}', '\n', '"'),
);

test('nothing that a terminal obeys gets through, and JSON stays JSON of the same value', () => {
  check(
    property(string({ unit: someCharacter }), text => {
      const json = JSON.stringify({ [text]: text }, null, 2);
      expect(printable(json).replace(LINES, '')).not.toMatch(OBEYED);
      expect(JSON.parse(printable(json))).toEqual({ [text]: text });
    }),
  );
});

test('both ways to print do so', async () => {
  expect(await printed(() => [print('one\u0085'), printError('other\u202e')])).toBe(
    'one\\u0085\nother\\u202e',
  );
});

test.each([
  ['a wrong flag', wrong('--x', 'a', '\u009b2J', 'Mend it.'), 'got "\\u009b2J"'],
  ['a fault of ours', new Error('\u009b2J'), 'Error: \\u009b2J'],
])('the message of %s is printed so, too', async (_, error, expected) => {
  const text = await printed(() => telling(undefined, () => Promise.reject(error)));
  expect(text).toContain(expected);
  expect(text.replace(LINES, '')).not.toMatch(OBEYED);
});

test('a long key is cut in its middle, with its length', () => {
  expect(shortKey('k'.repeat(200))).toBe('k'.repeat(200));
  const key = JSON.stringify({ id: { S: `${'k'.repeat(1500)}end` } });
  expect(shortKey(key)).toMatch(/^\{"id":\{"S":"k+… \(1,518 characters\) …k+end"\}\}$/);
  expect(shortKey(key).length).toBeLessThan(230);
});

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
