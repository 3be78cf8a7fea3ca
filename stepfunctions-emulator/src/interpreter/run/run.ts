import type { Clock } from '../../clock.ts';
import type { Billing } from '../billing.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Limits } from '../limits.ts';
import type { MapRun } from '../map/map-run.ts';
import type { RandomSource } from '../random.ts';
import type { FunctionInvoker } from '../task/invoker.ts';
import type { ChildExecution, ChildSpec, MachineIdentity } from './child.ts';
import type { History } from './history.ts';
import type { Pace } from './pace.ts';

/** A state is about to be tried again. */
export interface RetryNotice {
  readonly executionArn: string;
  readonly state: string;
  /** 1 for the first retry of this visit of the state. */
  readonly retry: number;
  /** Milliseconds until then. */
  readonly delayMs: number;
  readonly error: string | undefined;
  readonly cause: string | undefined;
}

/** A state was cut off: its execution ended, or a branch or an iteration beside it failed. */
export interface CutOffNotice {
  readonly executionArn: string;
  readonly state: string;
  /** Id of the event of its entry. */
  readonly enteredEventId: number;
}

/** The parts that all executions of an engine share. */
export interface EngineContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly invoker: FunctionInvoker;
  readonly resources: FunctionInvoker | undefined;
  readonly limits: Limits;
  /** Milliseconds around the children of a Map Run. On AWS others measured about 7 s for 100 children. */
  readonly mapRunDelays: { readonly beforeChildrenMs: number; readonly afterChildrenMs: number };
  readonly onRetry: ((retry: RetryNotice) => void) | undefined;
  readonly onCutOff: ((cutOff: CutOffNotice) => void) | undefined;
  readonly pace: Pace;
  /** The bill of all of them. */
  readonly billing: Billing;
  newId(): string;
}

/** The parts that the states of one execution share. */
export interface Run {
  readonly engine: EngineContext;
  readonly machine: MachineIdentity;
  readonly arn: string;
  /** The Map Run that started the execution, if one did. */
  readonly mapRunArn?: string | undefined;
  readonly name: string;
  readonly startDate: number;
  readonly input: Json;
  readonly history: History;
  readonly billing: Billing;
  readonly mapRuns: MapRun[];
  /** Whether whoever started the execution waits for its end, as StartSyncExecution does. */
  readonly synchronous: boolean;
  readonly redriveCount: number;
  /** Epoch milliseconds of the last redrive. */
  readonly redriveDate: number | undefined;
  /** Replaces `$states.context`, except for the item of an iteration, which is added. @default made from the execution */
  readonly context?: JsonObject;
  /** Ends the execution, because these states loop without time passing. */
  endLoop(states: readonly string[]): void;
  startChild(spec: ChildSpec): ChildExecution;
}
