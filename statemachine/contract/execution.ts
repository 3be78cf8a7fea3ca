import type { ChildOutput, ChildStart } from './child.ts';
import type { CarriedSettings } from './inputs.ts';
import type { MachineName } from './machines.ts';
import type { PlanFailure, SweepReport, SweepTotals } from './report.ts';

export interface TableSweep {
  readonly settings: CarriedSettings;
  readonly targets: number;
  readonly oldestOverdueSeconds: number;
  readonly failure?: PlanFailure;
  readonly totals?: SweepTotals;
}

export interface SweepState {
  readonly sweeps: Readonly<Record<string, TableSweep>>;
  readonly results: readonly ChildOutput[];
  /** Whether PlanFurther failed permanently. RecordMetrics then adds up the results of the last round, and counts one more failed child. */
  readonly planFailed?: boolean;
}

export interface PlanSweepInput {
  readonly machine: MachineName;
  readonly tables: readonly CarriedSettings[];
  readonly executionInput: unknown;
  readonly startedAt: string;
  readonly soFar: SweepState | null;
}

export interface PlanSweepOutput extends Pick<SweepState, 'sweeps' | 'results'> {
  readonly next: 'sweep' | 'record' | 'end';
  /** A tick's children, in groups of at most {@link GROUP_CHILDREN}. Empty for a replay: its children are in the outer `due`. */
  readonly groups: readonly { readonly due: readonly ChildStart[] }[];
  readonly due: readonly ChildStart[];
}

export interface RecordMetricsInput {
  readonly machine: MachineName;
  readonly executionInput: unknown;
  readonly execution: string;
  readonly soFar: SweepState;
  readonly startedAt: string;
  readonly endedAt: string;
}

export interface RecordMetricsOutput {
  readonly complete: boolean;
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** Number of tables whose reports are only in the journal: the reports in `tables` have together at most {@link CAUSE_BYTES}. */
  readonly moreTables?: number;
}
