/** Texts that `precise-ttl local` prints: one when it has started, then lines about executions, expiries and functions. */
import { Execution } from 'stepfunctions-emulator';
import { isObject } from '../expiry/fields.ts';
import { jsonObject, leftNothing, readExecutionReport } from '../functions/report/sweep-totals.ts';
import { DUMMY_CREDENTIALS } from '../local/dynamodb/clients.ts';
import type { InvocationRecord } from '../local/functions/local-functions.ts';
import type { DeliveredExpiry, PipeResource } from '../local/pipes/pipes.ts';
import type { ServedCloud } from '../local/serve.ts';
import { replayName } from '../stacks/config/names.ts';
import type { ResolvedProps } from '../stacks/config/props.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';
import { timeOfDay } from './dashboard/words.ts';
import { aligned, countsText } from './format.ts';
import { wholeReport } from './journal.ts';

const shorten = (told: string, length: number): string =>
  told.length > length ? `${told.slice(0, length)}…` : told;

/** A pipe's target without the beginning of its ARN, e.g. `event-bus/default` or `deliverystream/…`. */
const targetOf = ({ targetArn }: PipeResource): string => targetArn.split(':').slice(5).join(':');

/** Environment variables with which AWS clients use the local services. */
export function environmentOf({ region, ...served }: ServedCloud) {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: served.dynamoDbEndpoint,
    AWS_ENDPOINT_URL_SFN: served.endpoint,
    ...{ AWS_REGION: region, AWS_DEFAULT_REGION: region, ...DUMMY_CREDENTIALS },
  };
}

/** What `precise-ttl local --json FILE` writes to the file. */
export function factsOf(served: ServedCloud) {
  const { schedules, synthesized } = served.cloud;
  const { tables, stateMachines } = synthesized;
  return {
    environment: environmentOf(served),
    tables: tables.map(({ name }) => name),
    stateMachines: stateMachines.map(({ name, arn }) => ({ name, arn })),
    schedules: schedules.upcoming().map(({ schedule, at }) => ({ name: schedule.name, next: iso(at) })),
  };
}

/** The text printed at the start. @param fire whether schedules start executions @param page address of the page of `status --page` */
export function describeStart(
  served: ServedCloud,
  first: Pick<ResolvedProps, 'tableName' | 'deployment'>,
  fire: boolean,
  page: string,
): string {
  const { cloud, dynamoDbEndpoint, endpoint } = served;
  const { tables, stateMachines, pipes } = cloud.synthesized;
  const names = tables.map(({ name }) => name).join(', ');
  const { startedHere, endpoint: openAt } = cloud.dynamoDb;
  const next = cloud.schedules
    .upcoming()
    .map(({ schedule, at }) => `${schedule.name} (next ${timeOfDay(at)})`);
  const notSent = 'its expiries are shown here, none is sent';
  const replays = stateMachines.find(({ name }) => name === replayName(first.deployment))?.arn;
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const input = JSON.stringify({ table: first.tableName, from: iso(now - 60 * MINUTE_MS), to: iso(now) });
  return [
    'What a deployment provisions, running on this machine:',
    aligned([
      ['DynamoDB', `${dynamoDbEndpoint}, ${startedHere ? 'in memory' : 'which was running'}: ${names}`],
      ['Step Functions', `${endpoint}: ${stateMachines.map(({ name }) => name).join(', ')}`],
      ['', `${endpoint}/ in a browser shows them and their executions`],
      ...pipes.map(pipe => ['pipe', `${pipe.tableName} to ${targetOf(pipe)}: ${notSent}`] as const),
      ['schedules', fire ? next.join(', ') || 'none is enabled' : 'none fires (--no-schedules)'],
    ]),
    // The page's address contains a token, and so is too long for the aligned lines above.
    `The page of the sweep, for a browser: ${page}`,
    startedHere &&
      `DynamoDB Local itself listens on port ${new URL(openAt).port} of every interface, and can't be told otherwise: whoever reaches this machine over a network can read and change these tables, unless a firewall is before it.`,
    'In another terminal:',
    Object.entries(environmentOf(served))
      .map(([name, value]) => `export ${name}=${value}`)
      .join('\n'),
    // The AWS CLI before 2.13 needs `--endpoint-url`: these versions ignore `AWS_ENDPOINT_URL_SFN`, and would call AWS.
    `aws stepfunctions start-execution --state-machine-arn ${replays} --input '${input}' --endpoint-url "$AWS_ENDPOINT_URL_SFN"`,
    'Each execution that ends is shown below. Ctrl-C stops.',
  ]
    .filter(Boolean)
    .join('\n\n');
}

