import { join } from 'node:path';
import { COMMANDS } from '../../bin/commands.ts';
import { NoAnswerError } from '../../cli/clients.ts';
import { type AnyCommand, defineCommand, duration, EXIT, question, telling, YES } from '../../cli/command.ts';
import { commandLine, useConfig, WITHOUT_CONFIG } from '../../cli/command-line.ts';
import { oneOf, whole } from '../../expiry/fields.ts';
import { configOf } from '../support/configs.ts';
import { executed } from '../support/executed.ts';
import { folderWith } from '../support/folder.ts';

const tables = ['Sessions', 'Tokens'].map(tableName => ({ tableName, partitionKey: 'id' }));
const CONFIG = join(folderWith({ 'config.json': JSON.stringify(configOf(...tables)) }), 'config.json');

const FLAGS = {
  rate: { help: 'writes a second', kind: whole(1, 100), value: 'N', default: 5 },
  by: { help: 'how', kind: oneOf(['window', 'second']), value: 'WAY' },
  for: { help: 'how long', kind: duration('1m', '2h'), value: 'DURATION' },
  quiet: { help: 'say less' },
} as const;

const command = defineCommand({
  ...{ name: 'pause', flags: FLAGS, about: 'Made for this test.', tables: 'all' },
  check({ flags: { quiet, by } }) {
    if (quiet && by !== undefined) throw new NoAnswerError('together');
  },
  run: async ({ flags }) => ({ data: flags, exit: EXIT.fine }),
});

test('reads flags as they are typed', () => {
  expect(command.parse([])).toMatchObject({ rate: 5, by: undefined, quiet: false, json: false, help: false });
  expect(command.parse(['--rate=7', '--by', 'second', '--quiet', '--for', '90m'])).toMatchObject({
    ...{ rate: 7, by: 'second', quiet: true, for: 5_400_000 },
  });
  expect(command.parse(['--table=--odd'])).toMatchObject({ table: '--odd' });
});

test('an interrupted question has no answer', async () => {
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  await expect(question('Which? ', AbortSignal.abort())).rejects.toThrow('aborted');
  expect(written).toHaveBeenCalledWith('Which? ');
  written.mockRestore();
});

const here = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' };

const errorOf = (message: string, more: object) => Object.assign(new Error(message), more);
const FORBIDDEN = 'a is not authorized to perform: dynamodb:Query on resource: b';
const odd = errorOf('odd', { name: 'InternalServerError', $metadata: {} });

test.each<[number, unknown, string]>([
  [3, new NoAnswerError('DynamoDB throttles'), 'DynamoDB: expected an answer, got: DynamoDB throttles. '],
  [3, errorOf('x', { code: 'ECONNREFUSED' }), 'got: DynamoDB cannot be reached (ECONNREFUSED). Look at'],
  [3, errorOf('x', { name: 'TimeoutError' }), 'got: DynamoDB: no answer in 5 s. Look at the network'],
  [3, errorOf('x', { name: 'ThrottlingException' }), 'got: DynamoDB throttles. Run it again later.'],
  [
    3,
    errorOf(FORBIDDEN, { name: 'AccessDeniedException' }),
    'IAM does not allow dynamodb:Query on resource: b. Allow it',
  ],
  [3, errorOf('x', { name: 'CredentialsProviderError' }), 'AWS credentials: expected some for the account'],
  [3, new Error('journal', { cause: odd }), 'DynamoDB answered InternalServerError: odd'],
  [1, new TypeError('a bug of ours'), 'TypeError: a bug of ours\n    at '],
])('ends with %d for %p', async (exit, error, message) => {
  const printed: unknown[] = [];
  const spy = jest.spyOn(console, 'error').mockImplementation(text => void printed.push(text));
  const before = process.exitCode;
  await telling('DYNAMODB', () => Promise.reject(error));
  expect([process.exitCode, printed.join('\n')]).toEqual([exit, expect.stringContaining(message)]);
  process.exitCode = before;
  spy.mockRestore();
});

