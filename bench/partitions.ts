/** `npm run bench partitions`: the sweep on an index whose keys share partitions. See `--help`. */
import { type FlagValues, SEED } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resultFile, writeJson } from './live/command.ts';

const FLAGS = {
  quick: { type: 'switch', help: 'the two lower rates only: a minute instead of many' },
  seconds: {
    type: 'number',
    min: 10,
    max: 600,
    whole: true,
    default: 30,
    value: 'N',
    help: 'how long items are put and expire, on the virtual clock',
  },
  seed: { ...SEED, default: 1, help: 'puts the same keys on the same partitions again' },
  json: { type: 'text', default: 'bench/results/partitions.json', value: 'FILE', help: 'the result' },
} as const;

const RATES = [300, 1_500, 5_000, 16_667];
const QUICK_RATES = 2;

const help = (flags: string) => `npm run bench partitions -- [flags]

Puts as many items a second as expire, and sweeps them: the real definition and all that the functions decide, around a table in
memory, on a virtual clock on which a call takes 20 ms and a read of the index 5 ms. Each key of the index lies on one of its
partitions by a hash, and each partition takes 1,000 write units a second, puts and deletes together. DynamoDB's bursts, and that it
splits a partition which stays hot, are left out.

For each rate, in windows of a minute and of a day: the shards and the warm throughput that the rule recommends; the same shards on a new
table, where that can take what is written; and a shard for each 650 items a second, which is what keys alone would need. The lower two
rates are run three times, with the keys on other partitions. The same flags give the same result on every machine. Takes a quarter of an
hour, most of it for the highest rate.

${flags}

Exit status: 0 where the rule says "holds" p99 is at most 2 s, nothing is left, and at most 0.1% of the puts are throttled; 1 not so;
2 wrong flags.`;

async function run({ quick, seconds, seed, json }: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', json);
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runPartitions }, { partitionsHead, partitionsProblems, partitionsRow }, { scenariosOf }] =
    await Promise.all([
      import('./partitions/run.ts'),
      import('./partitions/result.ts'),
      import('./partitions/scenarios.ts'),
    ]);
  const results = [];
  console.log(partitionsHead());
  for (const scenario of scenariosOf(quick ? RATES.slice(0, QUICK_RATES) : RATES)) {
    const result = await runPartitions(scenario, { seconds, seed });
    results.push(result);
    console.log(partitionsRow(result));
  }
  const problems = results.flatMap(partitionsProblems);
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, { settings: { seconds, seed }, scenarios: results });
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