const MINUTE_MS = 60_000;
const iso = (epochMs: number): string => new Date(epochMs).toISOString();

export const describeExpiry = ({ pipe, event }: DeliveredExpiry): string =>
  `${timeOfDay(Date.now())}  expiry  ${targetOf(pipe)}  ${JSON.stringify(event)}`;

export const describePipeTrouble = (error: unknown, { address }: PipeResource): string =>
  `${timeOfDay(Date.now())}  ${address}  ${error}; it is tried again`;

/** Time of day, function, and the line that the function printed. @param deployment prefix that is removed from the function's name */
export function describeLine(functionName: string, line: string, deployment: string): string {
  const name = functionName.replace(`${deployment}-`, '');
  return `${timeOfDay(Date.now())}  ${name.padEnd('record-metrics'.length)}  ${readableLine(line)}`;
}

/** Names of the fields that Lambda and the Powertools add to JSON log lines. `readableLine` leaves these fields out. */
const ENVELOPE =
  /^(timestamp|service|requestId|function_(arn|memory_size|name|request_id)|cold_start|sampling_rate|xray_trace_id)$/;

/** Shortens a printed line: a JSON log line to level, message and other fields, embedded metrics to `METRIC` and fields. */
export function readableLine(line: string): string {
  const { _aws: metrics, level = metrics && 'METRIC', message = '', ...more } = jsonObject(line) ?? {};
  if (typeof level !== 'string') return shorten(line, 400);
  const told = typeof message === 'string' ? message : JSON.stringify(message);
  const fields = Object.entries(more)
    .filter(([name]) => !ENVELOPE.test(name))
    .map(([name, value]) => `${name}=${shorten(inWords(value), 60)}`);
  return [level.toUpperCase().padEnd(6), shorten(told, 400), shorten(fields.join(' '), 160)]
    .filter(Boolean)
    .join('  ');
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return value;
  // Of an error that the Powertools logged, only name and message are shown: the stack would fill the line.
  const isError = isObject(value) && 'stack' in value && 'message' in value;
  return isError ? `${value['name']}: ${value['message']}` : JSON.stringify(value);
}

interface EndedOptions {
  /** The last failed call of a function in the execution or in its children. */
  readonly failedCall?: InvocationRecord | undefined;
  /** Name of the schedule that started the execution, if a schedule did. */
  readonly schedule?: string | undefined;
  /** Whether the command is stopping, which aborts running executions. @default false */
  readonly stopping?: boolean;
}

/** One line about an ended execution. If it failed or did not delete some items, more lines tell why, and which items. */
export function describeExecution(
  execution: Execution,
  { failedCall, schedule, stopping }: EndedOptions = {},
): string {
  const { status, startDate, stopDate = startDate, machine, outputText, cause } = execution;
  const took = `${((stopDate - startDate) / 1_000).toFixed(1)} s`;
  const kind = machine.name.endsWith(replayName(''))
    ? 'replay'
    : schedule === undefined
      ? machine.name
      : 'tick';
  const line = `${timeOfDay(startDate)}  ${kind.padEnd('replay'.length)}  `;
  if (stopping && status === 'ABORTED') return `${line}cut off after ${took}, as this command was stopped`;
  const reports = reportsOf(status === 'SUCCEEDED' ? outputText : cause);
  const left = reports.filter(([, report]) => report.failure !== undefined || !leftNothing(report));
  if (status === 'SUCCEEDED' && left.length === 0)
    return `${line}${readExecutionReport(outputText) === undefined ? `succeeded in ${took}` : describeSwept(reports)}`;
  const failure = status === 'SUCCEEDED' ? [] : describeFailure(execution, failedCall);
  // The row `cause` is left out: it is JSON with the same reports that the rows below show.
  const why = reports.length > 0 ? failure.filter(([row]) => row !== 'cause') : failure;
  const rows = [
    ...why,
    ...left.slice(0, 10).map(([table, report]) => [table, describeLeft(report)] as const),
  ];
  const shown = rows.flatMap(([row, told]) =>
    told.split('\n').map((each, at) => [at === 0 ? row : '', each] as const),
  );
  return [`${line}${status} in ${took}, ${execution.name}`, aligned(shown)].filter(Boolean).join('\n');
}

