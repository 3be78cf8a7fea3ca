/** `npm run bench archive-kills`: archives whose processes are killed, with an S3 that fails. See `--help`. */
import { type FlagValues, SEED } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resultFile, writeJson } from './live/command.ts';
import { describeMachine, thisMachine } from './live/machine.ts';

const FLAGS = {
  first: { type: 'switch', help: 'measure archiveFirst instead' },
  expiries: {
    type: 'number',
    min: 100,
    max: 1_000_000,
    whole: true,
    value: 'N',
    help: 'items that expire (default 50000; 5000 with --first)',
  },
  kills: {
    type: 'number',
    min: 0,
    max: 1_000,
    whole: true,
    default: 20,
    value: 'N',
    help: 'how often the process is killed by SIGKILL',
  },
  // With 1 no call of S3 hangs.
  seed: { ...SEED, default: 2, help: 'makes the same items, and draws kills and faults alike' },
  'skew-seconds': {
    type: 'number',
    min: -60,
    max: 60,
    default: 0,
    value: 'S',
    help: "how far the clocks of Step Functions and Lambda are ahead of DynamoDB's",
  },
  json: {
    type: 'text',
    value: 'FILE',
    help: 'the result (default bench/results/archive-kills.json; archive-kills-first.json with --first)',
  },
} as const;

const help = (flags: string) => `npm run bench archive-kills -- [flags]

Sweeps expired items with all types of attributes on DynamoDB Local, as it is deployed, while users delete and renew items. A
process is killed by SIGKILL at random moments of its work and started again. S3, outside of it, fails 20% of its calls and
hangs 1%.

1. The archive: the process has the event source mapping and ArchiveExpiries. At the end every expired item is in the archive once,
   after de-duplication by key and expiry, with the image that was written; none that is alive is; and the removals that are no
   expiries are told apart.
2. archiveFirst (--first): the process has the state machine and the functions. No item is deleted before S3 has answered that its
   image is stored, and a copy of an item that was not deleted is marked.

DynamoDB Local rounds the times of its records down to the minute. So a recorder that is never killed reads the stream too, and the
mapping gives the records the times at which they were recorded.

${flags}

Exit status: 0 all of it holds, 1 not so, 2 wrong flags, 3 the run proves nothing.`;

const UNPROVEN_STATUS = 3;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const { first, kills, seed, 'skew-seconds': skewSeconds } = flags;
  const file = resultFile('json', flags.json ?? `bench/results/archive-kills${first ? '-first' : ''}.json`);
  const expiries = flags.expiries ?? (first ? 5_000 : 50_000);
  const machine = thisMachine();
  const options = {
    expiries,
    kills,
    seed,
    skewMs: skewSeconds * 1000,
    print: (text: string) => console.log(text),
  };
  const [{ runArchiver }, { runFirst }, { archiverText, firstText }] = await Promise.all([
    import('./archive/archiver.ts'),
    import('./archive/first.ts'),
    import('./archive/text.ts'),
  ]);
  let result: Awaited<ReturnType<typeof runArchiver>> | Awaited<ReturnType<typeof runFirst>>;
  if (first) {
    result = await runFirst(options);
    console.log(`\n${firstText(result)}`);
  } else {
    result = await runArchiver(options);
    console.log(`\n${archiverText(result)}`);
  }
  console.log(describeMachine(machine));
  for (const problem of result.problems) console.log(`✗ ${problem}`);
  for (const reason of result.unproven) console.log(`? proves nothing: ${reason}`);
  writeJson(file, { machine, settings: { expiries, kills, seed, skewSeconds }, ...result });
  if (result.problems.length > 0) return 1;
  return result.unproven.length > 0 ? UNPROVEN_STATUS : 0;
}

await runCommand({ flags: FLAGS, help, run });
