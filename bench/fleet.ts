/** `npm run bench fleet`: a hundred tables in one tick, and a backlog of a million items on one. See `--help`. */
import { type FlagValues, VIRTUAL_MINUTES } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resultFile, writeJson } from './live/command.ts';

const FLAGS = {
  minutes: { ...VIRTUAL_MINUTES, max: 10, default: 3, help: 'how long items expire' },
  backlog: {
    type: 'number',
    min: 10_000,
    max: 2_000_000,
    whole: true,
    default: 1_000_000,
    value: 'N',
    help: 'items that lie back on one table',
  },
  json: { type: 'text', default: 'bench/results/fleet.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench fleet -- [flags]

Runs the real definitions and all that the functions decide, around tables in memory, on a virtual clock, with calls of 20 ms.

1. 100 tables in one tick: 87 with 20 items a minute, 5 with 20 a second, 5 throttled, 1 deleted, 1 forbidden, 1 hanging.
2. A backlog on one table, in one window of a day: the ticks and the execution that they hand it over to, beside one execution of the
   replay machine by hand.

The same flags give the same result on every machine. Takes some minutes.

${flags}

Exit status: 0 p99 of the 92 tables at most 1.5 s and all of their items gone, the backlog gone in at most 1.1 of the replay's time, with at
most 1% of its deletes made twice; 1 not so; 2 wrong flags.`;

async function run({ minutes, backlog, json }: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', json);
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runFleet }, { runBacklog }] = await Promise.all([
    import('./fleet/tables.ts'),
    import('./fleet/backlog.ts'),
  ]);
  const tables = await runFleet(minutes);
  console.log('tables', JSON.stringify(tables));
  const swept = await runBacklog(backlog);
  console.log('backlog', JSON.stringify(swept));
  const problems = [
    ...(tables.left > 0 ? [`${tables.left} items of the tables without trouble are left`] : []),
    ...((tables.lagMs.p99 ?? 0) > 1_500 ? [`p99 of their lag is ${tables.lagMs.p99} ms`] : []),
    ...(swept.left > 0 ? [`${swept.left} items of the backlog are left`] : []),
    ...(swept.ratio > 1.1 ? [`the backlog takes ${swept.ratio} of the time of a replay`] : []),
    ...(swept.twice > 0.01 * backlog ? [`${swept.twice} deletes of the backlog were made twice`] : []),
  ];
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, { tables, backlog: swept });
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
