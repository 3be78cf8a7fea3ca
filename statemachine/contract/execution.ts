/** An execution: PlanSweep decides, SweepShards runs the children, RecordMetrics adds up and reports. */

import type { Seconds } from '../times.ts';
import type { ChildOutput, ChildStart } from './child.ts';
import type { CarriedSettings } from './inputs.ts';
import type { MachineName } from './machines.ts';
import type { PlanFailure, SweepReport, SweepTotals } from './report.ts';

/** The position at which a plan continues that did not fit into one round. */
export interface PlanCursor {
  /** Start of the window. */
  readonly window: Seconds;
  readonly shard: number;
}

/** The progress that PlanSweep passes from call to call. */
export interface SweepProgress {
  /** The sums of all rounds except the current one. */
  readonly totals: SweepTotals;
  /** Number of targets of the current round. */
  readonly roundTargets: number;
  readonly cursor: PlanCursor | null;
}

/** Expiry times, [from, to), that another execution is to sweep; epoch seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Most deletes per second. @default the limit of its table */
  readonly maxDeletesPerSecond?: number;
}

/** The sweep of one table in an execution. */
export interface TableSweep {
  /** The table's settings. A table without a target in the execution has only those that its record needs. */
  readonly settings: CarriedSettings;
  /** Set in a replay. */
  readonly progress?: SweepProgress;
  /** Set in a tick. */
  readonly planned?: TickPlan;
}

/** A tick's plan for a table, made before the sweep. */
export interface TickPlan {
  /** Number of targets of the table in this execution. */
  readonly targets: number;
  readonly oldestOverdueSeconds: number;
  /** The span that the tick hands over: the plan had no room for it, or no tick has looked there. */
  readonly leftOver?: Span;
  /** Set if the table could not be probed. This execution does not sweep it. */
  readonly failure?: PlanFailure;
  /** Whether the table has a limit: items that it leaves are left to the next tick. */
  readonly limited?: boolean;
}

/** One table's part of the values that the states pass on. */
export interface TableRound extends Omit<SweepState, 'sweeps' | 'failedParts'> {
  readonly progress: SweepProgress;
}

/** The next round for one table of a replay. */
export interface RoundPlan extends Omit<PlanSweepOutput, 'due' | 'parts' | 'sweeps'> {
  readonly due: readonly Omit<ChildStart, 'table'>[];
  readonly progress: SweepProgress;
  readonly report: SweepReport;
}

/** The sweeps of an execution by table name. */
export type TableSweeps = Readonly<Record<string, TableSweep>>;

/** Targets that a further execution of the tick sweeps; also its input. */
export interface TickPart {
  readonly due: readonly ChildStart[];
  readonly sweeps: TableSweeps;
}

/** A part, and how long the tick waits before it starts the part. */
export interface LaterPart extends TickPart {
  /** Whole seconds, 0 to {@link MAX_AFTER_SECONDS}; the part gets it in its input, but does not read it. */
  readonly afterSeconds: Seconds;
}

/** The values that the states of an execution pass on. */
export interface SweepState {
  readonly sweeps: TableSweeps;
  /** The results of the round that has just ended; empty when none are known. */
  readonly results: readonly ChildOutput[];
  /** RetryCount of that round's plan. */
  readonly retries: number;
  /** In a tick: the parts that could not be started. Their targets are not swept. */
  readonly failedParts?: readonly Pick<TickPart, 'sweeps'>[];
  /** Whether PlanFurther failed permanently; the targets that were not planned yet are not swept. */
  readonly planFailed?: boolean;
  /** Name of the error with which RecordMetrics failed permanently. */
  readonly recordingFailed?: string;
}

export interface PlanSweepInput {
  readonly machine: MachineName;
  /** The settings of all tables of the deployment. */
  readonly tables: readonly CarriedSettings[];
  readonly executionInput: unknown;
  /** Name of the execution. */
  readonly execution: string;
  /** When the execution started, ISO-8601: the plan's cutoff is never later, so items that expire after it are safe. */
  readonly startedAt: string;
  /** Null in the first call. */
  readonly soFar: SweepState | null;
}

export interface PlanSweepOutput {
  readonly next: 'sweep' | 'plan' | 'record' | 'recordFailure' | 'end';
  /**
   * The inputs of the children, one for each target that holds an item that is expired or will be within the upcoming minute. They contain
   * no keys.
   */
  readonly due: readonly ChildStart[];
  /**
   * In a tick: the further executions to start, for targets beyond {@link TICK_TARGETS}, and for older windows (the lookback) when there is
   * an upcoming minute.
   */
  readonly parts: readonly LaterPart[];
  /** Whether this is the last round: if all its children are complete, everything was deleted. */
  readonly last: boolean;
  readonly results: readonly [];
  readonly sweeps: TableSweeps;
  /** In a replay: the report of the sweep so far. */
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
