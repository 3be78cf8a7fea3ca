/** `npm run bench lag`: how late each way of deleting is, on the same items. See `--help`. */
import { writeFileSync } from 'node:fs';
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { RESULT_FLAG, svgBeside } from './lag/files.ts';
import { lagTable, MODES, parseModes } from './lag/result.ts';
import { RUN_FLAGS, resultFile, writeJson } from './live/command.ts';
import { describeMachine } from './live/machine.ts';

const FLAGS = {
  ...RUN_FLAGS,
  minutes: { ...RUN_FLAGS.minutes, default: 5 },
  modes: {
    type: 'text',
    default: Object.keys(MODES).join(','),
    value: 'LIST',
    help: 'which to run, with commas between; fewer take a higher rate',
  },
  json: RESULT_FLAG,
} as const;

const help = (flags: string) => `npm run bench lag -- [flags]

Writes the same items to three tables on one DynamoDB Local, lets them expire in real time, and shows how late they are
deleted: by precise-ttl to the second, by precise-ttl once a minute, and by the published algorithm. Takes about five
minutes longer than items expire. Writes a .json file and draws the plot beside it.

${flags}

Exit status: 0 measured, 1 an item was deleted early or something failed, 2 wrong flags, 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const modes = parseModes(flags.modes);
  const file = resultFile('json', flags.json);
  const stop = stopOnSignal();
  // Only now: loading the CDKTF app and the plotting library takes a second, which a wrong flag shall not wait for.
  const [{ compareLag }, { drawLag }] = await Promise.all([
    import('./lag/compare.ts'),
    import('./lag/plot.ts'),
  ]);
  const { result, problems } = await compareLag({
    ...flags,
    modes,
    output: process.stdout,
    signal: stop.signal,
  });
  console.log(`\n${describeMachine(result.machine)}\n\n${lagTable(result)}\n`);
  if (stop.signal.aborted) return stop.status();
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, result);
  writeFileSync(svgBeside(file), drawLag(result));
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
