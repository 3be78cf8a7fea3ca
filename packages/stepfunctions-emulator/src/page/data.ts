// Data that the browser page requests from the server. Times are epoch milliseconds. This file imports no server module, because the page
// is compiled without Node's types.

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
  /** The first two texts or numbers of the execution's input, for the list of executions; may be empty. */
  readonly summary?: string;
}

export interface ExecutionList {
  /** Changes whenever an execution starts or ends, or a state machine is deleted: the page then needs a new list. */
  readonly version: number;
  /** Absent when the page's request names this version, because the page already has the list. */
  readonly executions?: readonly PageExecution[];
}

export interface ExecutionDescription extends PageExecution {
  readonly machine: string;
  readonly machineArn: string;
  readonly type: WorkflowType;
  /** JSON text of the definition with which the execution started. `input` and `output` are JSON texts, too. */
  readonly definition: string;
  readonly input: string;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
  /** ARN of the execution whose Map Run started this execution; undefined if no Map Run started it. */
  readonly parentArn?: string | undefined;
  /** Whether the server has removed the execution's events, to save memory. */
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

/** Input, output and assigned variables of an event, as JSON texts. */
export interface EventData {
  readonly id: number;
  readonly input?: string;
  readonly output?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** The next events of an execution, after those that the browser already has. `more`: whether further events follow. */
export interface HistoryPage {
  readonly events: readonly PageEvent[];
  readonly more: boolean;
  /** Current time by the server's clock, with which the browser shows how long an execution has been running. */
  readonly now: number;
  readonly execution: PageExecution;
}
