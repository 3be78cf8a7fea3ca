import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** What npm runs for each command of this project, by the command's name. */
const COMMANDS = Object.entries(scripts)
  .map(([name, script]) => [name, /((?:cli|bench)\/[\w-]+\.ts)$/.exec(script)?.[1] ?? ''] as const)
  .filter(([, file]) => file !== '');

interface Ended {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, args: readonly string[]): Promise<Ended> {
  return new Promise(resolve => {
    execFile(process.execPath, [join(ROOT, file), ...args], { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
    });
  });
}

test('there are commands to ask', () => {
  expect(COMMANDS.map(([name]) => name)).toEqual(
    expect.arrayContaining(['start', 'local', 'replay', 'chaos', 'bench:asl', 'bench:bundles', 'bench:cost']),
  );
});

describe.each(COMMANDS)('npm run %s', (name, file) => {
  test('--help says what it does, under its own name', async () => {
    const { status, stdout, stderr } = await run(file, ['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^npm (run )?(--silent )?${name}( |$)`));
    expect(stdout).toContain('--help');
  });

  test('refuses a flag that it does not know', async () => {
    const { status, stdout, stderr } = await run(file, ['--no-such-flag']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got an unknown flag; see --help\n$/);
  });
});
