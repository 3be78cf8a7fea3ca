import { EmulatorError } from '../errors.ts';
import { executionArn } from './arn.ts';
import { Billing, type BillingCounters, expressMemoryMb } from './billing.ts';
import type { StateGraph } from './definition.ts';
import { Cancelled, errorDetails, StateFailure } from './failure.ts';
import type { Json } from './json.ts';
import { type Payload, STATES_WITHOUT_TIME } from './limits.ts';
import type { MapRun } from './map/map-run.ts';
import { Cancellation } from './run/cancellation.ts';
import type { ChildSpec, ExecutionStatus, MachineIdentity } from './run/child.ts';
import { runGraph } from './run/graph.ts';
import { HeldData } from './run/held-data.ts';
import { History, type HistoryEvent, NOT_TRUNCATED } from './run/history.ts';
import { Line } from './run/line.ts';
import { Progress } from './run/progress.ts';
import type { EngineContext, Run } from './run/run.ts';
import { type VariableBudget, VariableScope } from './run/variables.ts';

/** The input and settings of an execution. */
export interface ExecutionSpec {
  readonly machine: MachineIdentity;
  readonly graph: StateGraph;
  /** Size of the state machine's definition; for a child of a Map Run, that of its parent. */
  readonly definitionBytes: number;
  readonly name: string;
  readonly input: Payload;
  /** Whether the caller waits for its end. @default false */
  readonly synchronous?: boolean;
  /** TimeoutSeconds of the definition. */
  readonly timeoutSeconds?: number | undefined;
  /** The execution that started this one. */
  readonly parent?: { readonly billing: Billing; readonly mapRunArn: string };
}

/** RedriveExecution is for Standard executions that failed, timed out or were stopped. */
export class NotRedrivableError extends EmulatorError {
  override readonly name = 'NotRedrivableError';

  constructor(got: string) {
    super(`only a Standard execution that FAILED, TIMED_OUT or was ABORTED can be redriven, not ${got}`);
  }
}

type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly output: Payload }
  | {
      readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED';
      readonly error: string | undefined;
      readonly cause: string | undefined;
    };

const LAST_EVENT = {
  SUCCEEDED: ['ExecutionSucceeded', 'executionSucceeded'],
  FAILED: ['ExecutionFailed', 'executionFailed'],
  TIMED_OUT: ['ExecutionTimedOut', 'executionTimedOut'],
  ABORTED: ['ExecutionAborted', 'executionAborted'],
} as const;

/** One execution of a state machine, which runs from its construction. All times are epoch milliseconds. */
export class Execution {
  readonly arn: string;
  readonly name: string;
  readonly machine: MachineIdentity;
  readonly input: Json;
  /** JSON text of the input, as it was given. */
  readonly inputText: string;
  readonly startDate: number;
  /** The Map Run that started this execution, if any. */
  readonly mapRunArn: string | undefined;
  readonly #run: Run;
  readonly #history: History;
  readonly #billing: Billing;
  readonly #spec: ExecutionSpec;
  readonly #progress = new Progress();
  readonly #variableBudget: VariableBudget = { used: 0, most: 0 };
  readonly #variables = new VariableScope(this.#variableBudget);
  /** Defined only for an Express execution, whose bill depends on it. */
  readonly #held: HeldData | undefined;
  #cancellation = new Cancellation();
  #line: Line;
  #cancelTimeout: () => void;
  #done: Promise<Execution>;
  #redriveCount = 0;
  #redriveDate: number | undefined;
  #status: ExecutionStatus = 'RUNNING';
  #stopDate: number | undefined;
  #output: Payload | undefined;
  #error: string | undefined;
  #cause: string | undefined;

