import type { Json, JsonObject } from '../interpreter/json.ts';

/** Level of detail about the state's processing in the answer. */
export type InspectionLevel = 'INFO' | 'DEBUG' | 'TRACE';
/** Strictness with which a mocked result is compared with its API. */
export type FieldValidationMode = 'STRICT' | 'PRESENT' | 'NONE';

/** Replaces the call of a Task, the branches of a Parallel or the iterations of a Map. */
export interface TestStateMock {
  /** The state's raw result: the whole answer for `lambda:invoke`, the array of outputs for a Map or a Parallel. */
  readonly result?: Json;
  readonly errorOutput?: { readonly error: string; readonly cause?: string | undefined };
  /** @default STRICT */
  readonly fieldValidationMode?: FieldValidationMode;
}

/** The situation in which the state is tested. */
export interface TestStateConfiguration {
  /** Number of retries that the matching retrier has used. @default 0 */
  readonly retrierRetryCount?: number;
  /** The state inside a Map or a Parallel that failed with the mocked error. */
  readonly errorCausedByState?: string;
  /** Number of failed iterations of a distributed Map: it fails when the Map does not tolerate them. @default 0 */
  readonly mapIterationFailureCount?: number;
  /** Refused: ItemReader is not implemented. */
  readonly mapItemReaderData?: string;
}

/** A request to TestState, with values instead of JSON texts. */
export interface TestStateRequest {
  /** One state, or a whole state machine together with `stateName`: an object, or its JSON text. */
  readonly definition: unknown;
  /** Names a state anywhere in the state machine, also inside a Map or a Parallel. */
  readonly stateName?: string;
  /** @default {} */
  readonly input?: Json;
  readonly variables?: JsonObject;
  /** @default INFO */
  readonly inspectionLevel?: InspectionLevel;
  readonly mock?: TestStateMock;
  /** Value of `$states.context`. Requires a mock. @default like that of a synchronous Express execution */
  readonly context?: Json;
  readonly stateConfiguration?: TestStateConfiguration;
  /** Required for a Task without a mock. It has no effect. */
  readonly roleArn?: string;
  /** Applies to the secrets of HTTP Tasks only, which are not implemented. Cannot be combined with a mock. */
  readonly revealSecrets?: boolean;
}

/** The Retry or Catch that handled an error; positions from 0. */
export interface TestStateErrorDetails {
  readonly retryIndex?: number;
  /** Whole seconds until the next attempt, before jitter. */
  readonly retryBackoffIntervalSeconds?: number;
  readonly catchIndex?: number;
}

/** Intermediate data of the state, if present. The fields of JSONPath never occur. */
export interface InspectionData {
  input: Json;
  /** The input of a Task's function or of the branches of a Parallel. */
  afterArguments?: Json;
  /** The raw result of a Task. */
  result?: Json;
  /** The given variables and those that the state assigned, when there are any. */
  variables?: JsonObject;
  errorDetails?: TestStateErrorDetails;
  /** The inputs of a Map's iterations, when it has an ItemSelector. */
  afterItemSelector?: Json;
  /** The inputs of a Map's children, when it has an ItemBatcher. */
  afterItemBatcher?: Json;
  toleratedFailureCount?: number;
  toleratedFailurePercentage?: number;
  maxConcurrency?: number;
}

export type TestStateStatus = 'SUCCEEDED' | 'FAILED' | 'RETRIABLE' | 'CAUGHT_ERROR';

/** The result of the state. */
export interface TestStateResult {
  readonly status: TestStateStatus;
  /** The output of a state that succeeded or whose error was caught. */
  readonly output?: Json;
  readonly error?: string;
  readonly cause?: string;
  /** Absent at the end of the state machine, and when the state fails. */
  readonly nextState?: string;
  /** Absent at the level INFO. */
  readonly inspectionData?: InspectionData;
}
