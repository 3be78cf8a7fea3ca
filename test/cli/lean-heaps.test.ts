import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** One line for each start. */
const PROGRAM = `import { writeSync } from 'node:fs';
  import { restartWithSmallNewSpace } from '${pathToFileURL('cli/lean-heaps.ts').href}';
  writeSync(1, JSON.stringify(process.execArgv.slice(0, -3)) + '\\n');
  restartWithSmallNewSpace();
  writeSync(1, 'goes on');`;

test.each([
  [['--no-warnings'], '["--no-warnings"]\n["--max-semi-space-size=4","--no-warnings"]\ngoes on'],
  [['--max-semi-space-size=16'], '["--max-semi-space-size=16"]\ngoes on'],
])(
  'with %j it starts again once, with little space for new objects, unless somebody has set it',
  (flags, starts) => {
    const args = [...flags, '--input-type=module', '-e', PROGRAM];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout).toBe(starts);
  },
);
