/** `npm run bench ticks`: a second's precision with a scheduler that misbehaves. See `--help`. */
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { RUN_FLAGS, resultFile, writeJson } from './live/command.ts';
import { describeMachine } from './live/machine.ts';

const FLAGS = {
  ...RUN_FLAGS,
  json: { type: 'text', default: 'bench/results/ticks.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench ticks -- [flags]

Runs the sweep to the second with ticks that come late, twice or not at all, and with items written shortly before they
expire; each on a table of its own, in real time, in three rounds. A round takes about five minutes
longer than items expire.

${flags}

Exit status: 0 all gone, none early, and the counts add up; 1 not so; 2 wrong flags; 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', flags.json);
  const stop = stopOnSignal();
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runTicks }, { ticksTable }, { SCENARIOS }] = await Promise.all([
    import('./ticks/run.ts'),
    import('./ticks/result.ts'),
    import('./ticks/scenarios.ts'),
  ]);
  const { result, problems } = await runTicks({
    ...flags,
    scenarios: SCENARIOS,
    output: process.stdout,
    signal: stop.signal,
  });
  console.log(`\n${describeMachine(result.machine)}\n\n${ticksTable(result)}\n`);
  if (stop.signal.aborted) return stop.status();
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, result);
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
