import { Cancelled } from '../failure.ts';
import type { Json } from '../json.ts';
import type { Payload } from '../limits.ts';
import type { Line } from '../run/line.ts';
import type { FunctionInvoker, FunctionResult } from './invoker.ts';

export type CallOutcome =
  | { readonly kind: 'returned'; readonly payload: Payload; readonly executedVersion: string }
  | { readonly kind: 'failed'; readonly error: string; readonly cause: string }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'heartbeatMissed' };

/** The error for a value that a function returns but that cannot be converted to JSON. */
const MARSHAL_ERROR = 'Runtime.MarshalError';

interface CallLimits {
  readonly timeoutSeconds: number | undefined;
  readonly heartbeatSeconds: number | undefined;
}

/**
 * Calls a function and waits until it returns, fails or times out. A late call is aborted, not awaited.
 * @param event JSON text of the event
 * @throws Cancelled when the line is cancelled
 */
export async function call(line: Line, arn: string, event: string, limits: CallLimits): Promise<CallOutcome> {
  line.cancellation.throwIfCancelled();
  const { bill, engine } = line.run;
  const started = engine.clock.now();
  bill.add('functionInvocations', 1);
  let reported: Pick<FunctionResult, 'durationMs' | 'memoryMb'> = {};
  try {
    const outcome = await race(line, engine.invoker, arn, event, limits);
    if (typeof outcome === 'string') return { kind: outcome };
    reported = outcome;
    return read(outcome);
  } finally {
    bill.addFunction(reported.durationMs ?? engine.clock.now() - started, reported.memoryMb);
  }
}

/** Calls a Resource that is not a function; costs of other services are not counted here. */
export async function callResource(
  line: Line,
  arn: string,
  args: string,
  limits: CallLimits,
): Promise<CallOutcome> {
  line.cancellation.throwIfCancelled();
  const { resources } = line.run.engine;
  if (resources === undefined) {
    const error = 'States.Runtime';
    return { kind: 'failed', error, cause: `Nothing answers ${arn}: the engine was made without resources.` };
  }
  const outcome = await race(line, resources, arn, args, limits);
  return typeof outcome === 'string' ? { kind: outcome } : read(outcome);
}

/** All calls share one reason: an error for each call, which nobody reads, would cost a stack trace. */
const CALL_ENDED = new DOMException('The call has ended.', 'AbortError');

function race(
  line: Line,
  invoker: FunctionInvoker,
  arn: string,
  event: string,
  limits: CallLimits,
): Promise<FunctionResult | 'timedOut' | 'heartbeatMissed'> {
  const { bill, engine } = line.run;
  const { clock } = engine;
  const { openState } = line;
  const { timeoutSeconds, heartbeatSeconds } = limits;
  const controller = new AbortController();
  const cleanups: Array<() => void> = [];
  const result = new Promise<FunctionResult | 'timedOut' | 'heartbeatMissed'>((resolve, reject) => {
    cleanups.push(line.cancellation.onCancel(() => reject(new Cancelled())));
    // A function sends no heartbeats, so the whole call must fit into one heartbeat interval.
    if (heartbeatSeconds !== undefined) {
      cleanups.push(clock.schedule(heartbeatSeconds * 1000, () => resolve('heartbeatMissed')));
    }
    if (timeoutSeconds !== undefined) {
      cleanups.push(clock.schedule(timeoutSeconds * 1000, () => resolve('timedOut')));
    }
    const options = {
      signal: controller.signal,
      // Usage counts even after the result is no longer needed: the function's further work is billed.
      onUsage: (counter: string, amount: number) => bill.addUsage(counter, amount),
      ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1000 }),
      ...(openState && {
        site: {
          executionArn: line.run.arn,
          mapRunArn: line.run.mapRunArn,
          state: openState.name,
          enteredEventId: openState.enteredEventId,
        },
      }),
    };
    clock
      .busy(async () => invoker.invoke(arn, JSON.parse(event), options))
      .then(resolve, error => {
        resolve({ ok: false, errorType: 'Lambda.Unknown', errorMessage: String(error?.message ?? error) });
      });
  });
  return result.finally(() => {
    for (const cleanup of cleanups) cleanup();
    controller.abort(CALL_ENDED);
  });
}

function read(result: FunctionResult): CallOutcome {
  if (!result.ok) return { kind: 'failed', error: result.errorType, cause: causeText(result) };
  const text = marshal(result.payload);
  if (text === undefined) {
    const errorMessage = `Unable to marshal response: ${describe(result.payload)} is not JSON serializable`;
    return read({ ok: false, errorType: MARSHAL_ERROR, errorMessage });
  }
  // Parsed again: the function may keep its returned object and change it later.
  const payload = { value: JSON.parse(text) as Json, text };
  return { kind: 'returned', payload, executedVersion: result.executedVersion ?? '$LATEST' };
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
  // Lambda itself answers in plain text, functions with an object.
  return errorType.startsWith('Lambda.') ? errorMessage : JSON.stringify({ errorMessage, errorType });
}
