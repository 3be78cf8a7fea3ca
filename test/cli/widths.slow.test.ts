/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import stringWidth from 'string-width';
import { COMMAND_NAMES, COMMANDS, type CommandName } from '../../cli/commands.ts';
import { describeExecution, describeStart } from '../../cli/local/text.ts';
import { generalHelp } from '../../cli/main.ts';
import { formatText, type TextKind } from '../../cli/output/format.ts';
import { isCommand } from '../../cli/output/layout.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { resolveProps } from '../../config/props.ts';
import { type ServedCloud, serve } from '../../local/serve.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { configOf } from '../support/configs.ts';
import { type Executed, executed } from '../support/executed.ts';
import { freePort } from '../support/free-port.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';

const WIDTHS = [80, 100, 160] as const;

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-widths-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lines that may be longer than the terminal: a single word, and a command to copy. */
const isUnbreakable = (line: string) => !line.trim().includes(' ') || isCommand(line);

const wordsOf = (text: string) => text.split(/\s+/).filter(word => word !== '');

const tooLong = (text: string, width: number) =>
  text.split('\n').filter(line => stringWidth(line) > width && !isUnbreakable(line));

/** Checks that no word or line is broken or cut at any width, with colours or without. */
function expectToFit(text: string, kind: TextKind = 'text'): void {
  for (const width of WIDTHS) {
    const shown = formatText(text, { width, colours: false }, kind);
    expect({ width, lines: tooLong(shown, width) }).toEqual({ width, lines: [] });
    expect(wordsOf(shown)).toEqual(wordsOf(text));
    expect(stripVTControlCharacters(formatText(text, { width, colours: true }, kind))).toBe(shown);
  }
}

/** Checks that the output is the unchanged output of a program. */
function expectData(text: string): void {
  expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
}

test('the list of all commands', () => expectToFit(generalHelp(), 'help'));

test.each(COMMAND_NAMES)('the help of %s', async name => {
  const { help } = await COMMANDS[name].load();
  expectToFit(help(), 'help');
});

const SESSIONS: PreciseTtlProps = {
  tableName: 'WidthsByWindow',
  partitionKey: 'id',
};
const TOKENS: PreciseTtlProps = {
  tableName: 'WidthsBySecond',
  partitionKey: 'id',
  index: { by: 'second' },
  events: { eventBus: 'default' },
};
const CONFIG = join(folder, 'precise-ttl.config.json');
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(Math.floor(ms / 60_000) * 60_000).toISOString();
const [EARLIER, LATER] = [iso(Date.now() - HOUR), iso(Date.now() - HOUR + 120_000)];
const NO_TERRAFORM = { TERRAFORM_BINARY_NAME: '/no/such/terraform' };

interface Run {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The command prints JSON for a program, at any width of the terminal. */
  readonly isData?: true;
}

/**
 * The arguments with which each command runs, in this order, on a deployment on this machine. Commands that need Terraform or
 * minutes run only until they refuse.
 */
const RUNS: Readonly<Record<CommandName, readonly Run[]>> = {
  init: [{ args: ['--table', 'Sessions'] }],
  cost: [
    { args: ['--items-per-month', '50M', '--renewals', '2', '--tables', '3'] },
    { args: ['--items-per-month', '9000M', '--shards', '1'] },
    { args: ['--items-per-month', '5M', '--json'], isData: true },
  ],
  start: [{ args: ['--minutes', '0'] }],
  local: [{ args: ['--for', '2m'] }],
  synth: [{ args: ['--out', join(folder, 'synthesized')] }],
  deploy: [{ args: [], environment: NO_TERRAFORM }],
  adopt: [{ args: ['--table', TOKENS.tableName, '--region', 'us-east-1', '--dry-run', '--full'] }],
  backfill: [{ args: ['--table', SESSIONS.tableName, '--dry-run'] }],
  replay: [
    { args: ['--from', EARLIER, '--to', LATER, '--split-minutes', '1000'] },
    { args: ['--index', '--dry-run'] },
  ],
  status: [
    { args: ['--back', '1'] },
    { args: ['--history'] },
    { args: ['--history', '--json', '-'], isData: true },
  ],
  doctor: [{ args: [] }, { args: ['--full'] }],
  pause: [{ args: [] }],
  resume: [{ args: [] }],
  verify: [{ args: ['--yes'] }],
};
const EACH = Object.entries(RUNS).flatMap(([name, runs]) =>
  runs.map(run => ({ ...run, name: name as CommandName })),
);

