import { types } from 'node:util';
import type { FunctionResult } from '../interpreter/index.ts';
import { HarnessError } from './errors.ts';

export interface CallIdentity {
  /** Name of the function, without qualifier. For another Resource, the service and the action: `dynamodb:putItem`. */
  readonly functionName: string;
  readonly functionArn: string;
  readonly state: string;
  /** Number of the attempt in this visit of the state, from 1. */
  readonly attempt: number;
}

export interface Call extends CallIdentity {
  /** Number of this call among the calls of the function in the execution and its child executions, from 1. */
  readonly count: number;
  /** Waits `ms` milliseconds on the execution's clock. On a virtual clock, the wait takes no real time. */
  sleep(ms: number): Promise<void>;
  /** Epoch milliseconds on the execution's clock. */
  now(): number;
  /** Aborted when the Task no longer waits for the answer, for example after a timeout. */
  readonly signal: AbortSignal;
}

/**
 * Mocks a function: receives the function's event, and returns the result or throws the error. Retry and Catch see the `name` of the thrown
 * Error.
 */
// biome-ignore lint/suspicious/noExplicitAny: the definition decides what an event contains; with unknown, every mock would need a cast
export type MockFunction = (event: any, call: Call) => unknown;

export type Answer =
  | string
  | number
  | boolean
  | null
  | readonly Answer[]
  | { readonly [key: string]: Answer | undefined };

/** A mock's answer to one call: a function to call, an Error to throw, or any other value as the result. */
export type MockStep = MockFunction | Error | Answer;

/** A mock: one answer for all calls, or a list with one answer for each call. */
export type Mock = MockStep | readonly MockStep[];

/**
 * Mocks by key: a function's ARN, name or `name:qualifier`; another Resource's ARN, or its service and action, e.g. `dynamodb:putItem`;
 * or the name of the calling state.
 */
export type Mocks = Readonly<Record<string, Mock>>;

/**
 * Mocks a call that fails with this error name. A name with `Lambda.` at the beginning, such as `Lambda.TooManyRequestsException`, means an
 * error of Lambda itself, not of the function.
 */
export function fails(error: string, message = ''): MockFunction {
  if (typeof error !== 'string' || error === '') {
    throw new HarnessError(`fails: expected the name of an error, got ${JSON.stringify(error)}`);
  }
  return () => {
    throw Object.assign(new Error(message), { name: error });
  };
}

/** Mocks a call that takes `ms` milliseconds on the execution's clock and then answers with `step`. */
export function takes(ms: number, step: MockStep = null): MockFunction {
  if (!(ms >= 0)) throw new HarnessError(`takes: expected milliseconds of at least 0, got ${ms}`);
  return async (event, call) => {
    await call.sleep(ms);
    return perform(step, event, call);
  };
}

/** Whether a value is an Error. Under jest, `instanceof` is false for an error that Node itself throws, but `isNativeError` is true. */
const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

export async function perform(step: MockStep, event: unknown, call: Call): Promise<unknown> {
  if (typeof step === 'function') return step(event, call);
  if (isError(step)) throw step;
  return step;
}

/** Converts a thrown error to the form in which Lambda's Node.js runtime reports the error. */
export function failureOf(thrown: unknown): Extract<FunctionResult, { ok: false }> {
  const errorType = isError(thrown) ? thrown.name : typeof thrown;
  const errorMessage = isError(thrown) ? thrown.message : String(thrown);
  // An error of Lambda itself has a plain text as its cause. `trace` is empty, because a stack differs between computers.
  const cause = errorType.startsWith('Lambda.') ? errorMessage : { errorType, errorMessage, trace: [] };
  return { ok: false, errorType, errorMessage, cause };
}
