import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** What npm runs besides the commands of the package, which main.test.ts asks: the program, by how it is typed. */
const PROGRAMS: readonly (readonly [string, readonly string[]])[] = [
  ['npm run docs', ['tools/docs.ts']],
  ...readdirSync(join(ROOT, 'bench')).flatMap(file => {
    const name = /^(.+)\.ts$/.exec(file)?.[1];
    return name === undefined || name === 'main'
      ? []
      : [[`npm run bench ${name}`, ['bench/main.ts', name]] as const];
  }),
];

interface Ended {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run([file = '', ...args]: readonly string[]): Promise<Ended> {
  return new Promise(resolve => {
    execFile(process.execPath, [join(ROOT, file), ...args], { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
    });
  });
}

test('there are benchmarks to ask', () => {
  expect(PROGRAMS.map(([name]) => name)).toEqual(
    expect.arrayContaining(['npm run bench asl', 'npm run bench bundles', 'npm run bench cost']),
  );
});

describe.each(PROGRAMS)('%s', (name, program) => {
  test('--help says what it does, under its own name', async () => {
    const { status, stdout, stderr } = await run([...program, '--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^${name}( |$)`));
    expect(stdout).toContain('--help');
  });

  test('refuses a flag that it does not know', async () => {
    const { status, stdout, stderr } = await run([...program, '--no-such-flag']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got an unknown flag; see --help\n$/);
  });
});

test.each([[[]], [['legs']]])('npm run bench %j says which benchmarks there are', async args => {
  const { status, stdout, stderr } = await run(['bench/main.ts', ...args]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`expected one of adopt, archive-cost,`);
  expect(stderr).toContain(`got ${args[0] ?? 'none'}`);
});
