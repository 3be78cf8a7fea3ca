import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as dynamodbstreams from '@aws-sdk/client-dynamodb-streams';
import * as lambda from '@aws-sdk/client-lambda';
import * as stepfunctions from '@aws-sdk/client-sfn';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';
import { COMMANDS } from '../../bin/commands.ts';
import { type Flag, type Table, tablesOf } from '../../cli/command.ts';
import { FAULTS } from '../../cli/faults.ts';
import { OF_THE_DEPLOYMENT, OF_THE_TABLE } from '../../cli/findings.ts';
import { PreciseTtlError } from '../../expiry/errors.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { commandsIn, commandsOfDocument, wordsOf } from '../support/proposed-commands.ts';

const scriptsOf = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
    .scripts;

const AWS: Readonly<Record<string, object>> = {
  ...{ cloudwatch, dynamodb, dynamodbstreams, lambda, stepfunctions, sns, sqs },
};
const FLAGS_OF_THE_AWS_CLI = 'region query output endpoint-url profile cli-input-json no-paginate'.split(' ');

/** What stands for a value that only a person knows: TIME, FILE, `…`. */
const isPlaceholder = (word: string) => /^(?:[A-Z][A-Z_]*|…|<.*>|\[.*\])$/.test(word);

/** @returns why nobody can type this; undefined when it can be typed */
async function problemOf(words: readonly string[]): Promise<string | undefined> {
  try {
    const [program, ...rest] = words;
    if (program === 'aws') return awsProblem(rest);
    if (program === 'npm') return await npmProblem(rest);
    return await commandProblem(rest.slice(rest[0] === 'node' ? 2 : 1));
  } catch (error) {
    if (error instanceof PreciseTtlError) return error.message;
    throw error;
  }
}

async function npmProblem([first = '', ...rest]: readonly string[]): Promise<string | undefined> {
  const [name = '', ...args] =
    first === 'start' ? [first, ...rest] : rest.filter(word => word !== '--silent');
  const [separator, ...given] = args;
  // Of a workspace, when it names one.
  if (scriptsOf(separator === '-w' ? (given[0] ?? '') : '.')[name] === undefined)
    return `package.json has no script ${name}`;
  if (name === 'start' && ![undefined, '--'].includes(separator))
    return `npm takes what follows -- only: ${separator}`;
  if (name === 'start') return commandProblem(['start', ...given]);
  const isExperiment =
    [undefined, '--', 'NAME'].includes(separator) || existsSync(`bench/experiments/${separator}.ts`);
  return name === 'bench' && !isExperiment ? `no experiment ${separator}` : undefined;
}

async function commandProblem([name = '', ...args]: readonly string[]): Promise<string | undefined> {
  if (name.startsWith('--') || isPlaceholder(name)) return undefined;
  if (!Object.hasOwn(COMMANDS, name)) return `there is no command ${name}`;
  const { flags, parse } = await COMMANDS[name as keyof typeof COMMANDS].load();
  const typed = args.filter(word => word !== '[flags]');
  const values = typed.map((word, at) => {
    const flag = flags[typed[at - 1]?.slice(2) ?? ''];
    return flag?.value === undefined || !isPlaceholder(word) ? word : exampleOf(flag, word);
  });
  parse(values);
  return undefined;
}

/** A value that the flag takes, for a placeholder. */
function exampleOf({ kind, default: is }: Flag, word: string): string {
  const [, least] = /(?:from|one of|e\.g\.) "?([\w.:-]+)/.exec(kind?.expected ?? '') ?? [];
  return String(is ?? least ?? word);
}

