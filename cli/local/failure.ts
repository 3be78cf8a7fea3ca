import { Execution, type HistoryEvent } from 'stepfunctions-emulator';
import type { InvocationRecord } from '../../local/functions/local-functions.ts';
import { jsonObject } from '../../operate/json-object.ts';

/** `09:01:00Z` */
export const localTime = (epochMilliseconds: number): string =>
  `${new Date(epochMilliseconds).toISOString().slice(11, 19)}Z`;

/** Characters of a line that are shown at most, without its message. */
const REST_LENGTH = 160;
/** Longer values are cut off. */
const VALUE_LENGTH = 60;
const TEXT_LENGTH = 400;

/** Fields that Lambda and the Powertools put into every JSON log line, and fields that are shown elsewhere. */
const ENVELOPE = new Set([
  'level',
  'message',
  'timestamp',
  'service',
  'requestId',
  'function_arn',
  'function_memory_size',
  'function_name',
  'function_request_id',
  'cold_start',
  'sampling_rate',
  'xray_trace_id',
]);

/**
 * Formats a line that a function printed: level, message and a short form of the other fields for a JSON log line; the values for
 * embedded metrics; any other line unchanged.
 */
export function readableLine(line: string): string {
  const document = jsonObject(line);
  if (document === undefined) return shorten(line, TEXT_LENGTH);
  if (typeof document['_aws'] === 'object') return join('METRIC', fields(document, metricNames(document)));
  const { level, message } = document;
  if (typeof level !== 'string' || message === undefined) return shorten(line, TEXT_LENGTH);
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const rest = Object.keys(document).filter(name => !ENVELOPE.has(name));
  return join(level.toUpperCase(), shorten(text, TEXT_LENGTH), fields(document, rest));
}

const LEVEL_LENGTH = 'METRIC'.length;

function join(level: string, ...parts: readonly string[]): string {
  return [level.padEnd(LEVEL_LENGTH), ...parts.filter(Boolean)].join('  ');
}

/** `name=value name=value …` */
function fields(
  document: Readonly<Record<string, unknown>>,
  names: readonly string[],
  most = REST_LENGTH,
): string {
  return shorten(
    names.map(name => `${name}=${shorten(shownValue(document[name]), VALUE_LENGTH)}`).join(' '),
    most,
  );
}

/** Names of the metrics in a document. Source: the embedded metric format, "_aws.CloudWatchMetrics[].Metrics[].Name". */
function metricNames(document: Readonly<Record<string, unknown>>): string[] {
  const { CloudWatchMetrics: directives } = document['_aws'] as { CloudWatchMetrics?: unknown };
  if (!Array.isArray(directives)) return [];
  return directives.flatMap((directive: { Metrics?: unknown } | null) =>
    Array.isArray(directive?.Metrics)
      ? directive.Metrics.map((metric: { Name?: unknown } | null) => String(metric?.Name))
      : [],
  );
}

