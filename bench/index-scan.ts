/** `npm run bench index-scan`: scans the index of a large table on DynamoDB Local, ended twice on its way. See `--help`. */
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { describeMachine, thisMachine } from './live/machine.ts';

const FLAGS = {
  items: {
    type: 'number',
    min: 10_000,
    max: 10_000_000,
    whole: true,
    default: 1_000_000,
    value: 'N',
    help: 'items in the table; 2% of them are overdue by years',
  },
} as const;

const help = (flags: string) => `npm run bench index-scan -- [flags]

Fills a table by second with items of which 2% are overdue by years and 500 have a TTL with a fraction, and a tenth as large one by window
of which 500 are misfiled, and runs the deployed scan of the index on each, on this machine. The first one's execution is ended at
30% and at 70%, and started again. At the end all of what is overdue must be gone and all else be there, all that is remarkable must
be counted, and no more than 1%, or a page, may have been read again.

${flags}

Exit status: 0 all of it holds, 1 not so, 2 wrong flags, 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const stop = stopOnSignal();
  const machine = thisMachine();
  const { runIndexScanBench } = await import('./index-scan/run.ts');
  const problems = await runIndexScanBench({
    ...flags,
    print: text => console.log(text),
    signal: stop.signal,
  });
  if (stop.signal.aborted) return stop.status();
  console.log(`\n${describeMachine(machine)}`);
  for (const problem of problems) console.log(`✗ ${problem}`);
  if (problems.length === 0) console.log('✓ all found, the due ones gone, the others there');
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
