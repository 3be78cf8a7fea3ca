import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_NAMES, COMMANDS, type CommandName } from '../../cli/commands.ts';
import { COMMAND_ACTIONS } from '../../cli/iam-actions.ts';
import type { Plan } from '../../cli/operation.ts';
import type { Service } from '../../operate/aws/endpoint.ts';
import { StoppedError } from '../../operate/errors.ts';
import { executed } from '../support/executed.ts';
import { carriedOut, sessionOf } from '../support/session.ts';
import { shellCommand } from '../support/shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-operations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CONFIG = join(folder, 'precise-ttl.config.json');
const SESSIONS = { tableName: 'Sessions', partitionKey: 'id' };
const TOKENS = { tableName: 'Tokens', partitionKey: 'id' };
writeFileSync(CONFIG, JSON.stringify({ region: 'us-east-1', tables: [SESSIONS, TOKENS] }));

const TIMES = ['--from', '2026-11-20T08:00:00Z', '--to', '2026-11-20T09:00:00Z'];

/**
 * Each command that changes something in an account, with the arguments that it needs before it asks, and the services that it
 * requires.
 */
const CHANGING: Readonly<
  Partial<Record<CommandName, { readonly args: readonly string[]; readonly services: readonly Service[] }>>
> = {
  adopt: { args: ['--table', 'Sessions'], services: ['DYNAMODB'] },
  backfill: { args: ['--table', 'Sessions'], services: ['DYNAMODB'] },
  pause: { args: [], services: ['DYNAMODB'] },
  replay: { args: TIMES, services: ['SFN'] },
  resume: { args: [], services: ['DYNAMODB'] },
  verify: { args: ['--region', 'us-east-1'], services: ['DYNAMODB', 'SFN', 'SQS', 'LAMBDA', 'CLOUDWATCH'] },
};
const OPERATIONS = Object.entries(CHANGING).map(([name, has]) => ({ name: name as CommandName, ...has }));
const NOWHERE = 'http://127.0.0.1:9';
const nowhere = (services: readonly Service[]) =>
  Object.fromEntries(services.map(service => [`AWS_ENDPOINT_URL_${service}`, NOWHERE]));

async function withConfig(name: CommandName, args: readonly string[]): Promise<string[]> {
  const { flags } = await COMMANDS[name].load();
  return 'config' in flags ? [...args, '--config', CONFIG] : [...args];
}

const run = async (name: CommandName, args: readonly string[], environment?: Record<string, string>) =>
  executed(name, await withConfig(name, args), environment);

test('each command that changes something can be told not to ask, and no other one', async () => {
  const taking: CommandName[] = [];
  for (const name of COMMAND_NAMES) {
    const { flags } = await COMMANDS[name].load();
    if ('yes' in flags) taking.push(name);
  }
  expect(taking.sort()).toEqual(Object.keys(CHANGING).sort());
  const reads = /:(Get|List|Describe|Query|Scan|BatchGet)/;
  const writing = Object.entries(COMMAND_ACTIONS)
    .filter(([, actions]) => actions.some(({ action }) => !reads.test(action)))
    .map(([name]) => name);
  expect(Object.keys(CHANGING)).toEqual(expect.arrayContaining(writing));
});

describe.each(OPERATIONS)('$name', ({ name, args, services }) => {
  test('refuses without a terminal and without --yes', async () => {
    const { flags } = await COMMANDS[name].load();
    const { status, stderr } = await run(name, args);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^--yes: expected it where no terminal is there to ask at, got (none; add it|nothing\. Add it)/,
      ),
    ]);
    // A remedy must be a flag that the command has.
    expect(stderr.includes('--dry-run')).toBe('dry-run' in flags);
  });

  test('refuses a file that cannot be written, and an endpoint that is none', async () => {
    const isPorted = ['pause', 'resume'].includes(name);
    const unwritable = await run(name, [...args, '--json', '/no/such/folder/out.json']);
    expect([unwritable.status, unwritable.stderr]).toEqual([
      2,
      expect.stringContaining(
        isPorted ? '--json: expected no value' : '--json: expected a file in a folder that can be written',
      ),
    ]);
    const all = Object.fromEntries(services.map(service => [`AWS_ENDPOINT_URL_${service}`, 'here']));
    const unclear = await run(name, args, all);
    expect([unclear.status, unclear.stderr]).toEqual([2, expect.stringContaining('expected a URL such as')]);
  });

  test('talks to one place only', async () => {
    const [here, ...others] = services;
    if (here === undefined || others.length === 0) return;
    const { status, stderr } = await run(name, args, nowhere([here]));
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(new RegExp(`^AWS_ENDPOINT_URL_(${others.join('|')}): expected an endpoint`)),
    ]);
  });
});

// Each command runs in a process of its own, because the SDK does not recognize errors from the process of a test.
test('each says so where nobody listens', async () => {
  const those = OPERATIONS.filter(({ name }) => name !== 'verify');
  const ended = await Promise.all(
    those.map(async ({ name, args, services }) =>
      shellCommand(name)(await withConfig(name, args), nowhere(services)),
    ),
  );
  expect(ended).toEqual(
    those.map(({ services: [service] }) => ({
      ...{ status: expect.anything(), stdout: '' },
      stderr: expect.stringMatching(
        new RegExp(
          `^\\n?AWS_ENDPOINT_URL_${service}: expected .* at ${NOWHERE}, got.* ?\\(?ECONNREFUSED\\)?[;.] [sS]tart npx precise-ttl local.*\\n$`,
        ),
      ),
    })),
  );
});

