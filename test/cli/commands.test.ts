import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** What npm runs for each command of this project, by the command's name. */
const COMMANDS = Object.entries(scripts)
  .map(
    ([name, script]) =>
      [name, /((?:cli|bench)\/[\w-]+\.ts|bin\/precise-ttl\.js \w+)$/.exec(script)?.[1] ?? ''] as const,
  )
  .filter(([, program]) => program !== '');

interface Ended {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[]): Promise<Ended> {
  const [file = '', ...before] = program.split(' ');
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [join(ROOT, file), ...before, ...args],
      { timeout: 20_000 },
      (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
      },
    );
  });
}

test('there are commands to ask', () => {
  expect(COMMANDS.map(([name]) => name)).toEqual(
    expect.arrayContaining(['start', 'local', 'replay', 'chaos', 'bench:asl', 'bench:bundles', 'bench:cost']),
  );
});

describe.each(COMMANDS)('npm run %s', (name, program) => {
  test('--help says what it does, under its own name', async () => {
    const { status, stdout, stderr } = await run(program, ['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^npm (run )?(--silent )?${name}( |$)`));
    expect(stdout).toContain('--help');
  });
});

// Those of the package refuse it in main.test.ts, by the same program.
test.each(COMMANDS.filter(([, program]) => !program.startsWith('bin/')))(
  'npm run %s refuses a flag that it does not know',
  async (_name, program) => {
    const { status, stdout, stderr } = await run(program, ['--no-such-flag']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got an unknown flag; see --help\n$/);
  },
);
