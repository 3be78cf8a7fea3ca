/** `npm run bench backfill`: a backfill on DynamoDB Local while its items are renewed and deleted. See `--help`. */
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { describeMachine, thisMachine } from './live/machine.ts';

const FLAGS = {
  items: {
    type: 'number',
    min: 100,
    max: 1_000_000,
    whole: true,
    default: 100_000,
    value: 'N',
    help: 'items in the table',
  },
  rate: {
    type: 'number',
    min: 1,
    max: 10_000,
    whole: true,
    default: 10_000,
    value: 'N',
    help: 'most writes a second; DynamoDB Local does about a thousand',
  },
  segments: {
    type: 'number',
    min: 1,
    max: 350,
    whole: true,
    default: 20,
    value: 'N',
    help: 'parts that the table is read in',
  },
  interrupt: { type: 'switch', help: 'stop the first execution half-way, and run another one' },
} as const;

const help = (flags: string) => `npm run bench backfill -- [flags]

Fills a table with items of every kind that have no window, and runs the deployed backfill on it, on this machine, while a
renewer renews items at random and deletes every tenth that it comes to. At the end each item must have the TTL that was written
last and its window, nothing that was deleted may be back, and the counts must add up.

${flags}

Exit status: 0 all of it holds, 1 not so, 2 wrong flags, 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const stop = stopOnSignal();
  const machine = thisMachine();
  const { runBackfillBench } = await import('./backfill/run.ts');
  const problems = await runBackfillBench({
    ...flags,
    print: text => console.log(text),
    signal: stop.signal,
  });
  if (stop.signal.aborted) return stop.status();
  console.log(`\n${describeMachine(machine)}`);
  for (const problem of problems) console.log(`✗ ${problem}`);
  if (problems.length === 0) console.log('✓ the counts add up, nothing was overwritten, nothing is left');
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
