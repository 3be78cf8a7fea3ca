import { executionArn } from './arn.ts';
import { Billing, type BillingCounters, expressMemoryMb } from './billing.ts';
import { Cancelled, errorDetails, StateFailure } from './failure.ts';
import type { Json } from './json.ts';
import { type Payload, STATES_WITHOUT_TIME } from './limits.ts';
import type { StateGraph } from './load/states.ts';
import type { MapRun } from './map/map-run.ts';
import { Cancellation } from './run/cancellation.ts';
import type { ChildSpec, ExecutionStatus, MachineIdentity } from './run/child.ts';
import { runGraph } from './run/graph.ts';
import { HeldData } from './run/held-data.ts';
import { History, type HistoryEvent, NOT_TRUNCATED } from './run/history.ts';
import { Line } from './run/line.ts';
import type { EngineContext, Run } from './run/run.ts';
import { type VariableBudget, VariableScope } from './run/variables.ts';

export interface ExecutionSpec {
  readonly machine: MachineIdentity;
  readonly graph: StateGraph;
  /** Size of the state machine's definition, bytes; for a child execution of a Map Run, the size of the parent's definition. */
  readonly definitionBytes: number;
  readonly name: string;
  readonly input: Payload;
  readonly synchronous?: boolean;
  readonly timeoutSeconds?: number | undefined;
  readonly parent?: { readonly bill: Billing; readonly mapRunArn: string };
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

/** One execution of a state machine. The constructor starts the execution. `startDate` and `stopDate` are epoch milliseconds. */
export class Execution {
  readonly arn: string;
  readonly name: string;
  readonly machine: MachineIdentity;
  readonly input: Json;
  readonly inputText: string;
  readonly startDate: number;
  readonly mapRunArn: string | undefined;
  /** Resolves with this execution after its end, whatever the status; never rejects. */
  readonly done: Promise<Execution>;
  readonly #run: Run;
  readonly #spec: ExecutionSpec;
  readonly #variableBudget: VariableBudget = { used: 0, most: 0 };
  readonly #held: HeldData | undefined;
  readonly #cancellation = new Cancellation();
  readonly #line: Line;
  readonly #cancelTimeout: () => void;
  #stopDate: number | undefined;
  #outcome: Outcome | undefined;
  #forgotten = false;

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
    this.#held = machine.type === 'EXPRESS' ? new HeldData() : undefined;
    this.#run = this.#newRun(engine);
    const variables = new VariableScope(this.#variableBudget);
    this.#line = new Line(this.#run, variables, this.#cancellation, 0, undefined, this.#held);
    if (machine.type === 'EXPRESS') this.#run.bill.add('expressRequests', 1);
    this.#run.events.add('ExecutionStarted', 0, 'executionStarted', {
      input: spec.input.text,
      inputDetails: NOT_TRUNCATED,
      roleArn: machine.roleArn,
    });
    this.#cancelTimeout = engine.clock.schedule(durationLimitMs(engine, spec), () => this.#timeOut());
    this.done = this.#main();
  }

  get status(): ExecutionStatus {
    return this.#outcome?.status ?? 'RUNNING';
  }

  get stopDate(): number | undefined {
    return this.#stopDate;
  }

  get output(): Json | undefined {
    return this.#outcome?.status === 'SUCCEEDED' ? this.#outcome.output.value : undefined;
  }

  get outputText(): string | undefined {
    return this.#outcome?.status === 'SUCCEEDED' ? this.#outcome.output.text : undefined;
  }

  /** Error name of an execution that failed or was stopped. After a timeout, only an Express execution has one, as on AWS. */
  get error(): string | undefined {
    return this.#outcome?.status === 'SUCCEEDED' ? undefined : this.#outcome?.error;
  }

  get cause(): string | undefined {
    return this.#outcome?.status === 'SUCCEEDED' ? undefined : this.#outcome?.cause;
  }

  get history(): readonly HistoryEvent[] {
    return this.#run.events.all;
  }

  get mapRuns(): readonly MapRun[] {
    return this.#run.mapRuns;
  }

  get forgotten(): boolean {
    return this.#forgotten;
  }

  forget(): void {
    this.#forgotten = true;
    this.#run.events.all.length = 0;
    this.#run.mapRuns.length = 0;
  }

  get billing(): Readonly<BillingCounters> {
    return this.#run.bill.counters;
  }

  /** Estimated memory of an Express execution so far, MB; undefined for a Standard execution, because AWS does not bill its memory. */
  get memoryMb(): number | undefined {
    if (this.#held === undefined) return undefined;
    return expressMemoryMb(this.#spec.definitionBytes, this.#held.most + this.#variableBudget.most);
  }

  /** Stops the execution as the API's StopExecution does. An execution that has ended stays as it is. */
  stop(error?: string, cause?: string): void {
    this.#end({ status: 'ABORTED', error, cause });
  }

  async #main(): Promise<Execution> {
    // The caller of the constructor gets the execution before its first state runs.
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
    this.#line.variables.release();
    return this;
  }

  #end(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#stopDate = this.#run.engine.clock.now();
    this.#cancelTimeout();
    const { memoryMb } = this;
    const { bill, events } = this.#run;
    if (memoryMb !== undefined) bill.addExpress({ memoryMb, durationMs: this.#stopDate - this.startDate });
    const [type, detailsKey] = LAST_EVENT[outcome.status];
    if (outcome.status === 'SUCCEEDED') {
      const details = { output: outcome.output.text, outputDetails: NOT_TRUNCATED };
      events.close(type, this.#line.lastEventId, detailsKey, details);
    } else {
      // Recorded on AWS: ExecutionAborted has the previousEventId 0.
      const after = outcome.status === 'ABORTED' ? 0 : this.#line.lastEventId;
      events.close(type, after, detailsKey, errorDetails(outcome));
    }
    this.#cancellation.cancel();
  }

  #timeOut(cause?: string): void {
    // Recorded on AWS: DescribeExecution shows no error for a Standard execution that timed out.
    const error = this.machine.type === 'EXPRESS' ? 'States.Timeout' : undefined;
    this.#end({ status: 'TIMED_OUT', error, cause });
  }

  /** Times out an execution that loops while the engine's clock stands still. On AWS states take time, so such a loop ends at a timeout. */
  #endLoop(state: string): void {
    const limit = durationLimitMs(this.#run.engine, this.#spec) / 1000;
    this.#timeOut(
      `${STATES_WITHOUT_TIME} states were entered without time passing, and go round through ${state}. On AWS this would ` +
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
    const { definitionBytes, parent, synchronous = false } = this.#spec;
    const { arn, name, machine, startDate, input } = this;
    const bill = new Billing(parent?.bill ?? engine.billing);
    return {
      ...{ engine, arn, name, machine, startDate, input, synchronous, bill },
      events: this.#newHistory(engine),
      mapRuns: [],
      endLoop: state => this.#endLoop(state),
      startChild: ({ mapRunArn, ...child }: ChildSpec) =>
        new Execution(engine, { ...child, definitionBytes, parent: { bill, mapRunArn } }),
    };
  }
}

function durationLimitMs(engine: EngineContext, spec: ExecutionSpec): number {
  const { expressDurationMs, standardDurationMs } = engine.limits;
  const most = spec.machine.type === 'EXPRESS' ? expressDurationMs : standardDurationMs;
  return spec.timeoutSeconds === undefined ? most : Math.min(most, spec.timeoutSeconds * 1000);
}
