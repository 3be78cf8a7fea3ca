/** `npm run bench chaos`: injects all faults at once, and checks that nothing is lost. See `--help`. */
import { randomInt } from 'node:crypto';
import { BY, type Flag, FlagError, SEED } from '../../cli/flags.ts';
import { modelOf } from '../../config/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { MAX_GRACE_SECONDS } from '../../statemachine/contract/limits.ts';
import { verdictOf } from '../chaos/report.ts';
import { runChaos } from '../chaos/run.ts';
import { checkRates, FAULTS, type FaultName, type FaultRates } from '../faults/index.ts';
import { defineExperiment } from './support/experiment.ts';

/**
 * Default rates of the faults, which flags can change. They are far worse than DynamoDB and Lambda ever are: all faults occur at once, for
 * the whole run.
 */
const DEFAULT_RATES: Required<FaultRates> = {
  throttled: 0.2,
  unprocessed: 0.2,
  unavailable: 0.01,
  refusedKeys: 0.01,
  cutBefore: 0.005,
  cutAfter: 0.005,
  slow: 0.001,
  stale: 0.1,
  crashBefore: 0.01,
  crashAfter: 0.01,
  duplicate: 0.02,
  lateTick: 0.2,
  skippedTick: 0.1,
  doubledTick: 0.2,
  overlap: 0.5,
};

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
    values: ['expiries', 'all'],
    value: 'WHAT',
    help: 'archive expiries, or all removals, in an S3 that fails a fifth of its calls',
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
and one scan are inspected. For these it writes items that only a lookback finds, that are stamped the older way, or for which
the tick must wait. Each must leave nothing of what is its own. What became of every item is compared with what was written, and every count with the table's
stream and the application. At the end a replay must find nothing more.`,
  holds: 'nothing lost, nothing wrongly deleted, every count adds up',
  async run({ flags, print, signal }) {
    const rates = ratesOf(flags);
    if (flags.hold && flags['delete-mode'] !== 'guarded') {
      throw new FlagError('--hold: expected --delete-mode guarded with it, got batch; leave one of them out');
    }
    const { minutes, rate, by, 'delete-mode': deleteMode, seed = randomInt(2 ** 32), archive } = flags;
    const table: PreciseTtlProps = {
      tableName: 'Chaos',
      partitionKey: 'id',
      index: { by, ...(by === 'window' && { shards: 2 }) },
      deleteMode,
      ...(flags.hold && { hold: 'legalHold' }),
      graceSeconds: flags.grace,
      ...(archive && {
        archive: {
          batchSeconds: 1,
          removals: archive === 'all' ? 'all' : 'expiries',
        },
      }),
    };
    const stack = plainStack({ region: 'us-east-1', tables: [table] });
    print(
      `Seed ${seed}: ${minutes} min of ${rate} items a second, indexed by ${by}, deleted in ${deleteMode} mode, and everything goes wrong.\n`,
    );
    const { lookbackMinutes, holdAttribute, graceSeconds } = resolveProps(table);
    const report = await runChaos({
      ...{ stack, tableName: table.tableName, model: modelOf(table), deleteMode, minutes, rate, seed, rates },
      ...{ lookbackMinutes, holdAttribute, graceSeconds },
      archive: archive && {
        ...{ format: 'dynamodb-json', batchSeconds: 1, all: archive === 'all' },
      },
      output: process.stdout,
      signal,
    });
    const verdict = verdictOf(report);
    return {
      result: { verdict, report },
      ...(verdict === 'violated' && { problems: ['it was violated, as said above'] }),
      ...(verdict === 'undecided' && { unproven: ['the machine was too slow'] }),
    };
  },
});
