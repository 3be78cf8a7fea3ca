import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { print } from '../../cli/print.ts';
import { modelOf } from '../../config/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import type { IndexedBy } from '../../expiry/model.ts';
import { type Verdict, verdictOf } from '../../lab/chaos/report.ts';
import { runChaos } from '../../lab/chaos/run.ts';
import { formatThrottle, runThrottle } from '../../lab/chaos/throttle.ts';
import type { FaultRates } from '../../lab/faults/index.ts';
import { plainStack } from '../../stacks/plain-stack.ts';

export interface ChaosJobOptions {
  readonly minutes: number;
  readonly rate: number;
  /** @default another one each time */
  readonly seed: number | undefined;
  readonly by: IndexedBy;
  readonly deleteMode: 'guarded' | 'batch';
  readonly kills: number;
  /** Some items are held, and some of them released. */
  readonly hold: boolean;
  /** Seconds from an item's expiry to its deletion. */
  readonly grace: number;
  readonly rates: FaultRates;
  /** Where to write the report as JSON. */
  readonly resultFile: string | undefined;
  readonly signal: AbortSignal;
}

/** A table of its own, whatever the project's configuration says: every other field at its default. */
const TABLE: PreciseTtlProps = { tableName: 'Chaos', partitionKey: 'id' };

const HOLD_ATTRIBUTE = 'legalHold';

/** Short enough that a child gets old while keys are unprocessed, and not while it waits to try them again. */
const BACKOFF_CAP_SECONDS = 2;

const configOf = (table: PreciseTtlProps) => ({ region: 'us-east-1', tables: [table] });

/** Synthesizes a table for the purpose and lets everything happen to it. */
export async function runChaosJob(options: ChaosJobOptions): Promise<Verdict> {
  const { minutes, rate, by, deleteMode, kills, hold, grace, rates, signal } = options;
  const seed = options.seed ?? randomInt(2 ** 32);
  const table: PreciseTtlProps = {
    ...TABLE,
    indexedBy: by,
    ...(by === 'window' && { shards: 2 }),
    deleteMode,
    ...(hold && { holdAttribute: HOLD_ATTRIBUTE }),
    graceSeconds: grace,
    backoffCapSeconds: BACKOFF_CAP_SECONDS,
  };
  // How far sweeps look back: the defaults, by which the inspected ones are judged.
  const { lookbackMinutes, holdAttribute, graceSeconds } = resolveProps(table);
  const stack = plainStack(configOf(table));
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
    kills,
    output: process.stdout,
    signal,
  });
  const verdict = verdictOf(report);
  if (options.resultFile !== undefined) {
    writeFileSync(options.resultFile, `${JSON.stringify({ verdict, ...report }, null, 2)}\n`);
  }
  return verdict;
}

/** Items of the window that is throttled: 100 chunks. */
const THROTTLED_ITEMS = 2500;

/** @returns whether all was deleted, by an execution that did not fail */
export async function runThrottleJob(seconds: number, seed: number): Promise<boolean> {
  const stack = plainStack(configOf(TABLE));
  const { tableName } = TABLE;
  const model = modelOf(TABLE);
  const result = await runThrottle({ stack, tableName, model, seconds, items: THROTTLED_ITEMS, seed });
  print(formatThrottle(result, seconds));
  return result.left === 0 && result.status === 'SUCCEEDED' && result.wrong.length === 0;
}
