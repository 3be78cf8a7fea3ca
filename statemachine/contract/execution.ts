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
  /** PlanFurther failed permanently: the results of the last round are not added up yet. */
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
  /** A tick has all its children here; the children of a group run at once. A replay has the children of its next round in `due`. */
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
  /** Number of tables whose reports have no room in {@link CAUSE_BYTES}. The journal has their reports. */
  readonly moreTables?: number;
}
