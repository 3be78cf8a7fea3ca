import { childrenOf } from '../api/executions.ts';
import type {
  BillingCounters,
  Execution,
  ExecutionStatus,
  HistoryEvent,
  Json,
  RetryNotice,
} from '../interpreter/index.ts';
import { HarnessError, UnexpectedStatusError } from './errors.ts';
import { type FunctionCall, qualifiedName } from './mocked-functions.ts';
import { type Visit, visitsOf } from './visits.ts';

const PAYLOAD_LENGTH = 80;
const CAUSE_LENGTH = 400;
const FIRST_VISITS = 12;
const LAST_VISITS = 12;

export interface Described {
  readonly status: ExecutionStatus;
  readonly output: Json | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  /** Epoch milliseconds. */
  readonly startDate: number;
  readonly durationMs: number;
  readonly visits: readonly Visit[];
  readonly calls: readonly FunctionCall[];
  readonly retries: readonly RetryNotice[];
}

function describeExecution(execution: Described): string {
  const { visits, calls, retries } = execution;
  const records = { startDate: execution.startDate, calls, retries };
  const hidden = visits.length - FIRST_VISITS - LAST_VISITS;
  const lines =
    hidden <= 0
      ? visits.flatMap(visit => linesOf(visit, records))
      : [
          ...visits.slice(0, FIRST_VISITS).flatMap(visit => linesOf(visit, records)),
          `  … ${hidden} more states`,
          ...visits.slice(-LAST_VISITS).flatMap(visit => linesOf(visit, records)),
        ];
  return [headline(execution), ...lines].join('\n');
}

function headline({ status, durationMs, output, error, cause }: Described): string {
  const ending = `${status} after ${seconds(durationMs)}`;
  if (status === 'SUCCEEDED') return `${ending}: ${cut(JSON.stringify(output), CAUSE_LENGTH)}`;
  const why = [error, cause].filter(text => text !== undefined && text !== '').join(': ');
  return why === '' ? ending : `${ending}: ${cut(why, CAUSE_LENGTH)}`;
}

type Shown = Pick<Described, 'startDate' | 'calls' | 'retries'>;

function linesOf(visit: Visit, shown: Shown): string[] {
  const { name, type, input, output, enteredDate, exitedDate } = visit;
  const end = exitedDate === undefined ? 'no output' : payload(output);
  const calls = shown.calls.filter(
    call => call.enteredEventId === visit.enteredEventId && call.executionArn === visit.executionArn,
  );
  const took = (exitedDate ?? enteredDate) - enteredDate;
  const wait = took > 0 ? ` (${seconds(took)})` : '';
  return [
    `  +${seconds(enteredDate - shown.startDate)} ${type} "${name}"${wait}: ${payload(input)} → ${end}`,
    ...calls.map(call => `      ${describeCall(call, shown)}`),
  ];
}

