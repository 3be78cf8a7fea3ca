/** `npm start`: the main job on this machine. See `--help`. */
import { type FlagValues, SEED } from './flags.ts';
import { runCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  minutes: {
    type: 'number',
    min: 0.1,
    max: 1440,
    default: 3,
    value: 'N',
    help: 'how long sessions keep expiring',
  },
  rate: { type: 'number', min: 0.1, max: 1000, default: 20, value: 'N', help: 'sessions per second' },
  seed: { ...SEED, help: 'makes the same workload again (default: another one each time)' },
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file' },
} as const;

const help = (flags: string) => `npm start -- [flags]

Starts DynamoDB Local and everything that cdktf deploy would provision, lets sessions expire for some minutes, and
shows that what expired was deleted, and nothing else.

${flags}

Exit status: 0 every promise was kept, 1 one wasn't, 2 wrong flags, 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const stop = stopOnSignal();
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runMainJob }, { default: config }] = await Promise.all([
    import('./main-job.ts'),
    import('../precise-ttl.config.ts'),
  ]);
  const { violations, interrupted } = await runMainJob({
    ...flags,
    config,
    resultFile,
    output: process.stdout,
    signal: stop.signal,
  });
  if (interrupted) return stop.status();
  return violations.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
