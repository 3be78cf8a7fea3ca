import { types } from 'node:util';
import type { FunctionResult } from '../interpreter/index.ts';
import { HarnessError } from './errors.ts';

export interface CallIdentity {
  /** Name of the function, without its ARN and qualifier; for other Resources their service and action: `dynamodb:putItem`. */
  readonly functionName: string;
  readonly functionArn: string;
  readonly state: string;
  /** Number of the attempt in this visit of the state, from 1. */
  readonly attempt: number;
}

export interface Call extends CallIdentity {
  /** Number of the call of this function in the execution and its children, from 1. */
  readonly count: number;
  /** Waits on the execution's clock, which takes no real time when the clock is virtual. */
  sleep(ms: number): Promise<void>;
  /** Epoch milliseconds on the execution's clock. */
  now(): number;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/**
 * Mocks a function: it receives the function's event, and returns its result or throws its error. Retry and Catch see the name of the
 * Error.
 */
// biome-ignore lint/suspicious/noExplicitAny: an event is whatever the definition makes of it; with unknown, no mock could read it without a cast
export type MockFunction = (event: any, call: Call) => unknown;

export type Answer =
  | string
  | number
  | boolean
  | null
  | readonly Answer[]
  | { readonly [key: string]: Answer | undefined };

/** The answer to a call: a function is called, an Error is thrown, any other value is the result. */
export type MockStep = MockFunction | Error | Answer;

/** Behaviour of a function: the same in each call, or a list with a step for each call. */
export type Mock = MockStep | readonly MockStep[];

/**
 * Mocks by name, `name:qualifier` or ARN of the function, or by the name of the state that calls it. Other resources are named by their
 * state, their ARN, or service and action: `dynamodb:putItem`.
 */
export type Mocks = Readonly<Record<string, Mock>>;

/**
 * Mocks a call that fails with an error of this name: an error of the function or, with a name such as `Lambda.TooManyRequestsException`,
 * an error of Lambda itself.
 */
export function fails(error: string, message = ''): MockFunction {
  if (typeof error !== 'string' || error === '') {
    throw new HarnessError(`fails: expected the name of an error, got ${JSON.stringify(error)}`);
  }
  return () => {
    throw Object.assign(new Error(message), { name: error });
  };
}

/** Mocks a call that takes time on the execution's clock before `step`. */
export function takes(ms: number, step: MockStep = null): MockFunction {
  if (!(ms >= 0)) throw new HarnessError(`takes: expected milliseconds of at least 0, got ${ms}`);
  return async (event, call) => {
    await call.sleep(ms);
    return perform(step, event, call);
  };
}

/** Recognizes also an error of Node itself: under jest, such an error is not an instance of this module's Error. */
const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

export async function perform(step: MockStep, event: unknown, call: Call): Promise<unknown> {
  if (typeof step === 'function') return step(event, call);
  if (isError(step)) throw step;
  return step;
}

/** Converts a thrown error to Lambda's form, as its Node.js runtime reports it. */
export function failureOf(thrown: unknown): Extract<FunctionResult, { ok: false }> {
  const errorType = isError(thrown) ? thrown.name : typeof thrown;
  const errorMessage = isError(thrown) ? thrown.message : String(thrown);
  // Lambda's own errors are plain text. The stack of a function is left out, because it differs between machines.
  const cause = errorType.startsWith('Lambda.') ? errorMessage : { errorType, errorMessage, trace: [] };
  return { ok: false, errorType, errorMessage, cause };
}
