import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { examples, expectToPass, files, readme, writeExamples } from './support/readme-examples.ts';

/*
 * Each block of the README that is marked with a file's name is that file here. All of them run under jest, as tests of this
 * file, and once more under Node's own test runner. What "As a server" shows runs in cli/readme.test.ts.
 */
test('the README has examples, and the first is twelve lines from import to assertion', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
  const lines = files.get('orders.test.ts')?.trimEnd().split('\n') ?? [];
  expect(lines[0]).toMatch(/^import /);
  expect(lines.findLastIndex(line => line.includes('assert.')) + 1).toBe(12);
});

test('every block of code in it is run, here or with the server', () => {
  const [before = '', after = ''] = readme.split(/^## As a server\n/m);
  const rest = after.slice(after.search(/^## /m));
  const blocks = [...`${before}${rest}`.matchAll(/^(.*)\n```(\w+)\n/gm)];
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

test("under Node's own test runner", () => expectToPass(examples, 'node:test', ['--test', ...examples]));

test('what it prints of an execution is what is printed', async () => {
  const folder = writeExamples('node:test');
  const program = `
    import { fails, stateMachine } from 'stepfunctions-emulator/testing';
    const orders = stateMachine.fromFile('orders.asl.json');
    const ChargeCard = [fails('CardBusy'), fails('CardBusy'), { receipt: 'r-1' }];
    const ShipOrder = order => ({ parcel: 'p-' + order.receipt });
    console.log((await orders.run({ input: { orderId: 'o-1' }, functions: { ChargeCard, ShipOrder } })).describe());`;
  writeFileSync(join(folder, 'print.mjs'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['print.mjs'], { cwd: folder });
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\``);
});
