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
const [command = ''] = blocks('sh');

let folder: string;
let server: EmulatorProcess;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepfunctions-emulator-'));
  writeFileSync(join(folder, 'order.asl.json'), definition);
  writeFileSync(join(folder, 'mocks.mjs'), mocks);
  writeFileSync(join(folder, 'application.mjs'), application);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(PACKAGE, '../../node_modules/@aws-sdk'), join(folder, 'node_modules/@aws-sdk'));
});
afterAll(() => {
  // A test that fails half-way shall not leave a server behind.
  server.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('the command serves an execution of the definition with the functions, as it stands there but for the port', async () => {
  const [npx, name, ...args] = command
    .trimEnd()
    .replace(/ --port \d+/, '')
    .split(' ');
  expect([npx, name]).toEqual(['npx', 'stepfunctions-emulator']);
  server = startEmulator([...args, '--port', '0'], { cwd: folder });
  await server.until(/^ {2}STANDARD {2}arn:\S+:order$[\s\S]*Ctrl-C stops/m);
  const env = { ...process.env, ...exportedBy(server) };
  const { stdout } = await promisify(execFile)(process.execPath, ['application.mjs'], { cwd: folder, env });
  expect(stdout).toBe('SUCCEEDED {"charged":5}\n');
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.printed.stderr).toBe('');
});
