/** `npm run bench chaos`: injects all faults at once, and checks that nothing is lost. See `--help`. */

import { BY, type Flag, FlagError, SEED } from '../../cli/flags.ts';
import { MAX_GRACE_SECONDS } from '../../statemachine/contract/limits.ts';
import { DEFAULT_RATES } from '../chaos/settings.ts';
import { checkRates, FAULTS, type FaultName, type FaultRates } from '../faults/index.ts';
import { defineExperiment } from './support/experiment.ts';

const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** `cutBefore` → `cut-before` */
const flagOf = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

const RATE_FLAGS: Record<string, Flag & { type: 'number'; default: number }> = Object.fromEntries(
  FAULT_NAMES.map(name => [
    flagOf(name),
    {
      type: 'number',
      min: 0,
      max: 100,
      default: DEFAULT_RATES[name] * 100,
      value: 'PERCENT',
      help: FAULTS[name],
    } as const,
  ]),
);

const FLAGS = {
  minutes: {
    type: 'number',
    min: 0.2,
    max: 1440,
    default: 2,
    value: 'N',
    help: 'how long items keep expiring',
  },
  rate: { type: 'number', min: 1, max: 500, default: 60, value: 'N', help: 'items per second' },
  seed: {
    ...SEED,
    help: 'repeats the workload and the faults of a run with the same seed (default: another seed each time)',
  },
  by: { ...BY, default: 'window', help: 'what the index is keyed by: window, or second' },
  'delete-mode': {
    type: 'text',
    values: ['guarded', 'batch'],
    default: 'guarded',
    value: 'MODE',
    help: 'guarded, or batch: without renewals, which batch mode is not for',
  },
  kills: {
    type: 'number',
    min: 0,
    max: 1000,
    whole: true,
    default: 0,
    value: 'N',
    help: 'kill the runner with SIGKILL at so many random moments; each time a new one takes over',
  },
  hold: {
    type: 'switch',
    help: 'hold some items, before or in the second of their expiry, and release some of these: docs/archive-and-events.md',
  },
  grace: {
    type: 'number',
    min: 0,
    max: MAX_GRACE_SECONDS,
    whole: true,
    default: 0,
    value: 'SECONDS',
    help: 'graceSeconds of the table',
  },
  archive: {
    type: 'text',
    values: ['expiries', 'all', 'first'],
    value: 'WHAT',
    help: 'archive expiries, all removals, or expiries before they are deleted (archiveFirst), in an S3 that fails a fifth of its calls',
  },
  ...RATE_FLAGS,
} as const;

function ratesOf(values: Readonly<Record<string, unknown>>): FaultRates {
  const rates = Object.fromEntries(FAULT_NAMES.map(name => [name, Number(values[flagOf(name)]) / 100]));
  try {
    checkRates(rates);
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error));
  }
  return rates;
}

export default defineExperiment({
  name: 'chaos',
  flags: FLAGS,
  about: `
Sweeps a table locally and in real time while writers, renewers and deleters work on it, calls are throttled, keys come back
unprocessed, connections break, functions crash and ticks come late, twice or never. Then the faults stop, and one ordinary tick
and one scan are inspected. For these it writes items that only a lookback finds, that are stamped the older way, that are
renewed between the query and the delete, or that come back unprocessed until another child has to resume. Both sweeps
together must leave nothing. What became of every item is compared with what was written, and every count with the table's
stream and the application. At the end a replay must find nothing more.`,
  holds: 'nothing lost, nothing wrongly deleted, every count adds up',
  async run({ flags, signal }) {
    const rates = ratesOf(flags);
    if (flags.hold && flags['delete-mode'] !== 'guarded') {
      throw new FlagError('--hold: expected --delete-mode guarded with it, got batch; leave one of them out');
    }
    // Imported late: loading the CDKTF app takes most of a second, which an invalid flag should not wait for.
    const { runChaosJob } = await import('./chaos/job.ts');
    const { verdict, report } = await runChaosJob({
      ...flags,
      deleteMode: flags['delete-mode'],
      rates,
      signal,
    });
    return {
      result: { verdict, report },
      ...(verdict === 'violated' && { problems: ['it was violated, as said above'] }),
      ...(verdict === 'undecided' && { unproven: ['the machine was too slow'] }),
    };
  },
});
