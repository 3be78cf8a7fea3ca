/** An execution: PlanSweep decides, SweepShards runs the children, RecordMetrics adds up and reports. */

import type { Seconds } from '../times.ts';
import type { ChildOutput, ChildStart } from './child.ts';
import type { CarriedSettings } from './inputs.ts';
import type { MachineName } from './machines.ts';
import type { PlanFailure, SweepReport, SweepTotals } from './report.ts';

/** Where a plan that did not fit into one round goes on. */
export interface PlanCursor {
  /** Start of the window. */
  readonly window: Seconds;
  readonly shard: number;
}

/** The progress of PlanSweep from call to call. */
export interface SweepProgress {
  /** The sums of all rounds but the one under way. */
  readonly totals: SweepTotals;
  /** Targets of the round under way. */
  readonly roundTargets: number;
  readonly cursor: PlanCursor | null;
}

/** Times of expiry, [from, to), that another execution is to sweep; epoch seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** So fast at the most. @default as its table's limit says */
  readonly maxDeletesPerSecond?: number;
}

/** The sweep of one table in an execution. */
export interface TableSweep {
  /** A table without a target in the execution has only the settings that its record needs. */
  readonly settings: CarriedSettings;
  /** In a replay. */
  readonly progress?: SweepProgress;
  /** In a tick. */
  readonly planned?: TickPlan;
}

/** A tick's plan for a table, made before it sweeps it. */
export interface TickPlan {
  /** Targets of the table in this execution. */
  readonly targets: number;
  readonly oldestOverdueSeconds: number;
  /** The span for which the plan had no room. */
  readonly leftOver?: Span;
  /** The table could not be asked what is due. Nothing of it is swept in this execution. */
  readonly failure?: PlanFailure;
  /** It may not delete as fast as it can: what it leaves is left to the next tick. */
  readonly limited?: boolean;
  /** It is time for a scan of its index. */
  readonly scanDue?: boolean;
}

/** One table's part of what the states hand on. */
export interface TableRound extends Omit<SweepState, 'sweeps' | 'failedParts'> {
  readonly progress: SweepProgress;
}

/** The next round for one table of a replay. */
export interface RoundPlan extends Omit<PlanSweepOutput, 'due' | 'parts' | 'sweeps'> {
  readonly due: readonly Omit<ChildStart, 'table'>[];
  readonly progress: SweepProgress;
  readonly report: SweepReport;
}

/** By the names of the tables. */
export type TableSweeps = Readonly<Record<string, TableSweep>>;

/** Targets that a further execution of the tick sweeps; also its input. */
export interface TickPart {
  readonly due: readonly ChildStart[];
  readonly sweeps: TableSweeps;
}

/** A part with the time that the tick waits before it starts it. */
export interface LaterPart extends TickPart {
  /** Whole, 0 to {@link MAX_AFTER_SECONDS}; it stands in the part's input, which nothing there reads. */
  readonly afterSeconds: Seconds;
}

/** The state that an execution hands on from step to step. */
export interface SweepState {
  readonly sweeps: TableSweeps;
  /** The results of the round that has just ended; empty when nothing is known of that round. */
  readonly results: readonly ChildOutput[];
  /** The RetryCount of that round's plan. */
  readonly retries: number;
  /** In a tick: the parts that could not be started. Their targets are not swept. */
  readonly failedParts?: readonly Pick<TickPart, 'sweeps'>[];
  /** PlanFurther failed for good, and what was left to plan is not swept. */
  readonly planFailed?: boolean;
  /** RecordMetrics failed for good, an error's name. */
  readonly recordingFailed?: string;
}

export interface PlanSweepInput {
  readonly machine: MachineName;
  /** All that the deployment sweeps. */
  readonly tables: readonly CarriedSettings[];
  readonly executionInput: unknown;
  /** Name of the execution. */
  readonly execution: string;
  /** When the execution started, ISO-8601: what is alive then is out of reach of a cutoff frozen by the plan. */
  readonly startedAt: string;
  /** Null at first. */
  readonly soFar: SweepState | null;
}

export interface PlanSweepOutput {
  readonly next: 'sweep' | 'plan' | 'record' | 'recordFailure' | 'end';
  /**
   * The inputs of the children, one for each target that holds an item that is expired or will be within the upcoming minute. They have no
   * keys.
   */
  readonly due: readonly ChildStart[];
  /** In a tick: what is due beyond {@link TICK_TARGETS}, and what lies back when there is an upcoming minute. */
  readonly parts: readonly LaterPart[];
  /** Once all these children are complete there is nothing more to plan, and everything was deleted. */
  readonly last: boolean;
  readonly results: readonly [];
  readonly sweeps: TableSweeps;
  /** In a replay: of what has been swept so far. */
  readonly report: SweepReport | null;
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
