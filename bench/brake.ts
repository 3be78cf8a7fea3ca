/** `npm run bench brake`: a sweep with a limit, and one beside a writer on a table that is too small. See `--help`. */
import { type FlagValues, SEED, VIRTUAL_MINUTES } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resultFile, writeJson } from './live/command.ts';

const FLAGS = {
  minutes: {
    ...VIRTUAL_MINUTES,
    min: 2,
    default: 5,
    help: 'how long the limit is there, or the table too small, on the virtual clock',
  },
  seed: { ...SEED, default: 1, help: 'makes the same refusals again' },
  json: { type: 'text', default: 'bench/results/brake.json', value: 'FILE', help: 'the result' },
} as const;

/** Deletes a second, while four times as many items expire. */
const LIMIT = 50;
const RATE = 200;

/** Of the sweep's calls, besides what the table has no room for. */
const RANDOM_SHARES = [0, 0.3];

const help = (flags: string) => `npm run bench brake -- [flags]

Runs the real state machines and all that the functions decide, around a table in memory, on a virtual clock.

1. maxDeletesPerSecond ${LIMIT} while ${RATE} items a second expire, in both ways to be indexed; then the limit is taken away.
2. A table with a bucket of write units that a writer of 100 items a second and the sweep share, and that is too small for
   both: the sweep as it is, and as it would be if it did not slow down. Without and with 30% of the sweep's calls refused
   besides.

The same flags give the same result on every machine. Takes some minutes, most of them for the sweeps that do not slow down.

${flags}

Exit status: 0 all gone, the limit kept within 10% in any ten seconds, at most half as many of the writer's writes throttled
with the brake, and all gone within a minute; 1 not so; 2 wrong flags.`;

async function run({ minutes, seed, json }: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', json);
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runLimited }, { runThrottled }, results] = await Promise.all([
    import('./brake/limited.ts'),
    import('./brake/throttled.ts'),
    import('./brake/result.ts'),
  ]);
  const limited = [];
  for (const indexedBy of ['window', 'second'] as const) {
    limited.push(await runLimited({ indexedBy, rate: RATE, maxDeletesPerSecond: LIMIT, minutes }));
  }
  console.log(`${results.limitedTable(limited)}\n`);
  const throttled = [];
  for (const randomShare of RANDOM_SHARES) {
    const shared = { minutes, seed, randomShare };
    const withBrake = await runThrottled({ ...shared, adaptive: true });
    const without = await runThrottled({ ...shared, adaptive: false });
    throttled.push({ randomShare, withBrake, without });
  }
  console.log(results.throttledTable(throttled));
  const problems = [
    ...limited.flatMap(results.limitedProblems),
    ...throttled.flatMap(results.throttledProblems),
  ];
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, { settings: { minutes, seed }, limited, throttled });
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
