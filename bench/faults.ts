/** `npm run bench faults`: a second's precision with a DynamoDB that throttles and hangs. See `--help`. */
import { type FlagValues, SEED, VIRTUAL_MINUTES } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resultFile, writeJson } from './live/command.ts';

const FLAGS = {
  minutes: { ...VIRTUAL_MINUTES, default: 10, help: 'how long items keep expiring, on the virtual clock' },
  seed: { ...SEED, default: 1, help: 'makes the same faults again' },
  json: { type: 'text', default: 'bench/results/faults.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench faults -- [flags]

Runs the sweep to the second with keys that are throttled, calls that are throttled and calls that hang: the real
definition and all that the functions decide, around a table in memory, on a virtual clock on which a call takes 30
milliseconds. The same flags give the same result on every machine. Takes about half a minute.

${flags}

Exit status: 0 all gone, none early, no sweep failed, the counts add up, and every bound is kept; 1 not so; 2 wrong flags.`;

async function run({ minutes, seed, json }: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', json);
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runScenario }, { faultsProblems, faultsTable }, { SCENARIOS }] = await Promise.all([
    import('./faults/run.ts'),
    import('./faults/result.ts'),
    import('./faults/scenarios.ts'),
  ]);
  const results = [];
  for (const scenario of SCENARIOS) {
    results.push(await runScenario(scenario, { minutes, seed }));
  }
  console.log(faultsTable(results));
  const problems = results.flatMap(faultsProblems);
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, { settings: { minutes, seed }, scenarios: results });
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
