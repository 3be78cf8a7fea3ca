import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { VirtualClock } from '../src/clock.ts';
import { useStepFunctionsApi } from './support/step-functions-api.ts';

/*
 * Each block of the README that is marked with a file's name is that file here. All of them run under jest, as tests of this
 * file, and once more under vitest and under Node's own test runner. What "As a server" shows runs in cli/readme.test.ts.
 */
const PACKAGE = join(import.meta.dirname, '..');
const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const files = new Map(
  [...readme.matchAll(/^<!-- run: (\S+) -->\n```\w+\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);
const examples = [...files.keys()].filter(name => name.endsWith('.test.ts'));
/** A line that ends like this imports `test`; the README says what else it can import it from. */
const NODE_TEST = /from 'node:test';.*$/m;
const API = 'http://127.0.0.1:8083';

const api = useStepFunctionsApi({ clock: new VirtualClock() });
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Writes all of them, with what they need beside them, for one test framework. */
function writeExamples(framework: string, endpoint = API): string {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  folders.push(folder);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of files) {
    write(name, text.replace(NODE_TEST, `from '${framework}';`).replace(API, endpoint));
  }
  write('package.json', '{"type": "module"}');
  write(
    'cdktf.out/manifest.json',
    '{"stacks": {"shop": {"synthesizedStackPath": "stacks/shop/cdk.tf.json"}}}',
  );
  write('cdktf.out/stacks/shop/cdk.tf.json', JSON.stringify(STACK));
  symlinkSync(join(PACKAGE, '../node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** As CDKTF synthesizes one. */
const STACK = {
  resource: {
    aws_lambda_function: { charge: { function_name: 'prod-charge-card' } },
    aws_sfn_state_machine: {
      orders: {
        name: 'orders',
        definition: JSON.stringify({
          QueryLanguage: 'JSONata',
          StartAt: 'Charge',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Terraform
          States: { Charge: { Type: 'Task', Resource: '${aws_lambda_function.charge.arn}', End: true } },
        }),
      },
    },
  },
};

test('the README has examples, and the first is twelve lines from import to assertion', () => {
  expect(examples.length).toBeGreaterThanOrEqual(7);
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
  // The server's address is known only when the tests run.
  for (const name of examples.filter(one => one !== 'client.test.ts')) {
    describe(name, () => {
      require(join(folder, name));
    });
  }
  process.chdir(workingDirectory);
});

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

test.concurrent.each([
  ['vitest', ['node_modules/vitest/vitest.mjs', 'run', '--pool=threads', '--no-isolate'], 'vitest'],
  ["Node's own test runner", ['--test', ...examples], 'node:test'],
])('under %s', async (_name, args, framework) => {
  const folder = writeExamples(framework, api.endpoint);
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(
    ({ stdout = '', stderr = '' }) => {
      throw new Error(`${stdout}\n${stderr}`);
    },
  );
  const tests = [...files.values()].join('').match(/^test\(/gm)?.length;
  expect(stripVTControlCharacters(stdout)).toMatch(
    new RegExp(`(Tests +${tests} passed|^ℹ pass ${tests}$|^# pass ${tests}$)`, 'm'),
  );
});
