import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { askForTable, configText } from '../../cli/init.ts';
import { checkConfig } from '../../stacks/config/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-init-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = resolve('bin/precise-ttl.js');

/** Runs the command without a terminal, in a folder of its own. */
async function init(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(folder, 'project-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { AWS_REGION: _one, AWS_DEFAULT_REGION: _other, ...env } = process.env;
  const ended = await new Promise<{ status: number; stdout: string; stderr: string }>(done => {
    execFile(process.execPath, [PROGRAM, 'init', ...args], { cwd, env }, (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), stdout, stderr: stderr.trim() });
    });
  });
  return { ...ended, cwd, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}

test('writes a configuration that the commands read', async () => {
  const { status, stdout, cwd, read } = await init(['--table', 'Sessions']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^precise-ttl\.config\.ts: table Sessions in us-east-1\.\n/);
  expect(read('precise-ttl.config.ts')).toContain(
    "import type { DeploymentConfig } from 'precise-ttl/cdktf';",
  );
  const program = `import { loadConfigFile } from '${resolve('stacks/config/config-file.ts')}';
    console.log(JSON.stringify(await loadConfigFile()));`;
  const printed = await new Promise<string>(done => {
    execFile(process.execPath, ['--input-type=module', '-e', program], { cwd }, (_error, out) => done(out));
  });
  expect(JSON.parse(printed)).toEqual({
    region: 'us-east-1',
    state: { backend: 'local' },
    tables: [{ tableName: 'Sessions', partitionKey: 'id', ttlAttribute: 'ttl' }],
  });
});

const EXISTING = ['--table', 'Tokens', '--existing', '--partition-key', 'Id'];

test.each([
  [
    [...EXISTING, '--sort-key', 'At', '--ttl-attribute', 'Expires', '--region', 'eu-central-1'],
    {
      region: 'eu-central-1',
      state: { backend: 'local' },
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

test('refuses a name that is none, and writes nothing', async () => {
  const { status, stderr, cwd } = await init(['--table', 'a b']);
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/tables\[0\]\.tableName: expected a table name.*got "a b"/),
  ]);
  expect(existsSync(join(cwd, 'precise-ttl.config.ts'))).toBe(false);
});

test('writes over nothing without --force', async () => {
  const there = { 'precise-ttl.config.ts': 'export default {};' };
  const refused = await init(['--table', 'Sessions'], there);
  expect([refused.status, refused.stderr]).toEqual([
    2,
    expect.stringContaining('write over it with --force'),
  ]);
  expect(refused.read('precise-ttl.config.ts')).toBe(there['precise-ttl.config.ts']);
  const forced = await init(['--table', 'Sessions', '--force'], there);
  expect(forced.status).toBe(0);
  expect(forced.read('precise-ttl.config.ts')).toContain("tableName: 'Sessions'");
});

test('never leaves two configurations in a folder', async () => {
  const { status, stderr, cwd } = await init(['--table', 'Sessions', '--force'], {
    'precise-ttl.config.json': '{}',
  });
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('got "precise-ttl.config.json". Add the table to it, or remove it first.'),
  ]);
  expect(existsSync(join(cwd, 'precise-ttl.config.ts'))).toBe(false);
});

describe('the three questions', () => {
  const asked = (...answers: string[]) => {
    const left = [...answers];
    const questions: string[] = [];
    const told: string[] = [];
    const ask = async (question: string) => {
      questions.push(question.split('?')[0] ?? '');
      return left.shift() ?? '';
    };
    const table = askForTable(ask, 'us-east-1', message => void told.push(message));
    return table.then(given => ({ ...given, questions, told }));
  };

  const NAME = 'Name of the table';
  const KEYS = 'New, or existing';
  const TTL = 'Attribute with the moment of expiry';

  test.each([
    ['the name', ['a b', '', '', 'Tokens'], [NAME], { tableName: 'Tokens' }, 'tableName'],
    [
      'the TTL',
      ['Tokens', 'Id', 'Id', 'Expires'],
      [TTL],
      { partitionKey: 'Id', ttlAttribute: 'Expires' },
      'ttlAttribute',
    ],
    [
      'the name and the keys',
      ['a b', 'At At', '', 'Tokens', 'Id At'],
      [NAME, KEYS],
      { tableName: 'Tokens', sortKey: 'At' },
      'sortKey',
    ],
    ['nothing, when nobody answers any more', ['a b'], [NAME], { tableName: 'Sessions' }, 'tableName'],
  ])('ask for %s once more', async (_what, answers, again, expected, told) => {
    const given = await asked(...answers);
    expect(given).toMatchObject({ ...expected, questions: [NAME, KEYS, TTL, ...again] });
    expect(given.told.join()).toContain(`tables[0].${told}: expected`);
  });

  test.each([
    [['', '', ''], { tableName: 'Sessions', existingTable: false, partitionKey: undefined }],
    [['Tokens', 'new', ''], { tableName: 'Tokens', existingTable: false }],
    [
      ['Tokens', 'Id', 'Expires'],
      { tableName: 'Tokens', existingTable: true, partitionKey: 'Id', ttlAttribute: 'Expires' },
    ],
    [['Tokens', 'Id, At', ''], { existingTable: true, partitionKey: 'Id', sortKey: 'At' }],
  ])('%j', async (answers, expected) => {
    expect(await asked(...answers)).toMatchObject(expected);
  });
});

test('TypeScript keeps every name as it is', async () => {
  const partitionKey = `it's a "key" \\ of ü`;
  const config = checkConfig({ region: 'us-east-1', tables: [{ tableName: 'Tokens', partitionKey }] });
  const file = join(mkdtempSync(join(folder, 'project-')), 'precise-ttl.config.mjs');
  // Removes the one line with types, as Node does.
  const text = configText(config, 'ts')
    .replace(/^import type.*/, '')
    .replace(' satisfies DeploymentConfig', '');
  writeFileSync(file, text);
  const program = `import config from '${file}'; console.log(JSON.stringify(config));`;
  const printed = await new Promise<string>(done => {
    execFile(process.execPath, ['--input-type=module', '-e', program], (_error, out) => done(out));
  });
  expect(JSON.parse(printed)).toMatchObject({ ...config, state: {} });
});
