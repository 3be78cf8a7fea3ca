import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { folderWith } from '../../../test/support/folder.ts';
import { fails, stateMachine } from '../src/testing/index.ts';
import { exportedBy, startEmulator } from './support/emulator-process.ts';

/*
 * Each block of the README that is marked with a file's name is that file here. All of them run under jest, as tests of this
 * file, and once more under Node's own test runner. What "As a server" shows runs as it stands there.
 */
const PACKAGE = join(import.meta.dirname, '..');
const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const [before = '', fromServer = ''] = readme.split(/^## As a server\n/m);
const [server = '', ...after] = fromServer.split(/^(?=## )/m);
/** Each block of the README that is marked with a file's name, by that name. */
const files = new Map(
  [...readme.matchAll(/^<!-- run: (\S+) -->\n```\w+\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);
const examples = [...files.keys()].filter(name => name.endsWith('.test.ts'));
const run = promisify(execFile);

function folderOf(written: Readonly<Record<string, string>>): string {
  const folder = folderWith(written);
  symlinkSync(join(PACKAGE, '../../node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** All examples with what they need beside them, for one test framework: the README says what else `test` is imported from. */
const writeExamples = (framework: string): string =>
  folderOf({
    ...Object.fromEntries(
      [...files].map(([name, text]) => [name, text.replace(/from 'node:test';.*$/m, `from '${framework}';`)]),
    ),
    'package.json': '{"type": "module"}',
  });

test('the README has examples, and the first is twelve lines from import to assertion', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
  const lines = files.get('orders.test.ts')?.trimEnd().split('\n') ?? [];
  expect(lines[0]).toMatch(/^import /);
  expect(lines.findLastIndex(line => line.includes('assert.')) + 1).toBe(12);
});

test('every block of code in it is run, here or with the server', () => {
  const blocks = [...[before, ...after].join('').matchAll(/^(.*)\n```(\w+)\n/gm)];
  expect(blocks.filter(([, marker = '']) => !marker.startsWith('<!-- run: '))).toEqual([]);
});

describe('under jest', () => {
  const workingDirectory = process.cwd();
  const folder = writeExamples('@jest/globals');
  // Paths in the examples are from the working directory.
  beforeAll(() => process.chdir(folder));
  afterAll(() => process.chdir(workingDirectory));
  process.chdir(folder);
  for (const name of examples) {
    describe(name, () => {
      require(join(folder, name));
    });
  }
  process.chdir(workingDirectory);
});

test("under Node's own test runner", async () => {
  const { stdout } = await run(process.execPath, ['--test', '--test-isolation=none', ...examples], {
    cwd: writeExamples('node:test'),
  });
  const tests = examples.flatMap(name => files.get(name)?.match(/^test\(/gm) ?? []).length;
  expect(stripVTControlCharacters(stdout)).toMatch(new RegExp(`^(ℹ|#) pass ${tests}$`, 'm'));
});

test('what it prints of an execution is what is printed', async () => {
  const orders = stateMachine.from(JSON.parse(files.get('orders.asl.json') ?? ''));
  const ChargeCard = [fails('CardBusy'), fails('CardBusy'), { receipt: 'r-1' }];
  const ShipOrder = ({ receipt }: { receipt: string }) => ({ parcel: `p-${receipt}` });
  const execution = await orders.run({ input: { orderId: 'o-1' }, functions: { ChargeCard, ShipOrder } });
  expect(readme).toContain(`\`\`\`\n${execution.describe()}\n\`\`\``);
});

test('as a server: the command serves the definition with the functions, as it stands there but for the port', async () => {
  const blocks = (language: string): string[] =>
    [...server.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
  const [definition = ''] = blocks('json');
  const [mocks = '', application = ''] = blocks('js');
  const [command = ''] = blocks('sh');
  const cwd = folderOf({
    ...{ 'order.asl.json': definition, 'mocks.mjs': mocks, 'application.mjs': application },
  });
  const [npx, name, ...args] = command
    .trimEnd()
    .replace(/ --port \d+/, '')
    .split(' ');
  expect([npx, name]).toEqual(['npx', 'stepfunctions-emulator']);
  const started = startEmulator([...args, '--port', '0'], { cwd });
  try {
    await started.until(/^ {2}STANDARD {2}arn:\S+:order$[\s\S]*Ctrl-C stops/m);
    const env = { ...process.env, ...exportedBy(started) };
    const { stdout } = await run(process.execPath, ['application.mjs'], { cwd, env });
    expect(stdout).toBe('SUCCEEDED {"charged":5}\n');
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
    expect(started.printed.stderr).toBe('');
  } finally {
    started.child.kill('SIGKILL');
  }
});
