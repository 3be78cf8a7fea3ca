import type { HistoryEvent as AnyEvent } from '../interpreter/index.ts';

interface NotTruncated {
  readonly truncated: boolean;
}
interface Failure {
  readonly error?: string;
  readonly cause?: string;
}
interface Entered {
  readonly name: string;
  /** JSON text. */
  readonly input: string;
  readonly inputDetails: NotTruncated;
}
interface Exited {
  readonly name: string;
  /** JSON text. */
  readonly output: string;
  readonly outputDetails: NotTruncated;
  /** JSON text by variable. */
  readonly assignedVariables?: Readonly<Record<string, string>>;
}
interface Iteration {
  readonly name: string;
  readonly index: number;
}
interface TaskAbout {
  readonly resourceType: string;
  readonly resource: string;
}
interface Output {
  readonly output: string;
  readonly outputDetails: NotTruncated;
}

type StateType = 'Choice' | 'Fail' | 'Map' | 'Parallel' | 'Pass' | 'Succeed' | 'Task' | 'Wait';

/** The details of each event type, as in GetExecutionHistory; undefined when it has none. */
type Details = { [type in `${StateType}StateEntered`]: { readonly stateEnteredEventDetails: Entered } } & {
  [type in `${Exclude<StateType, 'Fail'>}StateExited`]: { readonly stateExitedEventDetails: Exited };
} & {
  ExecutionStarted: {
    readonly executionStartedEventDetails: {
      readonly input: string;
      readonly inputDetails: NotTruncated;
      readonly roleArn: string;
    };
  };
  ExecutionSucceeded: { readonly executionSucceededEventDetails: Output };
  ExecutionFailed: { readonly executionFailedEventDetails: Failure };
  ExecutionTimedOut: { readonly executionTimedOutEventDetails: Failure };
  ExecutionAborted: { readonly executionAbortedEventDetails: Failure };
  ExecutionRedriven: { readonly executionRedrivenEventDetails: { readonly redriveCount: number } };
  LambdaFunctionScheduled: {
    readonly lambdaFunctionScheduledEventDetails: {
      readonly resource: string;
      readonly input: string;
      readonly inputDetails: NotTruncated;
      readonly timeoutInSeconds?: number;
    };
  };
  LambdaFunctionStarted: object;
  LambdaFunctionSucceeded: { readonly lambdaFunctionSucceededEventDetails: Output };
  LambdaFunctionFailed: { readonly lambdaFunctionFailedEventDetails: Failure };
  LambdaFunctionTimedOut: { readonly lambdaFunctionTimedOutEventDetails: Failure };
  ActivityScheduled: {
    readonly activityScheduledEventDetails: {
      readonly resource: string;
      readonly input: string;
      readonly inputDetails: NotTruncated;
      readonly timeoutInSeconds?: number;
      readonly heartbeatInSeconds?: number;
    };
  };
  ActivityStarted: { readonly activityStartedEventDetails: object };
  ActivitySucceeded: { readonly activitySucceededEventDetails: Output };
  ActivityFailed: { readonly activityFailedEventDetails: Failure };
  ActivityTimedOut: { readonly activityTimedOutEventDetails: Failure };
  TaskScheduled: {
    readonly taskScheduledEventDetails: TaskAbout & {
      readonly region: string;
      readonly parameters: string;
      readonly timeoutInSeconds?: number;
      readonly heartbeatInSeconds?: number;
    };
  };
  TaskStarted: { readonly taskStartedEventDetails: TaskAbout };
  TaskSucceeded: { readonly taskSucceededEventDetails: TaskAbout & Output };
  TaskFailed: { readonly taskFailedEventDetails: TaskAbout & Failure };
  TaskTimedOut: { readonly taskTimedOutEventDetails: TaskAbout & Failure };
  TaskStateAborted: object;
  WaitStateAborted: object;
  ParallelStateStarted: object;
  ParallelStateSucceeded: object;
  ParallelStateAborted: object;
  ParallelStateFailed: object;
  MapStateStarted: { readonly mapStateStartedEventDetails: { readonly length: number } };
  MapStateSucceeded: object;
  MapStateAborted: object;
  MapStateFailed: object;
  MapIterationStarted: { readonly mapIterationStartedEventDetails: Iteration };
  MapIterationSucceeded: { readonly mapIterationSucceededEventDetails: Iteration };
  MapIterationFailed: { readonly mapIterationFailedEventDetails: Iteration };
  MapIterationAborted: { readonly mapIterationAbortedEventDetails: Iteration };
  MapRunStarted: { readonly mapRunStartedEventDetails: { readonly mapRunArn: string } };
  MapRunSucceeded: object;
  MapRunFailed: { readonly mapRunFailedEventDetails: Failure };
  MapRunAborted: object;
  MapRunRedriven: {
    readonly mapRunRedrivenEventDetails: { readonly mapRunArn: string; readonly redriveCount: number };
  };
  EvaluationFailed: {
    readonly evaluationFailedEventDetails: Failure & { readonly location?: string; readonly state: string };
  };
};

/** The event types that the emulator records. */
export type EventType = keyof Details;

/** One event of this type, as in GetExecutionHistory, with its timestamp in epoch milliseconds. */
export type EventOf<Type extends EventType> = Pick<AnyEvent, 'id' | 'previousEventId' | 'timestamp'> & {
  readonly type: Type;
} & Details[Type];

/** One event of a history. Comparing its `type` narrows the type of its details. */
export type HistoryEvent = { [Type in EventType]: EventOf<Type> }[EventType];
