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

test('an experiment refuses a flag that it does not know', async () => {
  const { status, stdout, stderr } = await runFile(['bench/experiments/main.ts', 'faults', '--no-such-flag']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got "--no-such-flag"\. See --help\.\n$/);
});

test.each([[[]], [['legs']]])('npm run bench %j says which benchmarks there are', async args => {
  const { status, stdout, stderr } = await runFile(['bench/experiments/main.ts', ...args]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`expected one of cost, `);
  expect(stderr).toContain(`got ${args[0] ?? 'none'}`);
});
