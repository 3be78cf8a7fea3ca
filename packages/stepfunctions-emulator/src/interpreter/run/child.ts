import type { Json } from '../json.ts';
import type { Payload, WorkflowType } from '../limits.ts';
import type { StateGraph } from '../load/states.ts';

/** The state machine that an execution runs. */
export interface MachineIdentity {
  readonly arn: string;
  readonly name: string;
  readonly roleArn: string;
  readonly type: WorkflowType;
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** Settings of a distributed Map for one of its children. */
export interface ChildSpec {
  readonly machine: MachineIdentity;
  readonly graph: StateGraph;
  readonly name: string;
  readonly input: Payload;
  readonly mapRunArn: string;
}

/** A child execution as its Map sees it. */
export interface ChildExecution {
  readonly arn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly input: Json;
  readonly output: Json | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  readonly startDate: number;
  readonly stopDate: number | undefined;
  readonly done: Promise<unknown>;
  stop(error?: string, cause?: string): void;
}
