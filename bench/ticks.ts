/** `npm run bench:ticks`: a second's precision with a scheduler that misbehaves. See `--help`. */
import { describeFlags, parseFlags } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { RUN_FLAGS, resultFile, writeJson } from './live/command.ts';
import { describeMachine } from './live/machine.ts';

const FLAGS = {
  minutes: {
    type: 'number',
    min: 0.1,
    max: 1440,
    default: 3,
    value: 'N',
    help: 'how long items keep expiring',
  },
  rate: { type: 'number', min: 0.1, max: 1000, default: 20, value: 'N', help: 'items per second and table' },
  json: { type: 'text', default: 'bench/results/ticks.json', value: 'FILE', help: 'the result' },
  ...RUN_FLAGS,
} as const;

const HELP = `npm run bench:ticks -- [flags]

Runs the sweep to the second with ticks that come late, twice or not at all, with slow Map Runs, and with items written
shortly before they expire; each on a table of its own, in real time, in three rounds. A round takes about five minutes
longer than items expire.

${describeFlags(FLAGS)}

Exit status: 0 all gone, none early, and the counts add up; 1 not so; 2 wrong flags; 130 or 143 interrupted.`;

await runCommand(async () => {
  const flags = parseFlags(FLAGS, process.argv.slice(2));
  if (flags.help) {
    console.log(HELP);
    return 0;
  }
  const file = resultFile('json', flags.json);
  const stop = stopOnSignal();
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runTicks }, { ticksTable }, { SCENARIOS }] = await Promise.all([
    import('./ticks/run.ts'),
    import('./ticks/result.ts'),
    import('./ticks/scenarios.ts'),
  ]);
  const run = { ...flags, scenarios: SCENARIOS, output: process.stdout, signal: stop.signal };
  const { result, problems } = await runTicks(run);
  console.log(`\n${describeMachine(result.machine)}\n\n${ticksTable(result)}\n`);
  if (stop.signal.aborted) return stop.status();
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, result);
  return problems.length === 0 ? 0 : 1;
});