type Reports = readonly (readonly [table: string, report: SweepReport])[];

/** The reports, in an execution's output or cause, of the tables that had expired items or a failure. */
function reportsOf(said: unknown): Reports {
  const { tables = {}, notRecorded } = readExecutionReport(said) ?? {};
  return Object.entries(notRecorded === undefined ? tables : {})
    .map(([table, report]) => [table, wholeReport(report)] as const)
    .filter(([, report]) => report.found + report.leftForLater > 0 || report.failure || !leftNothing(report));
}

const describeSwept = (reports: Reports): string =>
  reports
    .map(
      ([table, { dryRun, lagMs, ...counts }]) =>
        `${table}: ${countsText(counts, lagMs)}${dryRun ? ' (dry run)' : ''}`,
    )
    .join('; ') || 'nothing to delete';

function describeLeft({ failure, lagMs, failedKeys, ...counts }: SweepReport): string {
  const why = failure && `${failure.error}: ${shorten(failure.message.split('\n')[0] ?? '', 200)}`;
  const keys = failedKeys.slice(0, 5).map(key => JSON.stringify(key));
  return [countsText(counts, lagMs), ...(why ? [why] : []), ...keys].join('\n');
}

type Rows = readonly (readonly [name: string, told: string])[];

/** Rows that tell why an execution failed. @param call the last failed call of a function in the execution or in its children */
export function describeFailure({ error = '', cause = '' }: Execution, call?: InvocationRecord): Rows {
  const { errorType = '', errorMessage = '' } = call?.error ?? {};
  const rows: Rows = [
    ['error', error],
    ...describeCause(cause),
    ['function', call?.functionName ?? ''],
    // This row is left out if the execution ended with the same error, because the row `error` shows that error.
    ['its error', errorType === error ? '' : [errorType, errorMessage].filter(Boolean).join(': ')],
    ['printed', call?.lines.map(readableLine).join('\n') ?? ''],
  ];
  return rows.filter(([, told]) => told !== '');
}

/** Rows with message and stack if the cause is a function's error, otherwise one row with the shortened cause. */
function describeCause(cause: string): Rows {
  const { errorMessage, trace } = jsonObject(cause) ?? {};
  if (errorMessage === undefined) return [['cause', shorten(cause, 1_000)]];
  // Only the innermost calls of the stack are shown, without the folders of their files.
  const calls = (Array.isArray(trace) ? trace : []).map(String).filter(each => /^ *at /.test(each));
  const short = calls.map(each => each.trim().replace(/(file:\/)?\/[^\s"()]*\/(?=[^/\s"()]+)/, ''));
  return [
    ['message', String(errorMessage)],
    ['stack', short.slice(0, 5).join('\n')],
  ];
}

const MOST_CALLS = 1_000;

/** Keeps the failed function calls of running executions, for {@link describeExecution} when an execution has ended. */
export class FailedCalls {
  #calls: readonly InvocationRecord[] = [];

  add(record: InvocationRecord): void {
    // If a call fails after its execution has ended, `take` never removes the call. Without this limit the list could grow for ever.
    if (!record.ok) this.#calls = [...this.#calls, record].slice(-MOST_CALLS);
  }

  /** Forgets the failed calls of an execution and its children. @returns the execution's last failed call, or else its children's last */
  take(execution: Execution): InvocationRecord | undefined {
    const arns = new Set(familyOf(execution).map(({ arn }) => arn));
    const { own = [], others = [] } = Object.groupBy(this.#calls, ({ executionArn = '' }) =>
      arns.has(executionArn) ? 'own' : 'others',
    );
    this.#calls = others;
    return own.findLast(({ executionArn }) => executionArn === execution.arn) ?? own.at(-1);
  }
}

/** The execution and the child executions of its Map Runs, at any depth. */
const familyOf = (execution: Execution): Execution[] => {
  const children = execution.mapRuns.flatMap(({ executions }) => executions);
  return [execution, ...children.filter(child => child instanceof Execution).flatMap(familyOf)];
};
