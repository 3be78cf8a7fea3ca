/** The results of an execution. */

import type { Counts } from '../counts.ts';
import type { Millis } from '../times.ts';
import type { DeletionLag } from './chunks.ts';
import type { ReplayInput } from './inputs.ts';
import type { ListedFailure, ShownKey } from './keys.ts';

/** Why a table is not swept. */
export interface PlanFailure {
  /** Name of the error. */
  readonly error: string;
  readonly message: string;
}

/** The sums of an execution for one table. The execution stops, and is incomplete, when `steps` reaches {@link MAX_STEPS}. */
export interface SweepTotals extends Counts, DeletionLag {
  readonly dryRun: boolean;
  readonly failedKeys: readonly ListedFailure[];
  /** In a dry run: some of the keys that a sweep would delete; otherwise empty. */
  readonly sampleKeys: readonly ShownKey[];
}

/**
 * The result of an execution for one table. For a replay it is the output, or the cause of the failure as JSON; a tick has one for each
 * table.
 */
export interface SweepReport extends Omit<SweepTotals, keyof DeletionLag> {
  /** Null when nothing was deleted; missing when nothing was due, and when no metrics were recorded. */
  readonly lagMs?: LagSummary | null;
  /** Name of the error due to which no metrics were recorded. */
  readonly notRecorded?: string;
  /** Why the table could not be probed. */
  readonly failure?: PlanFailure;
}

/** Summary of the deleted items' lag; p50 and p99 are the upper bounds of their buckets. */
export interface LagSummary {
  readonly p50: Millis;
  readonly p99: Millis;
  readonly max: Millis;
}

/** An execution of the replay machine that a tick starts. */
export interface HandOver {
  /** Name of the execution. */
  readonly name: string;
  readonly input: ReplayInput;
}

export interface RecordMetricsOutput {
  /** Whether all found items are done or handed over. */
  readonly complete: boolean;
  /** Reports by table; a tick has only those of tables in which something was swept or failed. */
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** In a tick: number of further tables, for which {@link CAUSE_BYTES} has no room. */
  readonly moreTables?: number;
  /** In a tick: the spans that are handed over to the replay machine. */
  readonly handOvers: readonly HandOver[];
}