describe('on a deployment on this machine', () => {
  let served: ServedCloud;
  const executions: string[] = [];
  const config = configOf(SESSIONS, TOKENS);

  beforeAll(async () => {
    writeFileSync(CONFIG, JSON.stringify(config));
    served = await serve({
      stack: plainStack(config),
      dynamoDbPort: await freePort(),
      sfnPort: await freePort(),
      schedulerPort: await freePort(),
      cloudWatchPort: await freePort(),
      environment: { AWS_ENDPOINT_URL_DYNAMODB: dynamoDbOfFile().endpoint },
      schedules: false,
      onExecution: execution => executions.push(describeExecution(execution)),
      onScheduleError: () => {},
    });
    const expired = String(Date.parse(EARLIER) / 1000 + 90);
    const items = [
      { id: { S: 'k'.repeat(300) }, ttl: { N: `-${expired}` } },
      { id: { S: 'a key with blanks, and ✓ signs 世界' }, ttl: { N: `${expired}000` } },
      { id: { S: 'expired' }, ttl: { N: expired } },
    ];
    for (const TableName of [SESSIONS.tableName, TOKENS.tableName])
      for (const Item of items) await served.cloud.client.send(new PutItemCommand({ TableName, Item }));
  });
  afterAll(() => served.stop());

  // The time limit of status includes the start of its process, which is that of the tests here.
  beforeEach(() => {
    const now = performance.now.bind(performance);
    const began = now();
    jest.spyOn(performance, 'now').mockImplementation(() => now() - began);
  });
  afterEach(() => jest.restoreAllMocks());

  async function run(
    { name, args, environment }: (typeof EACH)[number],
    screen: Readonly<Record<string, string>> = {},
  ): Promise<Executed> {
    const { flags } = await COMMANDS[name].load();
    return executed(name, 'config' in flags && name !== 'cost' ? [...args, '--config', CONFIG] : args, {
      AWS_ENDPOINT_URL_DYNAMODB: served.dynamoDbEndpoint,
      AWS_ENDPOINT_URL_SFN: served.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH: served.cloudWatchEndpoint,
      AWS_REGION: 'us-east-1',
      ...{ AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' },
      PRECISE_TTL_TEST_BUNDLES: process.env['PRECISE_TTL_TEST_BUNDLES'] ?? '',
      ...environment,
      ...screen,
    });
  }

  test.each(EACH)('$name $args', async each => {
    const { stdout, stderr } = await run(each);
    expect(`${stdout}${stderr}`).not.toBe('');
    expect(stderr).not.toMatch(/^ {4}at /m);
    expectToFit(stderr, 'error');
    const wrapped = await run(each, { COLUMNS: '80' });
    expect(tooLong(wrapped.stderr, 80)).toEqual([]);
    if (each.isData) return expectData((await run(each, { COLUMNS: '80', FORCE_COLOR: '3' })).stdout);
    expectToFit(stdout);
    expect(tooLong(wrapped.stdout, 80)).toEqual([]);
  });

  test('local', () => {
    expect(executions.length).toBeGreaterThan(2);
    for (const text of executions) expectToFit(text);
    const [first] = config.tables.map(resolveProps);
    if (first === undefined) throw new TypeError('expected a table');
    expectToFit(describeStart(served, { first, schedules: true }));
  });
});
