import type { Clock } from '../clock.ts';
import type { CallSite, FunctionInvoker, FunctionResult, InvokeOptions, Json } from '../interpreter/index.ts';
import { MissingMockError } from './errors.ts';
import { type CallIdentity, failureOf, type MockStep, type Mocks, perform } from './mock.ts';

export interface FunctionCall extends CallIdentity {
  readonly executionArn: string;
  /** Id of the StateEntered event of the calling state. */
  readonly enteredEventId: number;
  readonly payload: Json;
  result?: Json | undefined;
  error?: string | undefined;
  /** Epoch milliseconds on the execution's clock. */
  readonly startDate: number;
}

const UNKNOWN: CallSite = { state: '', executionArn: '', enteredEventId: 0 };

/** Answers the calls of an execution and its children with mocks, and records the calls. */
export class MockedFunctions implements FunctionInvoker {
  readonly calls: FunctionCall[] = [];
  /** Error of the first call that has no mock or no further answer; `RunningExecution.result` throws this error. */
  problem: MissingMockError | undefined;
  readonly #clock: Clock;
  readonly #onProblem: () => void;
  /** Number of calls since the state was entered. Key: the execution's ARN and the id of the StateEntered event. */
  readonly #attempts = new Counter();
  readonly #counts = new Counter();
  /** Number of used answers of each mock that is a list. */
  readonly #steps = new Counter();
  readonly #mocks: Mocks;

  /** @param onProblem called once, after `problem` is set */
  constructor(mocks: Mocks, clock: Clock, onProblem: () => void) {
    this.#mocks = mocks;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  get names(): readonly string[] {
    return [...new Set([...Object.keys(this.#mocks), ...this.calls.map(call => call.functionName)])];
  }

  async invoke(arn: string, payload: unknown, options: InvokeOptions): Promise<FunctionResult> {
    const name = nameOf(arn);
    const { state, executionArn, enteredEventId } = options.site ?? UNKNOWN;
    const attempt = this.#attempts.next(`${executionArn} ${enteredEventId}`);
    const identity = { functionName: name, functionArn: arn, state, attempt };
    const call: FunctionCall = {
      ...identity,
      executionArn,
      enteredEventId,
      payload: JSON.parse(JSON.stringify(payload)) as Json,
      startDate: this.#clock.now(),
    };
    const count = this.#counts.next(name);
    const step = this.#stepFor(call);
    this.calls.push(call);
    if (step === undefined) return { ok: false, errorType: 'MissingMock', errorMessage: 'no mock' };
    try {
      const answer = await perform(step.step, payload, {
        ...identity,
        count,
        sleep: ms => this.#clock.sleep(ms),
        now: () => this.#clock.now(),
        signal: options.signal,
      });
      call.result = asJson(answer);
      return { ok: true, payload: answer };
    } catch (thrown) {
      const failure = failureOf(thrown);
      call.error = failure.errorType;
      // `failureOf` makes the cause as for Lambda, mostly an object. The cause of another service's error is plain text.
      return isFunction(arn) ? failure : { ...failure, cause: failure.errorMessage };
    }
  }

  /** Finds the mock's answer to this call. If there is no answer, records a problem and returns undefined. */
  #stepFor(call: FunctionCall): { readonly step: MockStep } | undefined {
    const { functionArn: arn, functionName: name, state } = call;
    // The first key with a mock counts. For a function, the state's name is last: it may also be the name of another function.
    const keys = isFunction(arn) ? [arn, qualifiedName(call), name, state] : [state, arn, name];
    const key = keys.find(one => Object.hasOwn(this.#mocks, one));
    const mock = key === undefined ? undefined : this.#mocks[key];
    if (key === undefined || mock === undefined) return this.#missing(call, noMock(call, this.#mocks));
    if (!Array.isArray(mock)) return { step: mock as MockStep };
    const steps = mock as readonly MockStep[];
    const step = steps[this.#steps.next(key) - 1];
    return step === undefined ? this.#missing(call, listEnded(call, key, steps.length)) : { step };
  }

  #missing(call: FunctionCall, message: string): undefined {
    if (this.problem !== undefined) return undefined;
    const payload = JSON.stringify(call.payload);
    const shown = payload.length > 200 ? `${payload.slice(0, 197)}...` : payload;
    this.problem = new MissingMockError(`${message} It was called with ${shown}`);
    this.#onProblem();
    return undefined;
  }
}

export const qualifiedName = ({ functionArn, functionName }: FunctionCall): string =>
  `${functionName}:${functionArn.split(':')[7]}`;

const isFunction = (arn: string): boolean => arn.split(':')[2] === 'lambda';

const nameOf = (arn: string): string =>
  isFunction(arn) ? (arn.split(':')[6] ?? arn) : arn.split(':').slice(5).join(':');

class Counter {
  readonly #counts = new Map<string, number>();

  next(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

const calledBy = ({ functionArn, functionName }: FunctionCall): string =>
  isFunction(functionArn) ? `the function "${functionName}"` : functionName;

function noMock(call: FunctionCall, mocks: Mocks): string {
  const key = /^[A-Za-z_]\w*$/.test(call.functionName) ? call.functionName : `'${call.functionName}'`;
  const mocked = Object.keys(mocks).join(', ') || 'none';
  return (
    `The state "${call.state}" called ${calledBy(call)}, for which there is no mock (mocked: ${mocked}). ` +
    `Write one: functions: { ${key}: event => ({ … }) }.`
  );
}

const listEnded = (call: FunctionCall, key: string, length: number): string =>
  `The state "${call.state}" called ${calledBy(call)} once more than the list of its mock "${key}" has ` +
  `steps (${length}). Add one, or write a function instead of the list.`;

/** The mock's answer as JSON; undefined for an answer that is not JSON. The engine, like Lambda, fails a call with such an answer. */
function asJson(answer: unknown): Json | undefined {
  try {
    const text = JSON.stringify(answer === undefined ? null : answer);
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}