function shownValue(value: unknown): string {
  if (typeof value === 'string') return value;
  // An error as the Powertools log it: its stack would fill the line.
  if (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'message' in value &&
    'stack' in value
  ) {
    return `${value.name}: ${value.message}`;
  }
  return JSON.stringify(value) ?? '';
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The description of a failed execution: names, each with its value. */
export type FailureRows = readonly (readonly [name: string, text: string])[];

/** Innermost calls of a stack that are shown; they come first in it. */
const STACK_CALLS = 5;
const CAUSE_LENGTH = 1_000;
/** The error of a Map that failed because too many of its child executions failed. */
const TOO_MANY_FAILED = 'States.ExceedToleratedFailureThreshold';

/**
 * Says where and why an execution failed.
 *
 * @param call the last failed call of a function in it or in its children, if there was one
 */
export function describeFailure(execution: Execution, call: InvocationRecord | undefined): FailureRows {
  const { states, failed } = placeOf(execution);
  const { error, cause } = failed;
  const functionName = functionOf(failed.events);
  const rows: [string, string][] = [
    ['state', states.join(' → ')],
    ['function', functionName ?? ''],
    ['error', error ?? ''],
    ...describeCause(cause ?? ''),
    ...(call === undefined ? [] : describeCall(call, call.functionName === functionName)),
  ];
  return rows.filter(([, text]) => text !== '');
}

interface Failed {
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
  /** From the event of the failure back to the event that names the state. */
  readonly events: readonly HistoryEvent[];
}

/** The failed state and the states around it, in this execution or in a child whose failure was not tolerated. */
function placeOf(execution: Execution): { readonly states: readonly string[]; readonly failed: Failed } {
  const { error, cause, history } = execution;
  const told = history.findLast(event => tellsOf(error, event) || isFinalFail(event, history));
  const events = lineBefore(told ?? history.at(-1), history);
  const state = events.map(stateOf).find(name => name !== undefined);
  const states = state === undefined ? [] : [state];
  const child = error === TOO_MANY_FAILED ? childrenOf(execution).find(hasFailed) : undefined;
  if (child === undefined) return { states, failed: { error, cause, events } };
  const inside = placeOf(child);
  return { states: [...states, ...inside.states], failed: inside.failed };
}

const hasFailed = ({ status }: Execution) => status === 'FAILED' || status === 'TIMED_OUT';

/** Whether an event reports a call, or an expression, that failed with this error. */
function tellsOf(error: string | undefined, { type, ...event }: HistoryEvent): boolean {
  const details = Object.entries(event).find(([name]) => name.endsWith('EventDetails'))?.[1];
  return (
    /^(LambdaFunction|Task|Evaluation).*(Failed|TimedOut)$/.test(type) &&
    (details as { error?: unknown } | undefined)?.error === error
  );
}

/** Whether an event enters a Fail state whose error was not caught. */
function isFinalFail({ type, id }: HistoryEvent, history: readonly HistoryEvent[]): boolean {
  return (
    type === 'FailStateEntered' && !history.slice(id).some(later => /State(Entered|Exited)$/.test(later.type))
  );
}

/** An event and its predecessors in the same branch, the last one first. */
function lineBefore(last: HistoryEvent | undefined, history: readonly HistoryEvent[]): HistoryEvent[] {
  const events: HistoryEvent[] = [];
  for (let event = last; event !== undefined; event = history[event.previousEventId - 1]) events.push(event);
  return events;
}

/** The state that an event names. A failed expression in a state's entry has no event for that entry, but names the state itself. */
function stateOf(event: HistoryEvent): string | undefined {
  const { type, stateEnteredEventDetails: entered, evaluationFailedEventDetails: evaluation } = event;
  if (type === 'EvaluationFailed') return String(evaluation?.['state']);
  return type.endsWith('StateEntered') ? String(entered?.['name']) : undefined;
}

/** The name of the function that the state calls. */
function functionOf(events: readonly HistoryEvent[]): string | undefined {
  for (const { type, lambdaFunctionScheduledEventDetails, taskScheduledEventDetails } of events) {
    if (type.endsWith('StateEntered')) return undefined;
    const direct = lambdaFunctionScheduledEventDetails?.['resource'];
    const invoked = taskScheduledEventDetails?.['parameters'];
    const name =
      direct ?? (invoked && (JSON.parse(String(invoked)) as { FunctionName?: unknown }).FunctionName);
    // arn:aws:lambda:<region>:<account>:function:<name>
    if (typeof name === 'string') return name.split(':')[6] ?? name;
  }
  return undefined;
}

/** The cause of a failure as rows: a function's error as its message and stack, another object by its fields, anything else unchanged. */
function describeCause(cause: string): [string, string][] {
  const payload = jsonObject(cause);
  if (payload === undefined) return [['cause', cause]];
  const { errorMessage, trace, stackTrace } = payload;
  if (errorMessage === undefined) return [['cause', fields(payload, Object.keys(payload), CAUSE_LENGTH)]];
  return [
    ['message', String(errorMessage)],
    ['stack', callsOf(trace ?? stackTrace).join('\n')],
  ];
}

/** The calls of a stack from Node.js or Python, without the error's own lines and the folders of the files. */
function callsOf(stack: unknown): string[] {
  const lines = Array.isArray(stack) ? stack.map(String) : [];
  const calls = lines.map(line => line.trim()).filter(line => /^(at |File )/.test(line));
  return calls.slice(0, STACK_CALLS).map(call => call.replace(/(file:\/)?\/[^\s"()]*\/(?=[^/\s"()]+)/, ''));
}

function describeCall(
  { functionName, error, lines }: InvocationRecord,
  isCause: boolean,
): [string, string][] {
  return [
    ...(isCause || error === undefined
      ? []
      : [['failed call', `${functionName}: ${error.errorType}: ${error.errorMessage}`] as [string, string]]),
    ['printed', lines.map(readableLine).join('\n')],
  ];
}

/** The most executions and child executions whose last failed call is remembered: more than run at the same time. */
const MOST = 1_000;

/** The last failed call of a function in each running execution. Its log lines explain the failure. */
export class FailedCalls {
  readonly #byExecution = new Map<string, InvocationRecord>();

  add(record: InvocationRecord): void {
    const { executionArn, ok } = record;
    if (ok || executionArn === undefined) return;
    this.#byExecution.delete(executionArn);
    this.#byExecution.set(executionArn, record);
    // A call may fail after its execution has ended: nobody takes such an entry, so the oldest are dropped.
    for (const oldest of this.#byExecution.keys()) {
      if (this.#byExecution.size <= MOST) return;
      this.#byExecution.delete(oldest);
    }
  }

  /**
   * Removes the failed calls of an execution and its children, and returns one of them.
   *
   * @returns its own last failed call, or else the last one of its children; undefined when none failed
   */
  take(execution: Execution): InvocationRecord | undefined {
    const own = this.#byExecution.get(execution.arn);
    this.#byExecution.delete(execution.arn);
    const ofChildren = childrenOf(execution)
      .map(child => this.take(child))
      .filter(record => record !== undefined)
      .sort((one, other) => one.startedAt - other.startedAt);
    return own ?? ofChildren.at(-1);
  }
}

/** Child executions that the Map Runs of an execution started. */
export function childrenOf({ mapRuns }: Execution): Execution[] {
  return mapRuns.flatMap(({ executions }) => executions).filter(child => child instanceof Execution);
}
