import { randomInt } from 'node:crypto';
import { print } from '../../../cli/print.ts';
import { modelOf } from '../../../config/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../../config/props.ts';
import type { IndexedBy } from '../../../expiry/model.ts';
import { plainStack } from '../../../stacks/plain-stack.ts';
import { type ChaosReport, type Verdict, verdictOf } from '../../chaos/report.ts';
import { runChaos } from '../../chaos/run.ts';
import type { FaultRates } from '../../faults/index.ts';
import { withSettings } from '../../with-settings.ts';

export interface ChaosJobOptions {
  readonly minutes: number;
  readonly rate: number;
  /** @default another one each time */
  readonly seed: number | undefined;
  readonly by: IndexedBy;
  readonly deleteMode: 'guarded' | 'batch';
  readonly kills: number;
  /** Some items are held, and some of these are released. */
  readonly hold: boolean;
  /** Seconds from an item's expiry to its deletion. */
  readonly grace: number;
  /** The archived items: expiries, all removals, or expiries before they are deleted. */
  readonly archive: 'expiries' | 'all' | 'first' | undefined;
  readonly rates: FaultRates;
  readonly signal: AbortSignal;
}

/** The experiment's own table, independent of the project's configuration; all other fields have their defaults. */
const TABLE: PreciseTtlProps = { tableName: 'Chaos', partitionKey: 'id' };

const HOLD_ATTRIBUTE = 'legalHold';

/** The cap is short: a child must become too old while keys are unprocessed, and not during a backoff. */
const BACKOFF_CAP_SECONDS = 2;

const configOf = (table: PreciseTtlProps) => ({ region: 'us-east-1', tables: [table] });

/** Synthesizes a table and runs the chaos test on it. */
export async function runChaosJob(
  options: ChaosJobOptions,
): Promise<{ readonly verdict: Verdict; readonly report: ChaosReport }> {
  const { minutes, rate, by, deleteMode, kills, hold, grace, archive, rates, signal } = options;
  const seed = options.seed ?? randomInt(2 ** 32);
  const table: PreciseTtlProps = {
    ...TABLE,
    index: { by, ...(by === 'window' && { shards: 2 }) },
    deleteMode,
    ...(hold && { hold: HOLD_ATTRIBUTE }),
    graceSeconds: grace,
    ...(archive && {
      archive: {
        batchSeconds: 1,
        removals: archive === 'all' ? 'all' : 'expiries',
        first: archive === 'first',
      },
    }),
  };
  // Default settings, by which the inspected sweeps are judged.
  const { lookbackMinutes, holdAttribute, graceSeconds } = resolveProps(table);
  const stack = withSettings(plainStack(configOf(table)), { backoffCapSeconds: BACKOFF_CAP_SECONDS });
  print(
    `Seed ${seed}: ${minutes} min of ${rate} items a second, indexed by ${by}, deleted in ${deleteMode} mode, and everything goes wrong.\n`,
  );
  const report = await runChaos({
    stack,
    tableName: table.tableName,
    model: modelOf(table),
    deleteMode,
    lookbackMinutes,
    holdAttribute,
    graceSeconds,
    minutes,
    rate,
    seed,
    rates,
    archive: archive && {
      ...{ format: 'dynamodb-json', batchSeconds: 1, isFirst: archive === 'first', all: archive === 'all' },
    },
    kills,
    output: process.stdout,
    signal,
  });
  return { verdict: verdictOf(report), report };
}
