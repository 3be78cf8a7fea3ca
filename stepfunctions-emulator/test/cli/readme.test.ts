import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EmulatorProcess, exportedBy, startEmulator } from '../support/emulator-process.ts';

/** "As a server" in the README: the files and the commands that it shows are those that run here. */
const PACKAGE = join(import.meta.dirname, '../..');
const section =
  /^## As a server\n(.*?)^## /ms.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8'))?.[1] ?? '';
const blocks = (language: string): string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
const [definition = ''] = blocks('json');
const [mocks = '', application = ''] = blocks('js');
const [first = '', ...others] = blocks('sh').flatMap(block =>
  block.split('\n').filter(line => line !== '' && !line.startsWith('#')),
);

let folder: string;
const running: EmulatorProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepfunctions-emulator-'));
  writeFileSync(join(folder, 'order.asl.json'), definition);
  writeFileSync(join(folder, 'mocks.mjs'), mocks);
  writeFileSync(join(folder, 'application.mjs'), application);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(PACKAGE, '../node_modules/@aws-sdk'), join(folder, 'node_modules/@aws-sdk'));
});
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** As it stands there, except that the port is a free one. */
function run(command: string): EmulatorProcess {
  const [npx, name, ...args] = command.replace(/ --port \d+/, '').split(' ');
  expect([npx, name]).toEqual(['npx', 'stepfunctions-emulator']);
  const started = startEmulator([...args, '--port', '0'], { cwd: folder });
  running.push(started);
  return started;
}

test.concurrent('the first example runs an execution', async () => {
  const server = run(first);
  await server.until(/Ctrl-C stops/);
  const env = { ...process.env, ...exportedBy(server) };
  const { stdout } = await promisify(execFile)(process.execPath, ['application.mjs'], { cwd: folder, env });
  expect(stdout).toBe('SUCCEEDED {"charged":5}\n');
  const [line] = await server.until(/^.* {2}order:.*$/m);
  expect(line).toMatch(/SUCCEEDED in 600\.\d\d s: \{"charged":5\}$/);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('there are other examples', () => expect(others.length).toBeGreaterThan(2));

test.concurrent.each(others)('%s', async command => {
  const server = run(command);
  if (!command.endsWith('--help')) {
    await server.until(/Ctrl-C stops/);
    server.child.kill('SIGTERM');
  }
  expect(await server.ended).toBe(0);
  expect(server.printed.stderr).toBe('');
});

test('several state machines are listed with their types', async () => {
  const [several = ''] = others;
  const server = run(several);
  await server.until(
    /^ {2}STANDARD {2}arn:\S+:order$[\s\S]*^ {2}EXPRESS {3}arn:\S+:refund$[\s\S]*Ctrl-C stops/m,
  );
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});
