import type { Clock } from '../../clock.ts';
import type { Billing } from '../billing.ts';
import type { StateGraph, WorkflowType } from '../definition.ts';
import { Cancelled } from '../failure.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Limits } from '../limits.ts';
import type { MapRun } from '../map/map-run.ts';
import type { RandomSource } from '../random.ts';
import type { FunctionInvoker } from '../task/invoker.ts';
import type { Cancellation } from './cancellation.ts';
import type { EventDetails, History } from './history.ts';
import { Progress } from './progress.ts';
import type { VariableScope } from './variables.ts';

/** A value together with its JSON text, which histories and size limits need anyway. */
export interface Payload {
  readonly value: Json;
  readonly text: string;
}

export const payload = (value: Json): Payload => ({ value, text: JSON.stringify(value) });

/** A state is about to be tried again. */
export interface RetryNotice {
  readonly executionArn: string;
  readonly state: string;
  /** 1 for the first retry of this visit of the state. */
  readonly retry: number;
  /** Milliseconds until then. */
  readonly delayMs: number;
  readonly error: string | undefined;
  readonly cause: string | undefined;
}

/** What all executions of an engine share. */
export interface EngineContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly invoker: FunctionInvoker;
  readonly limits: Limits;
  /** Milliseconds around the children of a Map Run. On AWS others measured about 7 s for 100 children. */
  readonly mapRunDelays: { readonly beforeChildrenMs: number; readonly afterChildrenMs: number };
  /** How old a child of a Map Run seems to itself when it starts, milliseconds. */
  readonly childAgeMs: () => number;
  readonly onRetry: ((retry: RetryNotice) => void) | undefined;
  newId(): string;
}

/** The state machine that an execution runs. */
export interface MachineIdentity {
  readonly arn: string;
  readonly name: string;
  readonly roleArn: string;
  readonly type: WorkflowType;
}

/** What a distributed Map has to know to start one of its children. */
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
  /** Goes on where the execution ended; only of a Standard execution that did not succeed. */
  redrive(): Promise<unknown>;
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** What the states of one execution share. */
export interface Run {
  readonly engine: EngineContext;
  readonly machine: MachineIdentity;
  readonly arn: string;
  readonly name: string;
  readonly startDate: number;
  /** What `$states.context.Execution.StartTime` shows: the start, unless the engine makes children older. */
  readonly shownStartDate: number;
  readonly input: Json;
  readonly history: History;
  readonly billing: Billing;
  readonly mapRuns: MapRun[];
  readonly redriveCount: number;
  /** Epoch milliseconds of the last redrive. */
  readonly redriveDate: number | undefined;
  /** Stands for `$states.context`, except for the item of an iteration, which is added. @default made from the execution */
  readonly context?: JsonObject;
  startChild(spec: ChildSpec): ChildExecution;
}

/** The item of a Map iteration, as `$states.context.Map.Item` shows it. */
export interface MapItem {
  readonly index: number;
  readonly value: Json;
  readonly key?: string;
}

/** States that run one after the other: the execution itself, a branch, or an iteration. */
export class Line {
  readonly run: Run;
  readonly variables: VariableScope;
  readonly cancellation: Cancellation;
  readonly item: MapItem | undefined;
  readonly progress: Progress;
  /** The event that the next one of this line follows. */
  lastEventId: number;

  constructor(
    run: Run,
    variables: VariableScope,
    cancellation: Cancellation,
    lastEventId: number,
    item: MapItem | undefined,
    progress: Progress,
  ) {
    this.run = run;
    this.variables = variables;
    this.cancellation = cancellation;
    this.lastEventId = lastEventId;
    this.item = item;
    this.progress = progress;
  }

  /** Adds an event to the history. */
  record(type: string, detailsKey?: string, details?: EventDetails): number {
    this.lastEventId = this.run.history.add(type, this.lastEventId, detailsKey, details);
    return this.lastEventId;
  }

  /**
   * A line inside this one, with variables of its own, that ends when `cancellation` says so. When the same branch or
   * iteration was begun before a redrive, it goes on from there.
   *
   * @param index of the branch or iteration in the current state
   */
  branch(index: number, cancellation: Cancellation, item: MapItem | undefined = this.item): Line {
    const begun = this.progress.part(index);
    const part =
      begun === undefined || begun.output !== undefined
        ? { progress: new Progress(), variables: this.variables.inner() }
        : begun;
    this.progress.setPart(index, part);
    return new Line(this.run, part.variables, cancellation, this.lastEventId, item, part.progress);
  }

  /** The branch or iteration has returned: its output is kept for a redrive, and nothing else. */
  join(index: number, branch: Line, output: Payload): void {
    branch.variables.release();
    this.progress.setPart(index, { output });
  }

  /** This line, with an item in its context. */
  withItem(item: MapItem): Line {
    return new Line(this.run, this.variables, this.cancellation, this.lastEventId, item, this.progress);
  }

  /** Waits; rejects with Cancelled as soon as the line is cancelled. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancelTimer = this.run.engine.clock.schedule(ms, () => {
        forget();
        resolve();
      });
      const forget = this.cancellation.onCancel(() => {
        cancelTimer();
        reject(new Cancelled());
      });
    });
  }
}

/** `$states.context` of one state. */
export function contextObject(
  line: Line,
  state: { readonly name: string; readonly enteredTime: number; readonly retryCount: number },
): JsonObject {
  const { run, item } = line;
  if (run.context !== undefined)
    return item === undefined ? run.context : { ...run.context, Map: { Item: itemObject(item) } };
  const context: JsonObject = {
    Execution: {
      Id: run.arn,
      Input: run.input,
      Name: run.name,
      RoleArn: run.machine.roleArn,
      StartTime: isoTime(run.shownStartDate),
      RedriveCount: run.redriveCount,
      ...(run.redriveDate !== undefined && { RedriveTime: isoTime(run.redriveDate) }),
    },
    StateMachine: { Id: run.machine.arn, Name: run.machine.name },
    State: { Name: state.name, EnteredTime: isoTime(state.enteredTime), RetryCount: state.retryCount },
  };
  if (item !== undefined) context['Map'] = { Item: itemObject(item) };
  return context;
}

function itemObject(item: MapItem): JsonObject {
  const object: JsonObject = { Index: item.index, Value: item.value, Source: 'STATE_DATA' };
  if (item.key !== undefined) object['Key'] = item.key;
  return object;
}

export const isoTime = (ms: number) => new Date(ms).toISOString();