function describeCall(call: FunctionCall, { retries }: Shown): string {
  const { error, result } = call;
  const outcome =
    error !== undefined ? `threw ${error}` : result === undefined ? 'did not answer' : `→ ${payload(result)}`;
  const retry = retries.find(
    one =>
      one.executionArn === call.executionArn &&
      one.state === call.state &&
      one.retry === call.attempt &&
      error,
  );
  const again = retry === undefined ? '' : `; tried again after ${seconds(retry.ms)}`;
  return `${call.functionName}(${payload(call.payload)}) ${outcome}${again}`;
}

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(3))} s`;
const payload = (value: unknown): string => cut(JSON.stringify(value) ?? 'nothing', PAYLOAD_LENGTH);
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

export interface WaitRecord {
  readonly state: string;
  /** Milliseconds from the entry into the Wait state to the exit or, without an exit, to the end of the execution. */
  readonly ms: number;
}

export interface Records {
  readonly calls: readonly FunctionCall[];
  readonly retries: readonly RetryNotice[];
  readonly functionNames: readonly string[];
}

export class ExecutionResult {
  readonly arn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly input: Json;
  readonly output: Json | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  /** Epoch milliseconds on the execution's clock. */
  readonly startDate: number;
  readonly stopDate: number;
  /** What AWS would bill for the execution and its child executions. */
  readonly billing: Readonly<BillingCounters>;
  /** Events of the execution, without events of its child executions. */
  readonly history: readonly HistoryEvent[];
  /** Every visit of a state, in the same order as `states`. */
  readonly visits: readonly Visit[];
  readonly children: readonly ExecutionResult[];
  readonly #records: Records;

  constructor(execution: Execution, records: Records) {
    const { billing } = execution;
    this.#records = records;
    this.arn = execution.arn;
    this.name = execution.name;
    this.status = execution.status;
    this.input = execution.input;
    this.output = execution.output;
    this.error = execution.error;
    this.cause = execution.cause;
    this.startDate = execution.startDate;
    this.stopDate = execution.stopDate ?? execution.startDate;
    this.billing = billing;
    this.history = execution.history;
    this.visits = visitsOf(execution);
    this.children = execution.mapRuns.flatMap(childrenOf).map(child => new ExecutionResult(child, records));
  }

  get durationMs(): number {
    return this.stopDate - this.startDate;
  }

  /**
   * Names of the visited states in the order of entry, also in branches and iterations. For a distributed Map, the states of each child
   * execution stand together.
   */
  get states(): readonly string[] {
    return this.visits.map(({ name }) => name);
  }

  get waits(): readonly WaitRecord[] {
    const ended = new Map(allOf(this).map(({ arn, stopDate }) => [arn, stopDate]));
    return this.visits
      .filter(({ type }) => type === 'Wait')
      .map(({ name: state, enteredDate, exitedDate, executionArn }) => ({
        state,
        ms: (exitedDate ?? ended.get(executionArn) ?? this.stopDate) - enteredDate,
      }));
  }

  /** Calls of functions and other Resources, with the calls of child executions, in the order in which the calls began. */
  get calls(): readonly FunctionCall[] {
    return this.#ownOf(this.#records.calls);
  }

  get retries(): readonly RetryNotice[] {
    return this.#ownOf(this.#records.retries);
  }

  #ownOf<T extends { readonly executionArn: string }>(records: readonly T[]): readonly T[] {
    const arns = new Set(allOf(this).map(({ arn }) => arn));
    return records.filter(({ executionArn }) => arns.has(executionArn));
  }

  events(type: string): readonly HistoryEvent[] {
    return this.history.filter(event => event.type === type);
  }

  /**
   * The calls of one function, in the order in which the calls began.
   * @param functionName name of a called function, or key of a mock, which may also name a Resource or a state
   * @throws {HarnessError} for any other name
   */
  callsOf(functionName: string): readonly FunctionCall[] {
    const { functionNames } = this.#records;
    if (!functionNames.includes(functionName)) {
      const known = functionNames.join(', ') || 'none';
      throw new HarnessError(
        `callsOf: expected the name of a function that is mocked or was called (${known}), got "${functionName}"`,
      );
    }
    const calls = this.calls.filter(call =>
      [call.functionName, call.functionArn, qualifiedName(call)].includes(functionName),
    );
    return calls.length > 0 ? calls : this.calls.filter(call => call.state === functionName);
  }

  /** The payloads of one function, in the order of its calls. @throws {HarnessError} as `callsOf` */
  payloadsOf(functionName: string): readonly Json[] {
    return this.callsOf(functionName).map(({ payload }) => payload);
  }

  describe(): string {
    return describeExecution(this);
  }

  /** @throws {UnexpectedStatusError} when the execution did not succeed */
  assertSucceeded(): this {
    if (this.status === 'SUCCEEDED') return this;
    throw new UnexpectedStatusError(`expected an execution that succeeded, got ${this.describe()}`);
  }

  /**
   * @param error expected name of the error @default any error
   * @throws {UnexpectedStatusError} when the execution succeeded, or has another error
   */
  assertFailed(error?: string): this {
    const failed = this.status !== 'SUCCEEDED';
    if (failed && (error === undefined || error === this.error)) return this;
    const expected = error === undefined ? '' : ` with the error ${error}`;
    throw new UnexpectedStatusError(`expected an execution that failed${expected}, got ${this.describe()}`);
  }
}

function allOf(execution: ExecutionResult): ExecutionResult[] {
  return [execution, ...execution.children.flatMap(allOf)];
}
