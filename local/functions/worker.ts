/**
 * Runs one Lambda function in a worker thread. This file imports only Node's own modules, because local-functions.ts writes this file alone
 * into a folder.
 */
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

type Handler = (event: unknown, context: unknown) => unknown;

const setup = workerData as WorkerSetup;
const port = parentPort;
if (port === null) throw new Error('local/functions/worker.ts runs in a worker thread only');
const post = (message: WorkerMessage): void => port.postMessage(message);

let current: string | undefined;

// Output goes through the same port as results, so that a function's output arrives before its answer.
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (
    chunk: string | Uint8Array,
    encoding?: unknown,
    callback?: (error?: Error | null) => void,
  ): boolean => {
    post({ kind: 'log', text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() });
    const done = typeof encoding === 'function' ? (encoding as () => void) : callback;
    if (done) queueMicrotask(() => done());
    return true;
  };
}

// An error outside of the handler's call, e.g. in a timer, ends the execution environment, as on Lambda.
process.on('uncaughtException', error => fail(toErrorPayload(error), true));

try {
  const { [setup.exportName]: handler } = await import(pathToFileURL(setup.file).href);
  if (typeof handler !== 'function') throw new Error(`${setup.exportName} is not exported`);
  port.on('message', (invocation: Invocation) => void run(handler, invocation));
  post({ kind: 'ready' });
} catch (error) {
  fail(toErrorPayload(error), true);
}

async function run(handle: Handler, { requestId, payload, traceId, deadline }: Invocation): Promise<void> {
  current = requestId;
  // Lambda's runtime also sets this variable before every invocation. `process.env` belongs to this thread only.
  process.env['_X_AMZN_TRACE_ID'] = traceId;
  try {
    const result = await handle(JSON.parse(payload), contextOf(requestId, deadline));
    const text = JSON.stringify(result) ?? 'null';
    if (current !== requestId) return;
    current = undefined;
    post({ kind: 'result', requestId, payload: text });
  } catch (error) {
    if (current === requestId) fail(toErrorPayload(error), false);
  }
}

function fail(error: ErrorPayload, fatal: boolean): void {
  post({ kind: 'failure', requestId: current, error, fatal });
  current = undefined;
}

function contextOf(requestId: string, deadline: number) {
  return {
    awsRequestId: requestId,
    functionName: setup.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: setup.functionArn,
    memoryLimitInMB: String(setup.memoryMb),
    logGroupName: process.env['AWS_LAMBDA_LOG_GROUP_NAME'] ?? '',
    logStreamName: process.env['AWS_LAMBDA_LOG_STREAM_NAME'] ?? '',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

/** Converts an error as Lambda's Node.js runtime does: an Error to its name, message and stack, any other value to its type and text. */
function toErrorPayload(error: unknown): ErrorPayload {
  if (error instanceof Error) {
    return {
      errorType: error.name,
      errorMessage: error.message,
      trace: (error.stack ?? '').split('\n'),
    };
  }
  return { errorType: typeof error, errorMessage: String(error), trace: [] };
}

/** What the main thread and a worker send to each other. Payloads are JSON text, as between Lambda and a function. */

export interface WorkerSetup {
  readonly file: string;
  readonly exportName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
}

export interface Invocation {
  readonly requestId: string;
  readonly payload: string;
  /** X-Amzn-Trace-Id of the function's AWS requests: shows which invocation sent a request. */
  readonly traceId: string;
  /** End of the time limit of the invocation, epoch milliseconds. */
  readonly deadline: number;
}

export interface ErrorPayload {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'result'; readonly requestId: string; readonly payload: string }
  | {
      readonly kind: 'failure';
      readonly requestId: string | undefined;
      readonly error: ErrorPayload;
      /** The worker cannot be used again: its module was not loaded, or an error occurred outside of the handler's call. */
      readonly fatal: boolean;
    };
