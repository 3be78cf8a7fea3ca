import type { ExecutionStatus, Json } from '../interpreter/index.ts';
import type { FunctionCall } from './mocked-functions.ts';
import type { RetryRecord } from './retries.ts';
import type { Visit } from './visits.ts';

const PAYLOAD_LENGTH = 80;
const CAUSE_LENGTH = 400;
/** A long history is shown only with its beginning and its end. */
const FIRST_VISITS = 12;
const LAST_VISITS = 12;

/** The parts of an execution that are printed. */
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
  readonly retries: readonly RetryRecord[];
}

/** Describes an execution in a few lines: its status, each state with its input and output, and the calls of functions. */
export function describeExecution(execution: Described): string {
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
  const { name, type, input, output, enteredDate, exitedDate, cutOffDate } = visit;
  const end =
    exitedDate !== undefined ? payload(output) : cutOffDate !== undefined ? 'was cut off' : 'failed';
  const calls = shown.calls.filter(
    call => call.enteredEventId === visit.enteredEventId && call.executionArn === visit.executionArn,
  );
  const took = (exitedDate ?? cutOffDate ?? enteredDate) - enteredDate;
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
