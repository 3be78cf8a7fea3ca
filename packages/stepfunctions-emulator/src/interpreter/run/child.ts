import type { Json } from '../json.ts';
import type { Payload, WorkflowType } from '../limits.ts';
import type { StateGraph } from '../load/states.ts';

export interface MachineIdentity {
  readonly arn: string;
  readonly name: string;
  readonly roleArn: string;
  readonly type: WorkflowType;
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface ChildSpec {
  readonly machine: MachineIdentity;
  readonly graph: StateGraph;
  readonly name: string;
  readonly input: Payload;
  readonly mapRunArn: string;
}

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
