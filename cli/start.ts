/** `precise-ttl start`: runs the main job on this machine. See `--help`. */
import { loadConfigFile } from '../config/config-file.ts';
import { drawMoment, paint } from '../lab/demo/live/draw.ts';
import {
  BY,
  CONFIG,
  type FlagValues,
  MINUTES,
  RATE,
  SEED,
  switchFlag,
  textFlag,
  writableFile,
} from './flags.ts';
import type { MainJobOptions } from './main-job.ts';
import { lookOf, STDOUT } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';

const FLAGS = {
  minutes: { ...MINUTES, help: 'how long sessions keep expiring' },
  rate: { ...RATE, help: 'sessions per second' },
  seed: { ...SEED, help: 'makes the same workload again (default: another one each time)' },
  table: textFlag('NAME', 'a table of the configuration (default: its first one)'),
  by: {
    ...BY,
    help: 'index it by window or by second (default: as the configuration says)',
  },
  archive: switchFlag('with an archive and events, also where the configuration has none'),
  config: CONFIG,
  json: textFlag('FILE', 'also write the result to a file'),
} as const;

const help = (flags: string) => `npx precise-ttl start [flags]

Starts DynamoDB Local and everything that a deployment provisions for a table. Lets sessions expire for some minutes,
and shows that every expired session was deleted in time, and no other. A page that it prints the address of shows the sweep meanwhile.

${flags}

With --archive, or with archive or events in the configuration, it also shows that each pipe passed on an event of every deleted item, as
it was last written, and none of what did not expire. The run itself takes the events: no target gets them.

The table and its deployment get names of their own. With AWS_ENDPOINT_URL_DYNAMODB it is created in the DynamoDB
Local that runs there, beside other tables, and removed at the end, also after Ctrl-C.

On a terminal each session is a dot that comes nearer to "now" and goes when it is deleted, above the lag, what the sweep does, and how
many sessions native TTL might still keep. With --json it shows a line of that, and without a terminal a line every ten seconds.

Exit status: 0 every promise was kept; 1 a promise was broken, or the job could not run; 2 wrong flags; 3 no promise is known to be broken, but one is undecided: this machine slept or was too slow, or
nothing expired; 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const stop = stopOnSignal();
  // Imported late: the CDKTF app takes most of a second to load, and a wrong flag should be reported before.
  const { EXIT_STATUS, runMainJob } = await import('./main-job.ts');
  const { result } = await runMainJob({
    ...flags,
    withPage: true,
    config: await loadConfigFile(flags.config),
    resultFile,
    output: STDOUT,
    // With `--json` the user hardly watches, so there is no live view.
    ...(flags.json === undefined && liveView(process.stdout)),
    signal: stop.signal,
  });
  return result.verdict === 'interrupted' ? stop.status() : EXIT_STATUS[result.verdict];
}

/** A terminal without cursor movements shows a line of progress only. */
function liveView(screen: NodeJS.WriteStream): Pick<MainJobOptions, 'show'> {
  if (!screen.isTTY || process.env['TERM'] === 'dumb') return {};
  const { colours } = lookOf(screen);
  return {
    show: (moment, progress) =>
      progress.showBlock(drawMoment(moment, progress.columns).map(line => paint(line, colours))),
  };
}

export const command = defineCommand({ flags: FLAGS, help, run });
