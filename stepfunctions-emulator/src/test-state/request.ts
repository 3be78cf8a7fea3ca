import type { Json, JsonObject } from '../interpreter/json.ts';

/** How much of what happened inside the state the answer shows. */
export type InspectionLevel = 'INFO' | 'DEBUG' | 'TRACE';
/** How strictly a mocked result is held against the API that it stands for. */
export type FieldValidationMode = 'STRICT' | 'PRESENT' | 'NONE';

/** Takes the place of the call of a Task, the branches of a Parallel or the iterations of a Map. */
export interface TestStateMock {
  /** The state's raw result: of `lambda:invoke` the whole answer, of a Map or a Parallel the array of outputs. */
  readonly result?: Json;
  readonly errorOutput?: { readonly error: string; readonly cause?: string | undefined };
  /** @default STRICT */
  readonly fieldValidationMode?: FieldValidationMode;
}

/** The situation that the state is tested in. */
export interface TestStateConfiguration {
  /** Retries that the retrier which takes the error has used up. @default 0 */
  readonly retrierRetryCount?: number;
  /** The state inside a Map or a Parallel that the mocked error comes from. */
  readonly errorCausedByState?: string;
  /** Iterations of a distributed Map that failed: more than the Map tolerates fail it. @default 0 */
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
  /** `$states.context`. Only together with a mock. @default one like that of a synchronous Express execution */
  readonly context?: Json;
  readonly stateConfiguration?: TestStateConfiguration;
  /** Needed for a Task without a mock. Nothing is done with it. */
  readonly roleArn?: string;
  /** HTTP Tasks have secrets, and nothing else; they are not implemented. Not together with a mock. */
  readonly revealSecrets?: boolean;
}

/** Which Retry or Catch took an error; positions from 0. */
export interface TestStateErrorDetails {
  readonly retryIndex?: number;
  /** Whole seconds until the next attempt, before jitter. */
  readonly retryBackoffIntervalSeconds?: number;
  readonly catchIndex?: number;
}

/** The data inside the state, as far as the state has them. The fields of JSONPath are never there. */
export interface InspectionData {
  input: Json;
  /** The input of a Task's function or of the branches of a Parallel. */
  afterArguments?: Json;
  /** The raw result of a Task. */
  result?: Json;
  /** The variables that were given and those that the state assigned, when there are any. */
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
  /** Not there at the end of the state machine, nor when the state fails. */
  readonly nextState?: string;
  /** Not at the level INFO. */
  readonly inspectionData?: InspectionData;
}