/** Against the models of AWS's own clients. Of services without a client here nothing is known. */
function awsProblem([service = '', operation = '', ...args]: readonly string[]): string | undefined {
  const client = AWS[service] as Readonly<Record<string, unknown>> | undefined;
  if (client === undefined) return undefined;
  const plain = (name: string) => name.replaceAll('-', '').toLowerCase();
  const found = Object.keys(client).find(name => plain(name) === `${plain(operation)}$`);
  // [kind, namespace, name, traits, input]; of an input [kind, namespace, name, traits, its members]
  const [, , , , input] = (client[found ?? ''] ?? []) as unknown[];
  const schema = (typeof input === 'function' ? input() : input) as unknown[] | undefined;
  if (schema === undefined) return `${service} has no operation ${operation}`;
  const known = [...FLAGS_OF_THE_AWS_CLI, ...(schema[4] as string[])].map(plain);
  const flags = args.filter(word => word.startsWith('--')).map(word => word.slice(2).split('=')[0] ?? '');
  return flags
    .filter(flag => !known.includes(plain(flag)) && !known.includes(plain(flag.replace(/^no-/, ''))))
    .map(flag => `aws ${service} ${operation} has no --${flag}`)[0];
}

async function problemsOf(commands: readonly (readonly string[])[]): Promise<string[]> {
  const problems = await Promise.all(
    commands.map(async words => {
      const problem = await problemOf(words);
      return problem === undefined ? [] : [`${words.join(' ')}: ${problem}`];
    }),
  );
  return problems.flat();
}

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'local/README.md',
  'bench/README.md',
  ...globSync('docs/**/*.md').filter(
    file => file !== 'docs/reference/commands.md' && !file.includes('node_modules'),
  ),
];

test.each(documents)('every command in %s can be typed', async file => {
  const commands = commandsOfDocument(readFileSync(file, 'utf8'));
  // An example has npm scripts of its own.
  const manifest = join(dirname(file), 'package.json');
  const own = file.startsWith('docs/examples') && existsSync(manifest) ? readFileSync(manifest, 'utf8') : '';
  const ofExample = ([program, , name]: readonly string[]) =>
    program === 'npm' && own.includes(`"${name}": `);
  expect(await problemsOf(commands.filter(words => !ofExample(words)))).toEqual([]);
});

test('there are commands in the documents', () => {
  const commands = documents.flatMap(file => commandsOfDocument(readFileSync(file, 'utf8')));
  expect(commands.length).toBeGreaterThan(100);
});

const TABLES: readonly Partial<PreciseTtlProps>[] = [
  {},
  { index: { by: 'second' }, existingTable: true },
  {
    existingTable: true,
    tableName: 'Sessions.of-2026',
    ttlAttribute: '--expires, at',
  },
];
const REMEDIES: readonly ((subject: Table) => string)[] = [
  ...Object.values<{ remedy: (subject: Table) => string }>({ ...OF_THE_DEPLOYMENT, ...OF_THE_TABLE }).map(
    ({ remedy }) => remedy,
  ),
  ...Object.values(FAULTS).map(
    ({ remedy }) =>
      ({ props }: Table) =>
        remedy(props.tableName, '2026-06-01T00:00:00Z', '2026-11-20T10:00:00Z'),
  ),
];

test.each(TABLES)('what doctor proposes for %j can be typed', async props => {
  const [table] = tablesOf(configOf({ tableName: 'Sessions', partitionKey: 'id', ...props }));
  const texts = REMEDIES.map(remedy => remedy(table));
  expect(texts.filter(text => /undefined|\bTIME\b/.test(text))).toEqual([]);
  expect(await problemsOf(texts.flatMap(commandsIn))).toEqual([]);
});

test.each([
  ['npx precise-ttl resume --table T --now', '--now: expected one of'],
  ['npx precise-ttl replays', 'no command'],
  ['npm start --minutes 5', 'what follows -- only'],
  ['npm run no-such', 'no script'],
  ['npm run bench shards', 'no experiment shards'],
  ['aws dynamodb update-tables --table-name T', 'no operation'],
  ['aws dynamodb update-time-to-live --table T', 'has no --table'],
])('%s cannot be typed', async (text, problem) => {
  expect(await problemOf(wordsOf(text))).toContain(problem);
});
