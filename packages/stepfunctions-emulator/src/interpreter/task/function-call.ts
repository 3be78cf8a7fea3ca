import { CallFailure, Cancelled, HeartbeatTimeout, TimeoutFailure } from '../failure.ts';
import type { Json } from '../json.ts';
import type { Payload } from '../limits.ts';
import type { Line } from '../run/line.ts';
import type { FunctionInvoker, FunctionResult } from './invoker.ts';

export interface Returned {
  readonly payload: Payload;
  readonly executedVersion: string;
}

interface Request {
  readonly arn: string;
  readonly body: string;
  /** Whether the call goes to a Lambda function: the bill counts the duration of functions, but no costs of other Resources. */
  readonly isFunction: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly heartbeatSeconds: number | undefined;
}

/** @throws CallFailure when the call fails or times out; Cancelled when the execution, branch or iteration is cancelled */
export async function call(line: Line, request: Request): Promise<Returned> {
  line.cancellation.throwIfCancelled();
  const { bill, engine } = line.run;
  const { arn, isFunction } = request;
  const invoker = isFunction ? engine.invoker : engine.resources;
  if (invoker === undefined) {
    throw new CallFailure('States.Runtime', `Nothing answers ${arn}: the engine was made without resources.`);
  }
  const started = engine.clock.now();
  let reported: Pick<FunctionResult, 'durationMs' | 'memoryMb'> = {};
  if (isFunction) bill.add('functionInvocations', 1);
  try {
    const result = await race(line, invoker, request);
    reported = result;
    return read(result);
  } finally {
    if (isFunction) bill.addFunction(reported.durationMs ?? engine.clock.now() - started, reported.memoryMb);
  }
}

/** All calls share one abort reason, because making an error with a stack trace for each call would take time. */
const CALL_ENDED = new DOMException('The call has ended.', 'AbortError');

function race(line: Line, invoker: FunctionInvoker, request: Request): Promise<FunctionResult> {
  const { bill, engine } = line.run;
  const { clock } = engine;
  const { openState } = line;
  const { arn, body, timeoutSeconds, heartbeatSeconds } = request;
  const controller = new AbortController();
  const cleanups: Array<() => void> = [];
  const result = new Promise<FunctionResult>((resolve, reject) => {
    const rejectAfter = (seconds: number | undefined, failure: () => CallFailure) => {
      if (seconds === undefined) return;
      cleanups.push(clock.schedule(seconds * 1000, () => reject(failure())));
    };
    cleanups.push(line.cancellation.onCancel(() => reject(new Cancelled())));
    // A function can't send heartbeats to this engine, so the whole call must end within HeartbeatSeconds.
    rejectAfter(heartbeatSeconds, () => new HeartbeatTimeout('States.Timeout', undefined));
    rejectAfter(timeoutSeconds, () => new TimeoutFailure('States.Timeout', undefined));
    const options = {
      signal: controller.signal,
      // Usage counts even after a timeout of the Task: on AWS, the function goes on then, and what it uses is billed.
      onUsage: (counter: string, amount: number) => bill.addUsage(counter, amount),
      ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1000 }),
      ...(openState && {
        site: {
          executionArn: line.run.arn,
          state: openState.name,
          enteredEventId: openState.enteredEventId,
        },
      }),
    };
    clock
      .busy(async () => invoker.invoke(arn, JSON.parse(body), options))
      .then(resolve, error => {
        resolve({ ok: false, errorType: 'Lambda.Unknown', errorMessage: String(error?.message ?? error) });
      });
  });
  return result.finally(() => {
    for (const cleanup of cleanups) cleanup();
    controller.abort(CALL_ENDED);
  });
}

function read(result: FunctionResult): Returned {
  if (!result.ok) throw new CallFailure(result.errorType, causeText(result));
  const text = marshal(result.payload);
  if (text === undefined) {
    const errorMessage = `Unable to marshal response: ${describe(result.payload)} is not JSON serializable`;
    return read({ ok: false, errorType: 'Runtime.MarshalError', errorMessage });
  }
  // The value is a copy that was parsed from the text, because the function may later change the object that it returned.
  const payload = { value: JSON.parse(text) as Json, text };
  return { payload, executedVersion: result.executedVersion ?? '$LATEST' };
}

function marshal(value: unknown): string | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return undefined;
  try {
    return JSON.stringify(value === undefined ? null : value);
  } catch {
    return undefined;
  }
}

function describe(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? `Object of type ${value.constructor?.name}`
    : typeof value;
}

function causeText({ errorType, errorMessage, cause }: Extract<FunctionResult, { ok: false }>): string {
  if (typeof cause === 'string') return cause;
  if (cause !== undefined) return JSON.stringify(cause);
  // The Cause is plain text for an error of Lambda itself, and JSON for an error of a function.
  return errorType.startsWith('Lambda.') ? errorMessage : JSON.stringify({ errorMessage, errorType });
}
