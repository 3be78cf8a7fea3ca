// Data that the page requests from the server. All times are epoch milliseconds. The page is compiled with browser types, so nothing is
// imported here.

type WorkflowType = 'STANDARD' | 'EXPRESS';
type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface PageMachine {
  readonly arn: string;
  readonly name: string;
  readonly type: WorkflowType;
  readonly running: number;
}

export interface PageExecution {
  readonly arn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly startDate: number;
  readonly stopDate?: number | undefined;
  /** What its input says, in a few words; empty if it says nothing short. */
  readonly summary?: string;
}

export interface ExecutionList {
  /** Version that changes whenever an execution starts or ends. */
  readonly version: number;
  /** Absent when the page already has this version. */
  readonly executions?: readonly PageExecution[];
}

export interface ExecutionDescription extends PageExecution {
  readonly machine: string;
  readonly machineArn: string;
  readonly type: WorkflowType;
  /** JSON text of the state machine when the execution started. */
  readonly definition: string;
  /** JSON text. */
  readonly input: string;
  /** JSON text. */
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
  /** The execution whose Map Run started this one. */
  readonly parentArn?: string | undefined;
  /** Whether its events were removed to make room for later executions. */
  readonly forgotten: boolean;
}

export interface PageEvent {
  readonly id: number;
  readonly previousEventId: number;
  readonly timestamp: number;
  readonly type: string;
  readonly name?: string;
  readonly index?: number;
  readonly length?: number;
  readonly error?: string;
  readonly cause?: string;
  readonly variables?: readonly string[];
  readonly mapRunArn?: string;
}

/** The data of an event: JSON texts. */
export interface EventData {
  readonly id: number;
  readonly input?: string;
  readonly output?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** The events of an execution after the last one that the page has. */
export interface HistoryPage {
  readonly events: readonly PageEvent[];
  readonly more: boolean;
  /** Current time on the execution's clock. */
  readonly now: number;
  readonly execution: PageExecution;
}
