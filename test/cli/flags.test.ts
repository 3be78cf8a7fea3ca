import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeDuration,
  describeFlags,
  FlagError,
  parseFlags,
  readDuration,
  writableFolder,
} from '../../cli/flags.ts';

const FLAGS = {
  minutes: { type: 'number', min: 1, max: 60, default: 3, value: 'N', help: 'how long' },
  seed: { type: 'number', min: 0, max: 100, whole: true, value: 'N', help: 'the seed' },
  json: { type: 'text', value: 'FILE', help: 'the file' },
  help: { type: 'switch', help: 'this' },
} as const;

test.each([
  [[], { minutes: 3, seed: undefined, json: undefined, help: false }],
  [['--minutes', '2.5', '--seed=7'], { minutes: 2.5, seed: 7, json: undefined, help: false }],
  [['--json', 'out.json', '--help'], { minutes: 3, seed: undefined, json: 'out.json', help: true }],
  [['--json=--odd'], { minutes: 3, seed: undefined, json: '--odd', help: false }],
])('reads %p', (args, expected) => {
  expect(parseFlags(FLAGS, args)).toEqual(expected);
});

const KNOWN = '--minutes, --seed, --json, --help';
test.each([
  [['--minuts', '3'], `--minuts: expected one of ${KNOWN}, got an unknown flag; see --help`],
  [['--minuts=3'], `--minuts: expected one of ${KNOWN}, got an unknown flag; see --help`],
  [['-m', '3'], `-m: expected one of ${KNOWN}, got an unknown flag; see --help`],
  [['--constructor'], `--constructor: expected one of ${KNOWN}, got an unknown flag; see --help`],
  [['--no-help'], `--no-help: expected one of ${KNOWN}, got an unknown flag; see --help`],
  [['three'], `expected flags only (${KNOWN}), got "three"; see --help`],
  [['--minutes'], '--minutes: expected a number from 1 to 60, got nothing; write --minutes N'],
  [['--minutes='], '--minutes: expected a number from 1 to 60, got nothing; write --minutes N'],
  [['--minutes', 'x'], '--minutes: expected a number from 1 to 60, got "x"'],
  [['--minutes', '0'], '--minutes: expected a number from 1 to 60, got "0"'],
  [['--minutes', '-3'], '--minutes: expected a number from 1 to 60, got "-3"'],
  [['--minutes', '61'], '--minutes: expected a number from 1 to 60, got "61"'],
  [['--minutes', '1e1'], '--minutes: expected a number from 1 to 60, got "1e1"'],
  [['--minutes', 'Infinity'], '--minutes: expected a number from 1 to 60, got "Infinity"'],
  [['--minutes', '--seed'], '--minutes: expected a number from 1 to 60, got "--seed"'],
  [['--seed', '1.5'], '--seed: expected a whole number from 0 to 100, got "1.5"'],
  [['--seed', '1', '--seed', '2'], '--seed: expected once, got it twice; leave one out'],
  [['--json'], '--json: expected a value, got nothing; write --json FILE'],
  [
    ['--json', '--help'],
    '--json: expected a value, got the flag "--help"; write --json=--help if it is meant',
  ],
  [['--help=yes'], '--help: expected no value, got "yes"; write --help alone'],
])('fails for %p', (args, message) => {
  const parse = () => parseFlags(FLAGS, args);
  expect(parse).toThrow(FlagError);
  expect(parse).toThrow(message);
});

test('reads a flag that takes several', () => {
  const flags = { table: { type: 'texts', value: 'NAME', help: 'a table' } } as const;
  expect(parseFlags(flags, [])).toEqual({ table: [] });
  expect(parseFlags(flags, ['--table', 'A', '--table=B'])).toEqual({ table: ['A', 'B'] });
  expect(() => parseFlags(flags, ['--table', '--table', 'B'])).toThrow('got the flag "--table"');
});

test('describes every flag with its default', () => {
  expect(describeFlags(FLAGS)).toBe(
    [
      '  --minutes N  how long (default 3)',
      '  --seed N     the seed',
      '  --json FILE  the file',
      '  --help       this',
    ].join('\n'),
  );
});

const root = mkdtempSync(join(tmpdir(), 'precise-ttl-writable-'));
const file = join(root, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a folder is made with those above it, and left empty', () => {
  const folder = join(root, 'a/b/c');
  expect(writableFolder('--module', folder)).toBe(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
  expect(writableFolder('--module', folder)).toBe(folder);
  expect(readdirSync(folder)).toEqual([]);
});

const refused: readonly (readonly [string, string, string])[] = [
  ['a file', file, 'ENOTDIR'],
  ['a folder below a file', join(file, 'x/y'), 'ENOTDIR'],
  ...(existsSync('/proc/self')
    ? ([
        ['a folder below /proc', '/proc/nope/x', 'ENOENT'],
        ['/proc', '/proc', 'E'],
      ] as const)
    : []),
];

test.each(refused)('%s is refused', (_what, path, code) => {
  expect(() => writableFolder('--module', path)).toThrow(
    new RegExp(`^--module: expected a folder that can be made and written to, got "${path}" \\(${code}`),
  );
});

const PAUSE = { flag: '--for', least: '1m', most: '1d' } as const;
const HISTORY = { flag: '--since', least: '1s', most: '90d' } as const;
type Bounds = typeof PAUSE | typeof HISTORY;

test.each<[string, Bounds, number]>([
  ['60s', PAUSE, 60_000],
  ['90m', PAUSE, 5_400_000],
  ['2h', PAUSE, 7_200_000],
  ['1d', PAUSE, 86_400_000],
  ['1s', HISTORY, 1000],
  ['007d', HISTORY, 604_800_000],
  ['90d', HISTORY, 7_776_000_000],
])('%s is read for %j', (text, { flag, ...bounds }, expected) => {
  expect(readDuration(flag, text, bounds)).toBe(expected);
});

test.each([
  ...['59s', '25h', '0h', '2', '2 h', '1.5h', '-1h', 'h', '2w', '2H'].map(text => [text, PAUSE] as const),
  ...['', '0d', '7', '7 d', '91d', '7D', '9999999999d', '9999999999s'].map(text => [text, HISTORY] as const),
])('fails for %p with %j', (text, { flag, ...bounds }) => {
  expect(() => readDuration(flag, text, bounds)).toThrow(
    `${flag}: expected a whole number and s, m, h or d, such as 90m or 2h, from ${bounds.least} to ${bounds.most}, got "${text}"`,
  );
});

test.each([
  [0, '0 s'],
  [45_000, '45 s'],
  [61_000, '1 min 1 s'],
  [600_000, '10 min'],
  [5_400_000, '1 h 30 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms are %s', (milliseconds, expected) => {
  expect(describeDuration(milliseconds)).toBe(expected);
});
