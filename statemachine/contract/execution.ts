import type { ChildOutput, ChildStart } from './child.ts';
import type { CarriedSettings } from './inputs.ts';
import type { MachineName } from './machines.ts';
import type { PlanFailure, SweepReport, SweepTotals } from './report.ts';

export interface TableSweep {
  readonly settings: CarriedSettings;
  readonly targets: number;
  readonly oldestOverdueSeconds: number;
  /** Set if the table could not be probed, or if there was no room for its children. */
  readonly failure?: PlanFailure;
  readonly totals?: SweepTotals;
}

export interface SweepState {
  readonly sweeps: Readonly<Record<string, TableSweep>>;
  readonly results: readonly ChildOutput[];
  /** Whether PlanFurther failed permanently: the results of the last round are not added up yet. */
  readonly planFailed?: boolean;
}

export interface PlanSweepInput {
  readonly machine: MachineName;
  readonly tables: readonly CarriedSettings[];
  readonly executionInput: unknown;
  /** No cutoff is later than the start: items that expire after it are safe. */
  readonly startedAt: string;
  readonly soFar: SweepState | null;
}

export interface PlanSweepOutput extends Pick<SweepState, 'sweeps' | 'results'> {
  readonly next: 'sweep' | 'record' | 'end';
  /**
   * A tick has all its children here, without keys; the children of a group run at once. A replay has the children of its next round in
   * `due`.
   */
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
  /** Whether no found item is left, except those that a later sweep finds. */
  readonly complete: boolean;
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** Number of further tables, for which {@link CAUSE_BYTES} has no room: the journal has their reports. */
  readonly moreTables?: number;
}
