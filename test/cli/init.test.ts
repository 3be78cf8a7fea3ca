import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { askForTable, configText } from '../../cli/init.ts';
import { checkConfig } from '../../stacks/config/config.ts';
import { executed } from '../support/executed.ts';
import { folderWith } from '../support/folder.ts';

const folder = folderWith();
const HERE = process.cwd();

/** Runs the command in a folder of its own. */
async function init(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(folder, 'project-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  process.chdir(cwd);
  const ended = await executed(['init', ...args]).finally(() => process.chdir(HERE));
  return { ...ended, cwd, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}

const EXISTING = ['--table', 'Tokens', '--existing', '--partition-key', 'Id'];
const SESSIONS = ['--table', 'Sessions'];
const LOCAL = { state: { backend: 'local' } };

test.each([
  [
    SESSIONS,
    {
      region: 'us-east-1',
      ...LOCAL,
      tables: [{ tableName: 'Sessions', partitionKey: 'id', ttlAttribute: 'ttl' }],
    },
  ],
  [
    [...EXISTING, '--sort-key', 'At', '--ttl-attribute', 'Expires', '--region', 'eu-central-1'],
    {
      ...{ region: 'eu-central-1', ...LOCAL },
      tables: [
        {
          ...{ tableName: 'Tokens', existingTable: true, partitionKey: 'Id', sortKey: 'At' },
          ...{ ttlAttribute: 'Expires', index: { by: 'second' } },
        },
      ],
    },
  ],
  [[...EXISTING, '--by', 'window'], { tables: [{ index: { by: 'window' } }] }],
  [['--table', 'Tokens', '--by', 'second'], { tables: [{ index: { by: 'second' } }] }],
])('writes JSON, with every field that flags give: %j', async (args, expected) => {
  const { status, read } = await init([...args, '--format', 'json']);
  expect(status).toBe(0);
  expect(JSON.parse(read('precise-ttl.config.json'))).toMatchObject(expected);
});

const THERE = { 'precise-ttl.config.ts': 'export default {};' };

test.each<[string, string[], Record<string, string>, RegExp]>([
  ['a name that is none', ['--table', 'a b'], {}, /tables\[0\]\.tableName: expected a table name.*got "a b"/],
  ['to write over a file without --force', SESSIONS, THERE, /write over it with --force/],
  [
    'a second configuration in a folder',
    [...SESSIONS, '--force'],
    { 'precise-ttl.config.json': '{}' },
    /got "precise-ttl.config.json"\. Add the table to it, or remove it first\./,
  ],
])('refuses %s, and writes nothing', async (_what, args, files, message) => {
  const { status, stderr, cwd } = await init(args, files);
  expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  const left = readdirSync(cwd).map(name => [name, readFileSync(join(cwd, name), 'utf8')]);
  expect(Object.fromEntries(left)).toEqual(files);
});

test('writes TypeScript, over a file that is there with --force', async () => {
  const { status, stdout, read } = await init([...SESSIONS, '--force'], THERE);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^precise-ttl\.config\.ts: table Sessions in us-east-1\.\n/),
  ]);
  expect(read('precise-ttl.config.ts')).toMatch(
    /^import type \{ DeploymentConfig \} from 'precise-ttl\/cdktf';[\s\S]*tableName: 'Sessions'/,
  );
});

const [NAME, KEYS, TTL] = ['Name of the table', 'New, or existing', 'Attribute with the moment of expiry'];
const NONE = { tableName: 'Sessions', existingTable: false, partitionKey: undefined };
const TOKENS = { tableName: 'Tokens', existingTable: true, partitionKey: 'Id' };

test.each<[string[], object, (string | undefined)[], string]>([
  [['', '', ''], NONE, [NAME, KEYS, TTL], ''],
  [['Tokens', 'new', ''], { ...NONE, tableName: 'Tokens' }, [NAME, KEYS, TTL], ''],
  [['Tokens', 'Id', 'Expires'], { ...TOKENS, ttlAttribute: 'Expires' }, [NAME, KEYS, TTL], ''],
  [['Tokens', 'Id, At', ''], { ...TOKENS, sortKey: 'At' }, [NAME, KEYS, TTL], ''],
  [['a b', 'Tokens', 'Id', ''], TOKENS, [NAME, NAME, KEYS, TTL], 'tableName'],
  [['Tokens', 'At At', 'Id At', ''], { ...TOKENS, sortKey: 'At' }, [NAME, KEYS, KEYS, TTL], 'sortKey'],
  [['Tokens', 'Id', 'Id', 'End'], { ...TOKENS, ttlAttribute: 'End' }, [NAME, KEYS, TTL, TTL], 'ttlAttribute'],
  [
    ['Tokens', 'Id ttl', 'Expires'],
    { ...TOKENS, sortKey: 'ttl', ttlAttribute: 'Expires' },
    [NAME, KEYS, TTL],
    '',
  ],
  // Nobody answers any more.
  [['a b'], NONE, [NAME, NAME, KEYS, TTL], 'tableName'],
])(
  'asks three questions, and again where an answer is refused: %j',
  async (answers, expected, asked, refused) => {
    const questions: string[] = [];
    const told: string[] = [];
    const ask = async (question: string) => {
      questions.push(`${question.split('?')[0]}`);
      return answers[questions.length - 1] ?? '';
    };
    expect(await askForTable(ask, 'us-east-1', message => void told.push(message))).toMatchObject(expected);
    expect([questions, told]).toEqual([
      asked,
      refused === '' ? [] : [expect.stringContaining(`tables[0].${refused}: expected`)],
    ]);
  },
);

test('TypeScript keeps every name as it is', () => {
  const partitionKey = `it's a "key" \\ of ü`;
  const table = { tableName: 'Tokens', partitionKey, index: { by: 'second' } };
  const config = checkConfig({ region: 'us-east-1', tables: [table] });
  const [, code] = /export default ([\s\S]*) satisfies DeploymentConfig/.exec(configText(config, 'ts')) ?? [];
  expect(JSON.parse(JSON.stringify(runInNewContext(`(${code})`)))).toMatchObject({ ...config, state: {} });
});
