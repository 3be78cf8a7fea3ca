import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyCommand } from '../../../cli/command.ts';
import { runNode } from '../../support/shell.ts';

const FOLDER = join(import.meta.dirname, '../../../bench/experiments');

const EXPERIMENTS = readdirSync(FOLDER).flatMap(file =>
  file.endsWith('.ts') && file !== 'main.ts' ? [file.slice(0, -'.ts'.length)] : [],
);

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
  const { status, stdout, stderr } = await runNode([join(FOLDER, 'main.ts'), ...args]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(says);
});
