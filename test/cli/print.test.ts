import { stripVTControlCharacters } from 'node:util';
import { assert as check, constantFrom, oneof, property, string } from 'fast-check';
import stringWidth from 'string-width';
import { COMMAND_NAMES, COMMANDS, generalHelp } from '../../bin/commands.ts';
import { telling, wrong } from '../../cli/command.ts';
import { lasting } from '../../cli/dashboard/words.ts';
import { formatText, isCommand, lookOf, printable, shortKey } from '../../cli/format.ts';
import { Progress, print, printError } from '../../cli/print.ts';
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

test('all ways to print do so, and leave letters of any kind', async () => {
  const all = () => [print('one\u0085'), printError('other\u202e'), print('Grüße, 世界 🎫\nnext', 'data')];
  expect(await printed(all)).toBe('one\\u0085\nGrüße, 世界 🎫\nnext\nother\\u202e');
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

test.each(COMMAND_NAMES)('the help of %s, and the list of all commands, fit', async name => {
  const { help } = await COMMANDS[name].load();
  for (const text of [help(), generalHelp()]) expectToFit(text);
});

const terminal = { isTTY: true, columns: 132 };
const XTERM = { TERM: 'xterm-256color' };

const COLUMNS = { ...XTERM, COLUMNS: '100' };

test.each<[string, object, NodeJS.ProcessEnv, number | undefined, boolean]>([
  ['a terminal has its width and its colours', terminal, XTERM, 132, true],
  ['a very narrow one breaks lines by itself', { isTTY: true, columns: 12 }, XTERM, 40, true],
  ['COLUMNS, and NO_COLOR', terminal, { ...COLUMNS, NO_COLOR: '1' }, 100, false],
  ['a terminal without colours', terminal, { TERM: 'dumb' }, 132, false],
  ['a file has its lines as they are', {}, XTERM, undefined, false],
  ['COLUMNS and FORCE_COLOR for a file', {}, { ...COLUMNS, FORCE_COLOR: '1' }, 100, true],
])('%s', (_, screen, environment, width, colours) => {
  expect(lookOf(screen, environment)).toEqual({ width, colours });
});

const LONG = `arn:aws:states:${'x'.repeat(60)}`;

/** Each text, and its lines in 40 columns, with / between them. */
test.each([
  ['one two three four five six seven eight nine', 'one two three four five six seven eight/nine'],
  [
    '  gone      all that was due by now is gone, I think',
    '  gone      all that was due by now is/            gone, I think',
  ],
  [
    '    -> correct the writer of the item, then write it',
    '    -> correct the writer of the item,/      then write it',
  ],
  // The last column has no room.
  [
    '  calls of functions   12 calls   $1.20  free: 100',
    '  calls of functions   12 calls   $1.20/    free: 100',
  ],
  // A long word stays whole, and so does a command to copy.
  [`state machine ${LONG} is there`, `state machine/${LONG}/is there`],
  [`  table  ${LONG}`, `  table/         ${LONG}`],
  [`  npx precise-ttl replay --from ${LONG} --to now`, `  npx precise-ttl replay --from ${LONG} --to now`],
  [`${'世界'.repeat(9)} ${'界'.repeat(3)}`, `${'世界'.repeat(9)}/界界界`],
])('wraps %j', (text, lines) => {
  expect(formatText(text, { width: 40, colours: false })).toBe(lines.replaceAll('/', '\n'));
});

test('the lines of a paragraph of a help are joined', () => {
  const help = 'npx precise-ttl x --one ONE\n\nIt says\nwhat it is.\n\n  a  what it means';
  expect(formatText(help, { width: 40, colours: false }, 'help')).toBe(
    help.replace('says\nwhat', 'says what'),
  );
});

const ESCAPES = { red: '\u001b[31m', green: '\u001b[32m', yellow: '\u001b[33m' };

test.each<[keyof typeof ESCAPES | undefined, string, string]>([
  ['green', '  ✓ kept', '✓'],
  ['red', '✗ lost', '✗'],
  ['yellow', '  WARNING nobody knows', 'WARNING'],
  ['red', '  BROKEN ttl-negative (1)', 'BROKEN'],
  ['red', '10:02  tick    FAILED in 3 s', 'FAILED'],
  // What is said of something is no sign.
  [undefined, '  alarms  none of 12 in ALARM\n  Finer things are not BROKEN', '  alarms'],
])('%s: %j', (colour, text, sign) => {
  const shown = formatText(text, { width: 80, colours: true });
  if (colour === undefined) expect(shown).toBe(text);
  else expect(shown).toContain(`${ESCAPES[colour]}${sign}`);
  expect(stripVTControlCharacters(shown)).toBe(text);
});

test('a sign begins a line of the text, not only one of the terminal', () => {
  const word = 'x'.repeat(38);
  expect(formatText(`${word} kept`, { width: 40, colours: true })).toBe(`${word}\nkept`);
});

test('JSON has no colours and no breaks of lines; errors have both', async () => {
  const { env } = process;
  process.env = { ...env, FORCE_COLOR: '1', COLUMNS: '40' };
  const json = JSON.stringify({ text: `✓ ${'word '.repeat(20)}` }, null, 2);
  expect(await printed(() => print(json, 'data'))).toBe(json);
  expect(await printed(() => printError(`\n--at: expected a time${' and more'.repeat(5)}`, 'error'))).toBe(
    `\n${ESCAPES.red}--at\u001b[39m: expected a time and more and more\nand more and more and more`,
  );
  process.env = env;
});

test.each([
  [-1, '0 s'],
  [0.6, '1 s'],
  [119, '119 s'],
  [120, '2 minutes'],
  [7_199, '120 minutes'],
  [7_200, '2 hours'],
  [172_800, '2 days'],
])('%d seconds are a length of time of %s', (seconds, words) => expect(lasting(seconds)).toBe(words));

test('its line gives way to what is printed', () => {
  const written: string[] = [];
  const stderr = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  const log = jest.spyOn(console, 'log').mockImplementation(text => void written.push(text));
  new Progress(stderr).show('50 %');
  print('done');
  log.mockRestore();
  expect(written.slice(-2)).toEqual(['\r\u001b[J', 'done']);
});

function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 20, write: (text: string) => written.push(text) };
}

test('overwrites one line on a terminal, never wider than it', () => {
  const terminal = output(true);
  const progress = new Progress(terminal);
  progress.show('a line that is far too long for it');
  progress.show('second');
  progress.end();
  progress.end();
  expect(terminal.written).toEqual(['\ra line that is …\u001b[J', '\rsecond\u001b[J', '\r\u001b[J']);
});

test('writes a line after two seconds and every ten elsewhere', () => {
  const file = output(false);
  let now = 0;
  const progress = new Progress(file, () => now);
  for (; now <= 25_000; now += 250) progress.show(`at ${now}`);
  expect(file.written).toEqual(['at 2000\n', 'at 12000\n', 'at 22000\n']);
});
