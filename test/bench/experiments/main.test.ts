import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyCommand } from '../../../cli/command.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface Ended {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function runFile([file = '', ...args]: readonly string[]): Promise<Ended> {
  return new Promise(resolve => {
    execFile(process.execPath, [join(ROOT, file), ...args], { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
    });
  });
}

const EXPERIMENTS = readdirSync(join(ROOT, 'bench/experiments')).flatMap(file =>
  file.endsWith('.ts') && file !== 'main.ts' ? [file.slice(0, -'.ts'.length)] : [],
);

test('there are experiments', () => {
  expect(EXPERIMENTS).toEqual(expect.arrayContaining(['cost', 'fuzz', 'lag']));
});

test.each(EXPERIMENTS)('%s says what it does, under its own name', async name => {
  const file = `../../../bench/experiments/${name}.ts`;
  const help = ((await import(file)) as { readonly default: AnyCommand }).default.help();
  expect(help).toMatch(new RegExp(`^npm run bench ${name} -- \\[flags\\]\n`));
  expect(help).toMatch(/^ *--help\b.*\n[\s\S]*Exit status: 0/m);
});

test.each([
  [
    'refuses a flag',
    ['faults', '--no-such-flag'],
    /^--no-such-flag: expected one of .*--help, got "--no-such-flag"/,
  ],
  ['says which benchmarks there are', [], /expected one of cost, .*got none/s],
  ['refuses another name', ['legs'], /expected one of cost, .*got legs/s],
])('npm run bench %s', async (_what, args, says) => {
  const { status, stdout, stderr } = await runFile(['bench/experiments/main.ts', ...args]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(says);
});