  constructor(engine: EngineContext, spec: ExecutionSpec) {
    const { machine } = spec;
    this.#spec = spec;
    this.name = spec.name;
    this.machine = machine;
    this.arn = executionArn(machine.arn, spec.name, machine.type === 'EXPRESS' ? engine.newId() : undefined);
    this.input = spec.input.value;
    this.inputText = spec.input.text;
    this.startDate = engine.clock.now();
    this.mapRunArn = spec.parent?.mapRunArn;
    this.#billing = new Billing(spec.parent?.billing ?? engine.billing);
    this.#history = this.#newHistory(engine);
    this.#held = machine.type === 'EXPRESS' ? new HeldData() : undefined;
    this.#run = this.#newRun(engine);
    this.#line = this.#newLine(0);
    if (machine.type === 'EXPRESS') this.#billing.add('expressRequests', 1);
    this.#history.add('ExecutionStarted', 0, 'executionStarted', {
      input: spec.input.text,
      inputDetails: NOT_TRUNCATED,
      roleArn: machine.roleArn,
    });
    this.#cancelTimeout = this.#scheduleTimeout();
    this.#done = this.#main();
  }

  /** Resolves with this execution when it has ended, whatever its status; never rejects. */
  get done(): Promise<Execution> {
    return this.#done;
  }

  get status(): ExecutionStatus {
    return this.#status;
  }

  /** undefined while it runs. */
  get stopDate(): number | undefined {
    return this.#stopDate;
  }

  /** Defined only for an execution that succeeded. */
  get output(): Json | undefined {
    return this.#output?.value;
  }

  /** JSON text of the output. */
  get outputText(): string | undefined {
    return this.#output?.text;
  }

  /** Error name of an execution that failed, timed out or was stopped; a Fail state need not give one. */
  get error(): string | undefined {
    return this.#error;
  }

  get cause(): string | undefined {
    return this.#cause;
  }

  get history(): readonly HistoryEvent[] {
    return this.#history.events;
  }

  /** Number of events of an Express execution that were dropped; see `expressHistoryEvents` in the limits. */
  get droppedEvents(): number {
    return this.#history.dropped;
  }

  get mapRuns(): readonly MapRun[] {
    return this.#run.mapRuns;
  }

  /** The bill of this execution and its children so far. */
  get billing(): Readonly<BillingCounters> {
    return this.#billing.counters;
  }

  /** Memory of an Express execution so far, estimated as AWS does it, MB. */
  get memoryMb(): number | undefined {
    if (this.#held === undefined) return undefined;
    return expressMemoryMb(this.#spec.definitionBytes, this.#held.most + this.#variableBudget.most);
  }

  /** Ends the execution as StopExecution does; does nothing when it has ended already. */
  stop(error?: string, cause?: string): void {
    this.#end({ status: 'ABORTED', error, cause });
  }

  /** Number of redrives of the execution. */
  get redriveCount(): number {
    return this.#redriveCount;
  }

  get redriveDate(): number | undefined {
    return this.#redriveDate;
  }

  /**
   * Continues from the state that did not succeed, with its input and the variables of that time, as RedriveExecution does: branches,
   * iterations and children that succeeded are not run again, and retries count from the beginning.
   * @returns when it runs again; `done` is then a new promise
   * @throws NotRedrivableError
   */
  async redrive(): Promise<void> {
    this.#checkRedrivable();
    await this.#done; // An execution that was just stopped may not have finished.
    this.#checkRedrivable();
    this.#status = 'RUNNING';
    this.#stopDate = undefined;
    this.#error = undefined;
    this.#cause = undefined;
    this.#redriveCount += 1;
    this.#redriveDate = this.#run.engine.clock.now();
    this.#cancellation = new Cancellation();
    const details = { redriveCount: this.#redriveCount };
    this.#line = this.#newLine(this.#history.reopen('ExecutionRedriven', 'executionRedriven', details));
    this.#cancelTimeout = this.#scheduleTimeout();
    this.#done = this.#main();
  }

  #checkRedrivable(): void {
    if (this.machine.type === 'EXPRESS') throw new NotRedrivableError('an Express execution');
    if (this.#status === 'RUNNING' || this.#status === 'SUCCEEDED')
      throw new NotRedrivableError(this.#status);
    if (this.#history.full) throw new NotRedrivableError('an execution whose history is full');
  }

  #newLine(lastEventId: number): Line {
    return new Line(
      this.#run,
      this.#variables,
      this.#cancellation,
      lastEventId,
      undefined,
      this.#progress,
      this.#held,
    );
  }

  #scheduleTimeout(): () => void {
    const { engine } = this.#run;
    return engine.clock.schedule(durationLimitMs(engine, this.#spec), () => this.#timeOut());
  }

  async #main(): Promise<Execution> {
    // The caller receives the execution before its first step.
    await undefined;
    try {
      const output = await runGraph(this.#line, this.#spec.graph, this.#spec.input);
      this.#end({ status: 'SUCCEEDED', output });
    } catch (error) {
      if (error instanceof StateFailure) {
        this.#end({ status: 'FAILED', error: error.error, cause: error.cause });
      } else if (!(error instanceof Cancelled)) {
        const cause = `The local interpreter itself failed: ${(error as Error)?.stack ?? error}`;
        this.#end({ status: 'FAILED', error: 'States.Runtime', cause });
      }
    }
    // It cannot be redriven, so its progress is not needed.
    if (this.#status === 'SUCCEEDED' || this.machine.type === 'EXPRESS') this.#progress.forgetParts();
    return this;
  }

  #end(outcome: Outcome): void {
    if (this.#status !== 'RUNNING') return;
    this.#status = outcome.status;
    this.#stopDate = this.#run.engine.clock.now();
    this.#cancelTimeout();
    const { memoryMb } = this;
    if (memoryMb !== undefined) {
      this.#billing.addExpress({ memoryMb, durationMs: this.#stopDate - this.startDate });
    }
    const [type, detailsKey] = LAST_EVENT[outcome.status];
    if (outcome.status === 'SUCCEEDED') {
      this.#output = outcome.output;
      const details = { output: outcome.output.text, outputDetails: NOT_TRUNCATED };
      this.#history.close(type, this.#line.lastEventId, detailsKey, details);
    } else {
      this.#error = outcome.error;
      this.#cause = outcome.cause;
      // Recorded on AWS: the event of a stop follows no other event.
      const after = outcome.status === 'ABORTED' ? 0 : this.#line.lastEventId;
      this.#history.close(type, after, detailsKey, errorDetails(outcome));
    }
    this.#cancellation.cancel();
  }

  #timeOut(cause?: string): void {
    // Recorded on AWS: a Standard execution that timed out is described without an error.
    const error = this.machine.type === 'EXPRESS' ? 'States.Timeout' : undefined;
    this.#end({ status: 'TIMED_OUT', error, cause });
  }

  /** On AWS every state takes time, so the timeout of the execution ends such a loop. */
  #endLoop(states: readonly string[]): void {
    const shown = states.length > 10 ? [...states.slice(0, 10), '…'] : states;
    const limit = durationLimitMs(this.#run.engine, this.#spec) / 1000;
    this.#timeOut(
      `${STATES_WITHOUT_TIME} states were entered without time passing, and go round: ${shown.join(', ')}. On AWS this would ` +
        `take ${limit} s; expected a way out, or a Wait.`,
    );
  }

  #newHistory(engine: EngineContext): History {
    const now = () => engine.clock.now();
    const { standardHistoryEvents: most, expressHistoryEvents } = engine.limits;
    if (this.machine.type === 'EXPRESS') return new History(now, expressHistoryEvents, undefined);
    const cause = `The execution reached the maximum number of history events (${most}).`;
    return new History(now, most, () => this.#end({ status: 'FAILED', error: 'States.Runtime', cause }));
  }

  #newRun(engine: EngineContext): Run {
    const execution = this;
    return {
      engine,
      machine: this.machine,
      arn: this.arn,
      mapRunArn: this.mapRunArn,
      name: this.name,
      startDate: this.startDate,
      input: this.input,
      history: this.#history,
      billing: this.#billing,
      mapRuns: [],
      synchronous: this.#spec.synchronous ?? false,
      get redriveCount() {
        return execution.#redriveCount;
      },
      get redriveDate() {
        return execution.#redriveDate;
      },
      endLoop: states => this.#endLoop(states),
      startChild: ({ mapRunArn, ...child }: ChildSpec) =>
        new Execution(engine, {
          ...child,
          definitionBytes: this.#spec.definitionBytes,
          parent: { billing: this.#billing, mapRunArn },
        }),
    };
  }
}

function durationLimitMs(engine: EngineContext, spec: ExecutionSpec): number {
  const { expressDurationMs, standardDurationMs } = engine.limits;
  const most = spec.machine.type === 'EXPRESS' ? expressDurationMs : standardDurationMs;
  return spec.timeoutSeconds === undefined ? most : Math.min(most, spec.timeoutSeconds * 1000);
}
