import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_NAMES, COMMANDS, type CommandName } from '../../cli/commands.ts';
import { COMMAND_ACTIONS } from '../../cli/iam-actions.ts';
import { executed } from '../support/executed.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-lines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CONFIG = join(folder, 'precise-ttl.config.json');
const tables = [
  { tableName: 'Sessions', partitionKey: 'id' },
  { tableName: 'Tokens', partitionKey: 'id', index: { by: 'second' } },
];
writeFileSync(CONFIG, JSON.stringify({ region: 'us-east-1', tables }));
const C = ['--config', CONFIG];
const SPAN = ['--from', '2026-11-20T08:00:00Z', '--to', '2026-11-20T09:00:00Z'];
const ADOPT = ['--table', 'Old'];
const NOWHERE = 'http://127.0.0.1:9';

test('each command that changes something in an account can be told not to ask, and no other one', async () => {
  const taking: CommandName[] = [];
  for (const name of COMMAND_NAMES) if ('yes' in (await COMMANDS[name].load()).flags) taking.push(name);
  const reads = /:(Get|List|Describe|Query|Scan|BatchGet)/;
  const writing = Object.entries(COMMAND_ACTIONS).flatMap(([name, actions]) =>
    actions.some(({ action }) => !reads.test(action)) ? [name] : [],
  );
  expect(taking.sort()).toEqual(writing.sort());
});

