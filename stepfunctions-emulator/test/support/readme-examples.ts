import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';

const PACKAGE = join(import.meta.dirname, '../..');
export const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
/** Each block of the README that is marked with a file's name, by that name. */
export const files = new Map(
  [...readme.matchAll(/^<!-- run: (\S+) -->\n```\w+\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);
export const examples = [...files.keys()].filter(name => name.endsWith('.test.ts'));
/** A line that ends like this imports `test`; the README says what else it can import it from. */
const NODE_TEST = /from 'node:test';.*$/m;
const API = 'http://127.0.0.1:8083';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Writes all of them, with what they need beside them, for one test framework. */
export function writeExamples(framework: string, endpoint = API): string {
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

/** Runs some of them under a test framework that is a process of its own, and expects all of their tests to pass. */
export async function expectToPass(
  names: readonly string[],
  framework: string,
  args: readonly string[],
  endpoint: string,
): Promise<void> {
  const folder = writeExamples(framework, endpoint);
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    ({ stdout = '', stderr = '' }) => {
      throw new Error(`${stdout}\n${stderr}`);
    },
  );
  const texts = names.map(name => files.get(name) ?? '').join('');
  const tests = texts.match(/^test\(/gm)?.length;
  expect(stripVTControlCharacters(stdout)).toMatch(
    new RegExp(`(Tests +${tests} passed|^ℹ pass ${tests}$|^# pass ${tests}$)`, 'm'),
  );
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
