/** An execution: PlanSweep decides, SweepShards runs the children, RecordMetrics adds up and reports. */

import type { ChildOutput, ChildStart } from './child.ts';
import type { CarriedSettings } from './inputs.ts';
import type { MachineName } from './machines.ts';
import type { PlanFailure, SweepReport, SweepTotals } from './report.ts';

/** The sweep of one table in an execution. */
export interface TableSweep {
  /** The table's settings. A table without a target has only those that its record needs. */
  readonly settings: CarriedSettings;
  /** Number of children of the current round. */
  readonly targets: number;
  readonly oldestOverdueSeconds: number;
  /** Set if the table could not be probed, or if there was no room for its children. */
  readonly failure?: PlanFailure;
  /** In a replay: the sums of all rounds except the current one. */
  readonly totals?: SweepTotals;
}

/** The values that the states of an execution pass on. */
export interface SweepState {
  /** By table name. */
  readonly sweeps: Readonly<Record<string, TableSweep>>;
  /** The results of the round that has just ended; empty when none are known. */
  readonly results: readonly ChildOutput[];
  /** Whether PlanFurther failed permanently: the results of the last round are not added up yet. */
  readonly planFailed?: boolean;
}

export interface PlanSweepInput {
  readonly machine: MachineName;
  /** The settings of all tables of the deployment. */
  readonly tables: readonly CarriedSettings[];
  readonly executionInput: unknown;
  /** When the execution started, ISO-8601: no cutoff is later, so items that expire after it are safe. */
  readonly startedAt: string;
  /** Null in the first call. */
  readonly soFar: SweepState | null;
}

export interface PlanSweepOutput extends Pick<SweepState, 'sweeps' | 'results'> {
  readonly next: 'sweep' | 'record' | 'end';
  /** In a tick: all children, which contain no keys. Those of a group run at once: at most 40, the concurrency of an inline Map. */
  readonly groups: readonly { readonly due: readonly ChildStart[] }[];
  /** In a replay: those of the next round. */
  readonly due: readonly ChildStart[];
}

export interface RecordMetricsInput {
  readonly machine: MachineName;
  readonly executionInput: unknown;
  /** Name of the execution. */
  readonly execution: string;
  readonly soFar: SweepState;
  readonly startedAt: string;
  readonly endedAt: string;
}

export interface RecordMetricsOutput {
  /** Whether no found item is left, except those that a later sweep finds. */
  readonly complete: boolean;
  /** Reports by table; a tick has only those of tables in which something was swept or failed. */
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** Number of further tables, for which {@link CAUSE_BYTES} has no room: the journal has their reports. */
  readonly moreTables?: number;
}