/** A wrong command line, and the beginning of what is said: field, expected, got and remedy. */
test.each<[CommandName, readonly string[], string, Readonly<Record<string, string>>?]>([
  ['replay', [...C, ...SPAN, '--tabel', 'Sessions'], '--tabel: expected one of --table, --from'],
  [
    'replay',
    [...C, '--to', '2026-11-20T09:00:00Z'],
    '--from: expected a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z, got nothing. Write --from TIME.',
  ],
  [
    'replay',
    [...C, '--from', 'yesterday'],
    '--from: expected a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z, got "yesterday". Write --from TIME.',
  ],
  [
    'replay',
    [...C, '--from', '2026-11-20T08:00Z', '--to', '2026-11-20T09:00:00Z'],
    '--from: expected a time in ISO-8601',
  ],
  [
    'replay',
    [...C, '--from', '2026-11-20T10:00:00Z', '--to', '2026-11-20T09:00:00Z'],
    '--from: expected a time before to (2026-11-20T09:00:00Z), got "2026-11-20T10:00:00Z". Correct the time.',
  ],
  [
    'replay',
    [...C, '--from', '2026-11-20T10:00:00Z', '--to', '2099-11-20T09:00:00Z'],
    '--to: expected a time that has passed, got "2099-11-20T09:00:00Z". Items that expire later are alive',
  ],
  [
    'replay',
    [...C, ...SPAN, '--run', 'a b'],
    '--run: expected 1 to 20 letters, digits, "_" and "-", got "a b". Write --run LABEL.',
  ],
  ['replay', [...C, ...SPAN, '--max-per-second', '0'], '--max-per-second: expected a whole number from 1 to'],
  [
    'replay',
    [...C, ...SPAN, '--table', 'Token', '--yes'],
    '--table: expected one of Sessions, Tokens, got "Token". Did you mean Tokens?',
  ],
  [
    'replay',
    [...C, ...SPAN],
    '--yes: expected it where no terminal is there to ask at, got nothing. Add it, or try with --dry-run.',
  ],
  [
    'replay',
    [...C, ...SPAN, '--yes'],
    'AWS_ENDPOINT_URL_SFN: expected a URL such as',
    { AWS_ENDPOINT_URL_SFN: 'here' },
  ],
  [
    'backfill',
    [...C],
    '--table: expected one of Sessions, Tokens, got nothing. This is for one table: name it.',
  ],
  [
    'backfill',
    [...C, '--table', 'Tokens', '--yes'],
    '--table: expected one that is indexed by window, got "Tokens, which is by second". Nothing is to be done',
  ],
  [
    'backfill',
    [...C, '--table', 'Sessions', '--rate', '0'],
    '--rate: expected a whole number from 1 to 10000, got "0". Write --rate N.',
  ],
  ['backfill', [...C, '--table', 'Sessions'], '--yes: expected it where no terminal'],
  [
    'backfill',
    [...C, '--table', 'Nope'],
    '--table: expected one of Sessions, Tokens, got "Nope". The configuration lists them.',
  ],
  ['adopt', [], '--table: expected the name of a table, got nothing. Write --table NAME.'],
  ['adopt', ['Old'], 'Old: expected flags only'],
  [
    'adopt',
    [...ADOPT, '--by', 'minute'],
    '--by: expected one of "window", "second", got "minute". Write --by WAY.',
  ],
  [
    'adopt',
    ADOPT,
    '--yes: expected it where no terminal is there to ask at, got nothing. Add it, or try with --dry-run.',
  ],
  [
    'adopt',
    [...ADOPT, '--yes'],
    'AWS_ENDPOINT_URL_DYNAMODB: expected a URL such as',
    { AWS_ENDPOINT_URL_DYNAMODB: 'here' },
  ],
  ['verify', [], '--region: expected a region, got nothing. Name it, or set AWS_REGION.'],
  [
    'verify',
    ['--region', 'us-east-1'],
    '--yes: expected it where no terminal is there to ask at, got nothing. Add it.',
  ],
  ['verify', ['--region', 'us-east-1', '--table', 'Nope'], '--table: expected one of --region, --yes'],
  [
    'verify',
    ['--region', 'us-east-1', '--yes'],
    'AWS_ENDPOINT_URL: expected one endpoint for all services',
    { AWS_ENDPOINT_URL_SFN: NOWHERE },
  ],
  [
    'cost',
    ['--items-per-month', '1,5'],
    '--items-per-month: expected a number from 0 to 100B, such as 50M, 1.5k or 50_000_000, got "1,5". Write it without signs',
  ],
  ['cost', ['--region', 'eu-west-1'], '--region: expected one of --items-per-month'],
  ['cost', ['--shards', '0'], '--shards: expected a whole number from 1 to'],
  [
    'init',
    ['--by', 'second'],
    '--table: expected the name of the table with --by, got nothing. Write --table NAME.',
  ],
  ['init', ['--table', 'T', '--format', 'yaml'], '--format: expected one of "ts", "json", got "yaml"'],
  [
    'synth',
    ['--out', 'a', '--module', 'b'],
    '--module: expected no --out beside it, got "both". Leave one out.',
  ],
  [
    'synth',
    ['--module', '/proc/no/such'],
    '--module: expected a folder that can be made and written to, got "/proc/no/such (ENOENT)"',
  ],
  ['synth', ['--config', '/no/such.json'], '/no/such.json'],
  ['deploy', ['--table', 'Sessions'], '--table: expected one of --diff, --destroy, --config'],
  ['deploy', ['-auto-approve'], '-a: expected one of --diff'],
  ['local', ['--seed', '0'], '--seed: expected a whole number from 1 to 10000, got "0"'],
  [
    'local',
    ['--sfn-port', '8000'],
    '--sfn-port: expected another port than --dynamodb-port, got 8000. Name another.',
  ],
  [
    'local',
    ['--json', '/no/such/folder/out.json', ...C],
    '--json: expected a file in a folder that can be written to, got "/no/such/folder/out.json". Make /no/such/folder first.',
  ],
  ['start', ['--minutes', '0'], '--minutes: expected a number from 0.1 to 1440, got "0". Write --minutes N.'],
  ['start', ['--json', folder, ...C], '--json: expected a file, got'],
])('%s %j', async (name, args, said, environment = {}) => {
  const { status, stdout, stderr } = await executed(name, args, environment);
  expect([status, stdout, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, '', expect.stringContaining(said)]);
  expect(stderr.replaceAll(/\s+/g, ' ').startsWith(said.split(':')[0] ?? '')).toBe(true);
});
