import { describeFlags, FlagError, parseFlags } from '../../cli/flags.ts';

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
