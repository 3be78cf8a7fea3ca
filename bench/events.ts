/** `npm run bench events`: how late the event of an expiry comes. See `--help`. */
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { MAX_LOST_MS } from '../lab/chaos/report.ts';
import { RUN_FLAGS, resultFile, writeJson } from './live/command.ts';
import { markdownTable, seconds } from './live/format.ts';
import { describeMachine } from './live/machine.ts';

const FLAGS = {
  ...RUN_FLAGS,
  minutes: { ...RUN_FLAGS.minutes, default: 5 },
  rate: { ...RUN_FLAGS.rate, default: 20, help: 'items per second' },
  json: { type: 'text', default: 'bench/results/events.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench events -- [flags]

Lets items expire in real time on the local cloud: the sweep deletes them, the table's stream calls the function that makes
events of them, and these come to an event bus. Shows how late items were deleted and how late their events came, from their
expiry on. Takes about four minutes longer than items expire.

${flags}

Exit status: 0 measured; 1 an event is missing or came early, or something failed; 2 wrong flags; 3 the machine stood still for so
long that the run proves nothing; 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', flags.json);
  const stop = stopOnSignal();
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const { measureEvents } = await import('./events/run.ts');
  const { result, problems } = await measureEvents({
    ...flags,
    output: process.stdout,
    signal: stop.signal,
  });
  const { machine, deletions, events, longestLostMs } = result;
  const row = (name: string, { p50, p99, max }: typeof events.lagMs) => [
    name,
    ...[p50, p99, max].map(seconds),
  ];
  const table = markdownTable(
    ['from the expiry to', 'p50, s', 'p99, s', 'max, s'],
    [row('the deletion', deletions.lagMs), row('the event', events.lagMs)],
  );
  console.log(`\n${describeMachine(machine)}\n\n${table}\n`);
  console.log(
    `deleted ${deletions.deleted}, events of ${events.items}, again ${events.again}, left ${deletions.left}`,
  );
  if (stop.signal.aborted) return stop.status();
  for (const problem of problems) console.log(`✗ ${problem}`);
  if (problems.length > 0) return 1;
  if (longestLostMs > MAX_LOST_MS) {
    console.log(
      `The machine was ${longestLostMs} ms behind at the worst; more than ${MAX_LOST_MS} proves nothing. Nothing is written.`,
    );
    return 3;
  }
  writeJson(file, result);
  return 0;
}

await runCommand({ flags: FLAGS, help, run });
