/** `npm run bench adopt`: a table that an application of others fills, adopted while it does. See `--help`. */
import type { FlagValues } from '../cli/flags.ts';
import { SEED } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resultFile, writeJson } from './live/command.ts';
import { describeMachine } from './live/machine.ts';

const FLAGS = {
  items: {
    type: 'number',
    min: 10,
    max: 1_000_000,
    default: 10_000,
    whole: true,
    value: 'N',
    help: 'items that are written',
  },
  minutes: { type: 'number', min: 0.5, max: 1440, default: 10, value: 'N', help: 'how long items expire' },
  seed: { ...SEED, default: 1, help: 'makes the same items again' },
  json: { type: 'text', default: 'bench/results/adopt.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench adopt -- [flags]

A script with nothing but AWS's client writes items with a TTL into a table of its own. A fifth of them are there before the table
has an index. Then precise-ttl adopt adds it, and precise-ttl local sweeps with the configuration that adopt has printed, while
the script goes on and renews a tenth of the items in their last seconds. What is deleted is seen in the table's stream. Takes
about five minutes more than --minutes.

${flags}

Exit status: 0 every expired item gone, none early, every renewed one there; 1 otherwise; 2 wrong flags.`;

async function run({ json, ...flags }: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', json);
  const { runAdopt } = await import('./adopt/run.ts');
  const result = await runAdopt({ ...flags, print: text => console.log(text) });
  const { machine, lagMs, ...counts } = result;
  console.log(`\n${describeMachine(machine)}`);
  for (const [name, value] of Object.entries(counts)) console.log(`  ${name.padEnd(15)} ${value}`);
  console.log(`  lag, ms         p50 ${lagMs.p50}, p99 ${lagMs.p99}, max ${lagMs.max}`);
  writeJson(file, result);
  return counts.left + counts.lost + counts.early === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
