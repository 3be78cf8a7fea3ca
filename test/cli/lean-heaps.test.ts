import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MODULE = pathToFileURL('cli/lean-heaps.ts').href;

/** The output of a program that restarts with a small new space: one line for each start. */
function startsOf(flags: readonly string[], environment: Readonly<Record<string, string>> = {}): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-restart-'));
  try {
    const program = join(folder, 'program.mjs');
    writeFileSync(
      program,
      `import { writeSync } from 'node:fs';
      import { restartWithSmallNewSpace } from '${MODULE}';
      writeSync(1, JSON.stringify([process.execArgv, process.argv.slice(2)]) + '\\n');
      restartWithSmallNewSpace();
      writeSync(1, 'goes on');`,
    );
    const env = { PATH: process.env['PATH'] ?? '', ...environment };
    const { stdout } = spawnSync(process.execPath, [...flags, program, '--seed', '2'], {
      encoding: 'utf8',
      env,
    });
    return stdout.split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('starts again once, with little space for new objects and the same arguments', () => {
  expect(startsOf(['--no-warnings'])).toEqual([
    '[["--no-warnings"],["--seed","2"]]',
    '[["--max-semi-space-size=4","--no-warnings"],["--seed","2"]]',
    'goes on',
  ]);
});

test('leaves the space as somebody has set it', () => {
  expect(startsOf(['--max-semi-space-size=16'])).toHaveLength(2);
  expect(startsOf([], { NODE_OPTIONS: '--max-semi-space-size=16' })).toHaveLength(2);
});