/** A change on this machine, which needs no consent; it can be stopped in its middle. */
function changing(apply: () => Promise<{ exit: number; error?: unknown }>): AnyCommand {
  return defineCommand({
    ...{ name: 'pause', flags: { yes: YES }, about: 'Made for this test.', tables: 'all' },
    run: async () => ({ text: 'It would change.', question: 'Change it?', apply }),
  });
}

async function ended(made: AnyCommand, line: readonly string[]): Promise<readonly unknown[]> {
  const load = jest.spyOn(COMMANDS.pause, 'load').mockResolvedValue(made as never);
  const { status, stdout, stderr } = await executed(['pause', ...line], here);
  load.mockRestore();
  return [status, stdout, stderr];
}

test('a change says what it does and did; with --json only the data, and an error ends it after what was done', async () => {
  const done = { data: { done: 1 }, text: 'Changed.', exit: 0 };
  const [whole, half] = [done, { ...done, exit: 1, error: new NoAnswerError('no more') }].map(result =>
    changing(async () => result),
  ) as [AnyCommand, AnyCommand];
  const line = ['--yes', '--config', CONFIG];
  const said = 'It would change.\nChanged.';
  expect(await ended(whole, line)).toEqual([0, said, '']);
  const [status, stdout] = await ended(whole, [...line, '--json']);
  expect([status, JSON.parse(String(stdout))]).toEqual([0, { done: 1 }]);
  expect(await ended(half, line)).toEqual([3, said, 'no more']);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a change that %s stops tells what was done, and how to go on', async (signal, status) => {
  const stopped = changing(async () => {
    process.emit(signal, signal);
    return { data: { done: 1 }, text: 'Changed half of it.', exit: 1 };
  });
  const line = ['--yes', '--table', 'Tokens', '--config', CONFIG];
  expect(await ended(stopped, line)).toEqual([
    status,
    'It would change.\nChanged half of it.',
    `Interrupted. The same command goes on:\n  npx precise-ttl pause ${line.join(' ')}`,
  ]);
});

test('what always asks does so on this machine too', async () => {
  const asking = (alwaysAsks?: true) =>
    defineCommand({
      ...{ name: 'verify', flags: { yes: YES }, about: 'Made for this test.', services: ['DYNAMODB'] },
      ...(alwaysAsks && { alwaysAsks }),
      run: async () => ({ exit: EXIT.fine }),
    });
  expect(await ended(asking(), [])).toEqual([0, '', '']);
  expect(await ended(asking(true), [])).toEqual([2, '', expect.stringMatching(/^--yes: expected it where/)]);
});

test('the commands that do not take --config are those without the flag', async () => {
  const without = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) =>
      'config' in (await load()).flags ? [] : [name],
    ),
  );
  expect([...WITHOUT_CONFIG]).toEqual(without.flat().sort());
});

afterEach(() => useConfig(undefined));

test.each([
  [undefined, 'resume', ['--table', 'Tokens'], 'npx precise-ttl resume --table Tokens'],
  [
    'staging.ts',
    'resume',
    ['--table', 'Tokens'],
    'npx precise-ttl resume --table Tokens --config staging.ts',
  ],
  ['staging.ts', 'resume', undefined, 'npx precise-ttl resume --config staging.ts'],
  ['my tables.ts', 'replay', [], `npx precise-ttl replay --config 'my tables.ts'`],
  ['staging.ts', 'replay', ['--config=staging.ts'], 'npx precise-ttl replay --config=staging.ts'],
  // The command has no such flag.
  ['staging.ts', 'adopt', ['--table', 'Tokens'], 'npx precise-ttl adopt --table Tokens'],
])('with --config %s another command is called with it: %s %s', (config, command, args, expected) => {
  useConfig(config);
  expect(commandLine(command, args)).toBe(expected);
});