describe.each(OPERATIONS.filter(({ name }) => !['adopt', 'verify'].includes(name)))(
  '$name',
  ({ name, args, services }) => {
    test('refuses a table that the configuration does not have', async () => {
      const others = args.filter((arg, index) => arg !== '--table' && args[index - 1] !== '--table');
      const { status, stderr } = await run(name, [...others, '--table', 'Other'], nowhere(services));
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/^--table: expected one of Sessions, Tokens, got "Other"/),
      ]);
      if (others.length === args.length) return;
      const none = await run(name, others, nowhere(services));
      expect([none.status, none.stderr]).toEqual([
        2,
        '--table: expected one of Sessions, Tokens, got none; this is for one table, so name it',
      ]);
    });
  },
);

test.each<[CommandName, string[], string]>([
  ['pause', ['--for', '2'], '--for: expected a whole number and s, m, h or d'],
  ['backfill', ['--rate', '0'], '--rate: expected a whole number from 1 to 10000, got "0"'],
  ['replay', ['--form', 'x'], '--form: expected one of --table, --from, --to, '],
  ['replay', [], '--from: expected a time in ISO-8601 with a zone, got nothing'],
  ['replay', [...TIMES, '--run', 'a:b'], '--run: expected 1 to 20 letters'],
  ['replay', [...TIMES, '--split-minutes', '0'], '--split-minutes: expected a whole number from 1 to 44640'],
  [
    'replay',
    [...TIMES, '--max-per-second', '0'],
    '--max-per-second: expected a whole number from 1 to 1000000',
  ],
  ['adopt', [], '--table: expected the name of a table, got none; write --table NAME'],
  ['adopt', ['--table', 'T', '--by', 'minute'], '--by: expected window or second, got "minute"'],
  ['adopt', ['--table', 'T', '--index-write-units', '0'], '--index-write-units: expected a whole number'],
  ['adopt', ['--table', 'T', '--dry-run'], '--region: expected the region of the table, got none'],
  ['verify', ['--yes'], '--region: expected a region, got none'],
])('%s %j is refused before anything is asked of AWS', async (name, args, message) => {
  const { status, stdout, stderr } = await run(name, args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.split('\n')).toHaveLength(1);
});

describe('a plan', () => {
  const RESULT = join(folder, 'out.json');
  const applied = jest.fn(async () => ({ done: 1 }));
  const plan: Plan<object> = {
    facts: { title: 'A change', rows: [['table', 'Sessions']] },
    apply: applied,
    tell: () => ({ end: 'done' }),
  };
  const ask = jest.fn<Promise<boolean>, [string]>();
  const away = { where: () => 'https://aws.example', isLocal: () => false };
  beforeEach(() => {
    jest.clearAllMocks();
    rmSync(RESULT, { force: true });
  });

  test('is carried out in an account after a yes only, when it has said what and where', async () => {
    const session = sessionOf(away, { ask: ask.mockResolvedValueOnce(false).mockResolvedValueOnce(true) });
    expect(await carriedOut(plan, session, RESULT)).toBeUndefined();
    expect([applied.mock.calls.length, existsSync(RESULT)]).toEqual([0, false]);
    expect(session.printed).toEqual([
      'A change\n  table       Sessions\n  endpoint    https://aws.example, region us-east-1',
    ]);
    expect(await carriedOut(plan, session, RESULT)).toEqual({ end: 'done' });
    expect(ask.mock.calls).toEqual([['Do it?'], ['Do it?']]);
    expect(JSON.parse(readFileSync(RESULT, 'utf8'))).toEqual({ done: 1 });
  });

  test.each([
    ['on this machine', sessionOf({}, { ask }), plan],
    ['only counts', sessionOf(away, { ask, dryRun: true }), plan],
    ['has nothing to agree to', sessionOf(away, { ask }), { ...plan, question: undefined }],
  ])('asks nothing where it is %s', async (_which, session, asked) => {
    expect(await carriedOut(asked, session)).toEqual({ end: 'done' });
    expect([ask.mock.calls.length, applied.mock.calls.length]).toEqual([0, 1]);
  });

  test('that an error ends in its middle writes what was done, and throws the error', async () => {
    const cause = new Error('no more');
    const apply = () => Promise.reject(new StoppedError({ done: 'half' }, cause));
    await expect(carriedOut({ ...plan, apply }, sessionOf({}), RESULT)).rejects.toBe(cause);
    expect(JSON.parse(readFileSync(RESULT, 'utf8'))).toEqual({ done: 'half' });
  });

  test('that is interrupted in its middle is no failure', async () => {
    const stop = new AbortController();
    const apply = async () => {
      stop.abort();
      return stop.signal.throwIfAborted() as never;
    };
    const session = sessionOf({}, { signal: stop.signal });
    expect(await carriedOut({ ...plan, apply }, session)).toEqual({ end: 'interrupted' });
  });
});
