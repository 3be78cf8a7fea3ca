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

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Writes all of them, with what they need beside them, for one test framework. */
export function writeExamples(framework: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  folders.push(folder);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of files) {
    write(name, text.replace(NODE_TEST, `from '${framework}';`));
  }
  write('package.json', '{"type": "module"}');
  symlinkSync(join(PACKAGE, '../../node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs some of them under a test framework that is a process of its own, and expects all of their tests to pass. */
export async function expectToPass(
  names: readonly string[],
  framework: string,
  args: readonly string[],
): Promise<void> {
  const folder = writeExamples(framework);
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
