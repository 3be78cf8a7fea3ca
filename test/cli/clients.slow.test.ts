import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { commandLine } from '../../cli/command-line.ts';
import { configOf } from '../support/configs.ts';
import { folderWith } from '../support/folder.ts';
import { shellCommand } from '../support/shell.ts';

const config = configOf({ tableName: 'Sessions', partitionKey: 'id' });
const CONFIG = join(folderWith({ 'config.json': JSON.stringify(config) }), 'config.json');

let asked = 0;
/** Never ends an answer, nor begins one but at the path `/begun`. */
const silent = createServer((request, response) => {
  asked += 1;
  request.resume();
  if (request.url?.startsWith('/begun')) response.writeHead(200, { 'content-length': '1000' }).write('{"It');
});
let address: string;
beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

// In processes of their own: the SDK does not recognize errors from the process of a test.
test.each([
  ['hangs', ''],
  ['stops in the middle of its answer', '/begun'],
])('a DynamoDB that %s is given up by name after two attempts', async (_what, path) => {
  asked = 0;
  const env = { AWS_ENDPOINT_URL_DYNAMODB: `${address}${path}` };
  const { status, stdout, stderr } = await shellCommand(['pause', '--yes', '--config', CONFIG], { env });
  expect([status, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(
    /^AWS_ENDPOINT_URL_DYNAMODB: expected DynamoDB at http:.* got: (DynamoDB: no answer in 5 s|no answer when the 15 s of the command were over)\. Start npx/,
  );
  expect(asked).toBeLessThanOrEqual(2);
});

test('status beside a DynamoDB that hangs tells so within its time, claims nothing, and Ctrl-C ends it at once', async () => {
  const env = { AWS_ENDPOINT_URL_DYNAMODB: address };
  const began = performance.now();
  const { status, stdout, stderr } = await shellCommand(['status', '--config', CONFIG], { env });
  expect([status, stderr, performance.now() - began < 20_000]).toEqual([3, '', true]);
  expect(stdout).toMatch(/^Sessions: what is overdue is not known: the index: /);
  const stopped = await shellCommand(['status', '--config', CONFIG], {
    env,
    onStart: child => void setTimeout(() => child.kill('SIGINT'), 3_000),
  });
  expect(stopped).toEqual({ status: 130, stdout: '', stderr: 'Interrupted.\n' });
});

test('a command can be called in the checkout as it is printed, whichever Node the shell has', () => {
  const printed = commandLine('pause', ['--help']);
  expect(execFileSync('/bin/sh', ['-c', printed], { encoding: 'utf8' })).toContain('npx precise-ttl pause [');
});
