import { types } from 'node:util';
import type { FunctionResult } from '../interpreter/index.ts';
import { HarnessError } from './errors.ts';

/** One call of a mocked function, for the mock. */
export interface Call {
  /** Name of the function, without its ARN and qualifier; of another Resource its service and action: `dynamodb:putItem`. */
  readonly functionName: string;
  readonly functionArn: string;
  /** The state that calls. */
  readonly state: string;
  /** 1 for the first attempt of this visit of the state, 2 for the first retry… */
  readonly attempt: number;
  /** 1 for the first call of this function in the execution, its children included. */
  readonly count: number;
  /** Takes time on the execution's clock: none of yours when that is virtual. */
  sleep(ms: number): Promise<void>;
  /** Epoch milliseconds on the execution's clock. */
  now(): number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Adds to `billing.usage` of the execution. */
  reportUsage(counter: string, amount: number): void;
}

/**
 * Stands for a function: gets what the function would get, and answers with what it would return, or throws what it would
 * throw. The name of an Error is what Retry and Catch see.
 */
// biome-ignore lint/suspicious/noExplicitAny: an event is whatever the definition makes of it; with unknown, no mock could read it without a cast
export type MockFunction = (event: any, call: Call) => unknown;

/** Any value that JSON can hold, readonly or not. */
export type Answer =
  | string
  | number
  | boolean
  | null
  | readonly Answer[]
  | { readonly [key: string]: Answer | undefined };

/** The answer to a call: a function is called, an Error is thrown, anything else is the answer. */
export type MockStep = MockFunction | Error | Answer;

/** How a function behaves: the same in each call, or with a step for each call in a list. */
export type Mock = MockStep | readonly MockStep[];

/**
 * By name, `name:qualifier` or ARN of the function, or by the name of the state that calls it. What is no function stands under
 * the state, its ARN, or service and action: `dynamodb:putItem`.
 */
export type Mocks = Readonly<Record<string, Mock>>;

/**
 * A call that fails with an error of this name: what the function throws or, with a name such as
 * `Lambda.TooManyRequestsException`, what Lambda answers.
 */
export function fails(error: string, message = ''): MockFunction {
  if (typeof error !== 'string' || error === '') {
    throw new HarnessError(`fails: expected the name of an error, got ${JSON.stringify(error)}`);
  }
  return () => {
    throw Object.assign(new Error(message), { name: error });
  };
}

/** A call that takes time on the execution's clock before it goes on as `step` says. */
export function takes(ms: number, step: MockStep = null): MockFunction {
  if (!(ms >= 0)) throw new HarnessError(`takes: expected milliseconds of at least 0, got ${ms}`);
  return async (event, call) => {
    await call.sleep(ms);
    return perform(step, event, call);
  };
}

/** Also an error of Node itself, which under jest is no instance of the Error that this module knows. */
const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

/** Does what a step says. Rejects with what it throws. */
export async function perform(step: MockStep, event: unknown, call: Call): Promise<unknown> {
  if (typeof step === 'function') return step(event, call);
  if (isError(step)) throw step;
  return step;
}

/** Lambda's form of an error that a function threw, as its Node.js runtime reports it. */
export function failureOf(thrown: unknown): Extract<FunctionResult, { ok: false }> {
  const errorType = isError(thrown) ? thrown.name : typeof thrown;
  const errorMessage = isError(thrown) ? thrown.message : String(thrown);
  // Lambda itself answers in plain text. The stack of a function is left out: it is another one on each machine.
  const cause = errorType.startsWith('Lambda.') ? errorMessage : { errorType, errorMessage, trace: [] };
  return { ok: false, errorType, errorMessage, cause };
}
