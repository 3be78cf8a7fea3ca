/** The results of an execution. */

import type { Counts } from '../counts.ts';
import type { Millis } from '../times.ts';
import type { DeletionLag } from './chunks.ts';
import type { ReplayInput, ScanInput } from './inputs.ts';
import type { ListedFailure, ShownKey } from './keys.ts';
import type { NamedEntry } from './targets.ts';

/** Why a table is not swept. */
export interface PlanFailure {
  /** The error's name. */
  readonly error: string;
  readonly message: string;
}

/** The sums of an execution. At {@link MAX_STEPS} `steps` it stops, and is incomplete. */
export interface SweepTotals extends Counts, DeletionLag {
  readonly dryRun: boolean;
  readonly failedKeys: readonly ListedFailure[];
  /** In a dry run: some of what a sweep would delete; empty else. */
  readonly sampleKeys: readonly ShownKey[];
  /** By a scan of the index: some of what is remarkable. */
  readonly named?: readonly NamedEntry[];
}

/** The outcome of an execution: its output, or the cause of its failure as JSON. */
export interface SweepReport extends Omit<SweepTotals, keyof DeletionLag> {
  /** Null when nothing was deleted; absent when nothing was due, and when no metrics were recorded. */
  readonly lagMs?: LagSummary | null;
  /** Why no metrics were recorded, an error's name. */
  readonly notRecorded?: string;
  /** Why the table could not be asked what is due. */
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
  readonly input: ReplayInput | ScanInput;
}

export interface RecordMetricsOutput {
  /** Everything that was found is dealt with or handed over. */
  readonly complete: boolean;
  /** By table; of a tick only those in which something was swept or failed. */
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** In a tick: so many more, for which {@link CAUSE_BYTES} has no room. */
  readonly moreTables?: number;
  /** In a tick: what is left to the replay machine. */
  readonly handOvers: readonly HandOver[];
}
