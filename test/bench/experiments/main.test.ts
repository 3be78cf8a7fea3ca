import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { EXPERIMENTS, helpsOfExperiments } from '../../support/experiments.ts';

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

test('every experiment says what it does, under its own name', async () => {
  const helps = await helpsOfExperiments();
  expect(EXPERIMENTS).toEqual(expect.arrayContaining(['cost', 'fuzz', 'lag']));
  expect([...helps.keys()]).toEqual([...EXPERIMENTS].sort());
  for (const help of helps.values()) expect(help).toMatch(/^ *--help\b.*\n[\s\S]*Exit status: 0/m);
}, 60_000);

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
