// What the page asks the server for, and what a written report holds. All times are epoch milliseconds.
// The page is compiled with the names that browsers have: nothing is imported here.

type WorkflowType = 'STANDARD' | 'EXPRESS';
type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** A state machine in the list. */
export interface PageMachine {
  readonly arn: string;
  readonly name: string;
  readonly type: WorkflowType;
  /** Executions that run now. */
  readonly running: number;
}

/** An execution in the list. */
export interface PageExecution {
  readonly arn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly startDate: number;
  readonly stopDate?: number | undefined;
}

/** The executions of a state machine, the last started first. */
export interface ExecutionList {
  /** It changes whenever an execution starts or ends. */
  readonly version: number;
  /** Not there when the version is the one that the page has. */
  readonly executions?: readonly PageExecution[];
}

/** All that is said of an execution but its events. */
export interface ExecutionDescription extends PageExecution {
  readonly machine: string;
  readonly machineArn: string;
  readonly type: WorkflowType;
  /** JSON text of the state machine as it was when the execution started. */
  readonly definition: string;
  /** JSON text. */
  readonly input: string;
  /** JSON text. */
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
  readonly redriveCount: number;
  /** The execution whose Map Run started this one. */
  readonly parentArn?: string | undefined;
  /** Whether its events were forgotten for those of later executions. */
  readonly forgotten: boolean;
}

/** An event without the data: what the graph and the waterfall are made of. */
export interface PageEvent {
  readonly id: number;
  readonly previousEventId: number;
  readonly timestamp: number;
  readonly type: string;
  /** Of the state that is entered, left, or whose iteration this is. */
  readonly name?: string;
  /** Of the iteration. */
  readonly index?: number;
  /** Items of a Map. */
  readonly length?: number;
  readonly error?: string;
  readonly cause?: string;
  /** Names of the variables that the state assigned. */
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

/** The events of an execution after one that the page has. */
export interface HistoryPage {
  readonly events: readonly PageEvent[];
  /** Whether there are more already. */
  readonly more: boolean;
  /** On the clock of the execution. */
  readonly now: number;
  readonly execution: PageExecution;
}

/** An execution in a written report. */
export interface ReportedExecution {
  readonly description: Omit<ExecutionDescription, 'definition'>;
  readonly events: readonly PageEvent[];
  readonly data: readonly EventData[];
  /** ARNs of the executions of each Map Run, by its ARN. */
  readonly mapRuns: Readonly<Record<string, readonly string[]>>;
}

/** The data in a written report: an execution, and those that its distributed Maps started. */
export interface Report {
  /** JSON text of the state machine. */
  readonly definition: string;
  readonly executions: readonly ReportedExecution[];
}
