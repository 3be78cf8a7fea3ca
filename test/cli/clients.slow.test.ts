import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../support/configs.ts';
import { shellCommand } from '../support/shell.ts';
import { hanging, refusing, type SilentServer, stalling } from '../support/silent-servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-clients-'));
const CONFIG = join(folder, 'config.json');
writeFileSync(CONFIG, JSON.stringify(configOf({ tableName: 'Sessions', partitionKey: 'id' })));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LATE = /got: (DynamoDB: no answer in 5 s|no answer when the 15 s of the command were over)\. Start npx/;

// In processes of their own: the SDK does not recognize errors from the process of a test.
test.each<[string, () => Promise<SilentServer>, RegExp]>([
  ['hangs', hanging, LATE],
  ['stops in the middle of its answer', stalling, LATE],
  ['is not there', refusing, /got: DynamoDB cannot be reached \(ECONNREFUSED\)\. Start npx/],
])('a DynamoDB that %s is given up by name after two attempts', async (_what, make, message) => {
  const server = await make();
  try {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: server.endpoint };
    const ended = await shellCommand('pause')(['--yes', '--config', CONFIG], environment);
    expect([ended.status, ended.stdout]).toEqual([3, '']);
    expect(ended.stderr).toMatch(/^AWS_ENDPOINT_URL_DYNAMODB: expected DynamoDB at http:/);
    expect(ended.stderr).toMatch(message);
    expect(server.asked()).toBeLessThanOrEqual(2);
  } finally {
    server.stop();
  }
});

test('status beside a DynamoDB that hangs tells so within its time, claims nothing, and Ctrl-C ends it at once', async () => {
  const server = await hanging();
  try {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: server.endpoint };
    const began = performance.now();
    const ended = await shellCommand('status')(['--config', CONFIG], environment);
    expect([ended.status, ended.stderr, performance.now() - began < 20_000]).toEqual([3, '', true]);
    expect(ended.stdout).toMatch(/^Sessions: what is overdue is not known: the index: /);
    expect(ended.stdout).not.toMatch(/everything|is gone,|none sounds/);
    const stopped = await shellCommand('status')(['--config', CONFIG], environment, child => {
      setTimeout(() => child.kill('SIGINT'), 3_000);
    });
    expect([stopped.status, stopped.stdout, stopped.stderr]).toEqual([130, '', 'Interrupted.\n']);
  } finally {
    server.stop();
  }
});
