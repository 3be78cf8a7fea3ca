import type { AslExpression } from './jsonata/expression.ts';
import type { Template } from './jsonata/template.ts';

/** STANDARD or EXPRESS, as CreateStateMachine calls them. */
export type WorkflowType = 'STANDARD' | 'EXPRESS';

/** States that run one after another: a whole definition, a branch, or the item processor of a Map. */
export interface StateGraph {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
}

/** A checked definition with compiled expressions. It is stateless: any number of executions share it. */
export interface Definition extends StateGraph {
  /** Length of its JSON text in UTF-8. */
  readonly bytes: number;
  readonly comment: string | undefined;
  /** Seconds after which an execution times out. */
  readonly timeoutSeconds: number | undefined;
  /** Whether it contains a distributed Map at any depth, which an Express state machine cannot have. */
  readonly hasDistributedMap: boolean;
}

/** A constant, or an expression that is evaluated on entry to the state. */
export type Field<T> =
  | { readonly literal: T }
  | { readonly expression: AslExpression; readonly field: string };

/** Variable name → its new value. */
export type Assign = ReadonlyArray<readonly [string, Template]>;

interface StateBase {
  readonly name: string;
}

interface Produces {
  readonly output: Template | undefined;
  readonly assign: Assign | undefined;
}

interface Continues {
  /** Undefined when the graph ends here. */
  readonly next: string | undefined;
}

export interface Retrier {
  readonly errorEquals: readonly string[];
  readonly intervalSeconds: number;
  readonly maxAttempts: number;
  readonly backoffRate: number;
  readonly maxDelaySeconds: number | undefined;
  readonly jitter: 'FULL' | 'NONE';
}

export interface Catcher extends Produces {
  readonly errorEquals: readonly string[];
  readonly next: string;
}

interface Handles {
  readonly retry: readonly Retrier[];
  readonly catch: readonly Catcher[];
}

/**
 * The resource that a Task calls: a function by its ARN, `lambda:invoke` with the function in its arguments, an action of another service,
 * such as `putItem` of `dynamodb`, or an activity.
 */
export type TaskResource =
  | { readonly kind: 'function' | 'lambda:invoke' | 'activity'; readonly arn: string }
  | { readonly kind: 'service'; readonly arn: string; readonly service: string; readonly action: string };

export interface TaskState extends StateBase, Produces, Continues, Handles {
  readonly type: 'Task';
  readonly resource: TaskResource;
  readonly arguments: Template | undefined;
  readonly timeoutSeconds: Field<number> | undefined;
  readonly heartbeatSeconds: Field<number> | undefined;
}

export interface PassState extends StateBase, Produces, Continues {
  readonly type: 'Pass';
}

export interface ChoiceRule extends Produces {
  readonly condition: Field<boolean>;
  readonly next: string;
}

export interface ChoiceState extends StateBase, Produces {
  readonly type: 'Choice';
  readonly choices: readonly ChoiceRule[];
  readonly defaultNext: string | undefined;
}

export interface WaitState extends StateBase, Produces, Continues {
  readonly type: 'Wait';
  readonly until: { readonly seconds: Field<number> } | { readonly timestamp: Field<string> };
}

export interface SucceedState extends StateBase {
  readonly type: 'Succeed';
  readonly output: Template | undefined;
}

export interface FailState extends StateBase {
  readonly type: 'Fail';
  readonly error: Field<string> | undefined;
  readonly cause: Field<string> | undefined;
}

export interface ParallelState extends StateBase, Produces, Continues, Handles {
  readonly type: 'Parallel';
  readonly arguments: Template | undefined;
  readonly branches: readonly StateGraph[];
}

export interface ItemBatcher {
  readonly maxItemsPerBatch: Field<number> | undefined;
  readonly maxInputBytesPerBatch: Field<number> | undefined;
  readonly batchInput: Template | undefined;
}

export type MapMode =
  | { readonly kind: 'INLINE' }
  | {
      readonly kind: 'DISTRIBUTED';
      readonly executionType: WorkflowType;
      /** Name of the child state machine: the Label, or a name derived from the state's name. */
      readonly label: string;
      readonly batcher: ItemBatcher | undefined;
    };

export interface MapState extends StateBase, Produces, Continues, Handles {
  readonly type: 'Map';
  readonly items: Template | undefined;
  readonly itemSelector: Template | undefined;
  readonly processor: StateGraph;
  readonly mode: MapMode;
  readonly maxConcurrency: Field<number> | undefined;
  readonly toleratedFailureCount: Field<number> | undefined;
  readonly toleratedFailurePercentage: Field<number> | undefined;
}

export type State =
  | TaskState
  | PassState
  | ChoiceState
  | WaitState
  | SucceedState
  | FailState
  | ParallelState
  | MapState;
