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
  /** The first texts and numbers of the execution's input; may be empty. */
  readonly summary?: string;
}

export interface ExecutionList {
  /** Version that changes whenever an execution starts or ends, or a state machine is deleted. */
  readonly version: number;
  /** Absent when the page already has this version. */
  readonly executions?: readonly PageExecution[];
}

export interface ExecutionDescription extends PageExecution {
  readonly machine: string;
  readonly machineArn: string;
  readonly type: WorkflowType;
  /** JSON text of the definition with which the execution started. */
  readonly definition: string;
  /** JSON text. */
  readonly input: string;
  /** JSON text. */
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
  /** ARN of the execution whose Map Run started this child execution. */
  readonly parentArn?: string | undefined;
  /** Whether the execution's events were removed to make room for later executions. */
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

/** Events of an execution, from the first event that the page does not have. */
export interface HistoryPage {
  readonly events: readonly PageEvent[];
  readonly more: boolean;
  /** Current time on the execution's clock. */
  readonly now: number;
  readonly execution: PageExecution;
}
