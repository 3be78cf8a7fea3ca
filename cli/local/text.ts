import type { SeenAlarm } from 'aws-on-loopback/cloudwatch/cloudwatch';
import { DUMMY_CREDENTIALS } from 'aws-on-loopback/dynamodb/clients';
import type { Execution } from 'stepfunctions-emulator';
import { replayName } from '../../config/names.ts';
import type { ResolvedProps } from '../../config/props.ts';
import type { DynamoDbCounter } from '../../cost/dynamodb-usage.ts';
import { costOf } from '../../cost/prices.ts';
import type { InvocationRecord } from '../../local/functions/local-functions.ts';
import type { ServedCloud } from '../../local/serve.ts';
import { describeFailure, localTime, readableLine } from './failure.ts';
import type { Expiring, Seeded } from './seed.ts';
import { describeOnOneLine, describePipes, tableRows } from './sweep-text.ts';

export interface StartOptions {
  /** Whether the schedules start executions. */
  readonly schedules: boolean;
  /** The first table of the configuration. */
  readonly first: Pick<ResolvedProps, 'tableName' | 'sweep'>;
  /** The address of the page of the sweep. @default there is none */
  readonly page?: string | undefined;
  /** The items that `--seed` wrote into the first table. */
  readonly seeded?: Seeded | undefined;
}

/** The text that is shown once all services run. */
export function describeStart(
  served: ServedCloud,
  { schedules: fire, first, page, seeded }: StartOptions,
): string {
  const { cloud, dynamoDbEndpoint, endpoint, schedulerEndpoint, cloudWatchEndpoint } = served;
  const { synthesized, dynamoDb } = cloud;
  const tables = [...synthesized.tables, ...synthesized.existingTables].map(({ name }) => name);
  const schedules = cloud
    .upcoming()
    .map(({ schedule, at }) => `${schedule.name} (next ${at === undefined ? 'never' : localTime(at)})`);
  const rows = [
    [
      'DynamoDB',
      `${dynamoDbEndpoint}, ${dynamoDb.startedHere ? 'in memory' : 'which was running'}: ${tables.join(', ')}`,
    ],
    ['Step Functions', `${endpoint}: ${synthesized.stateMachines.map(({ name }) => name).join(', ')}`],
    ['', `${endpoint}/ in a browser shows them and their executions`],
    ['Scheduler', `${schedulerEndpoint}: ${count(cloud.schedules.length, 'schedule') ?? 'no schedules'}`],
    ['CloudWatch', `${cloudWatchEndpoint}: ${describeAlarms(synthesized.alarms.length)}`],
    ...describePipes(synthesized.pipes),
    ['schedules', fire ? schedules.join(', ') || 'none is enabled' : 'none fires (--no-schedules)'],
    ...(seeded === undefined ? [] : describeSeeded(seeded, fire && schedules.length > 0)),
  ] as const;
  return [
    'What a deployment provisions, running on this machine:',
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(15)} ${text}`),
    '',
    // The address with its token is too long for a row.
    ...(page === undefined ? [] : [`The page of the sweep, for a browser: ${page}`, '']),
    ...(dynamoDb.startedHere ? [...openPort(dynamoDb), ''] : []),
    'In another terminal:',
    '',
    ...Object.entries(environmentOf(served)).map(([name, value]) => `export ${name}=${value}`),
    '',
    ...replayExample(cloud, first, seeded),
    '',
    'Each execution that ends is shown below. Ctrl-C stops.',
  ].join('\n');
}

function describeAlarms(alarms: number): string {
  if (alarms === 0) return 'metrics, no alarms';
  return `metrics, ${alarms === 1 ? 'one alarm' : `${alarms} alarms`}`;
}

/** The environment variables with which an AWS client uses these services. */
export function environmentOf(served: ServedCloud) {
  const { dynamoDbEndpoint, endpoint, schedulerEndpoint, cloudWatchEndpoint, region } = served;
  return {
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint,
    AWS_ENDPOINT_URL_SFN: endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: schedulerEndpoint,
    AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatchEndpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    ...DUMMY_CREDENTIALS,
  };
}

/** The object that `--json` writes once all services run. */
export function factsOf(served: ServedCloud) {
  const { tables, existingTables, stateMachines } = served.cloud.synthesized;
  return {
    environment: environmentOf(served),
    tables: [...tables, ...existingTables].map(({ name }) => name),
    stateMachines: stateMachines.map(({ name, arn }) => ({ name, arn })),
    schedules: served.cloud.upcoming().map(({ schedule, at }) => ({
      name: schedule.name,
      next: at === undefined ? null : iso(at),
    })),
  };
}

/** A warning about the port of DynamoDB Local, which the proxy in front of it cannot close. */
function openPort({ endpoint }: ServedCloud['cloud']['dynamoDb']): string[] {
  return [
    `DynamoDB Local itself listens on port ${new URL(endpoint).port} of every interface, and can't be told otherwise: whoever ` +
      'reaches this machine over a network can read and change these tables, unless a firewall is before it.',
  ];
}

function describeSeeded(
  { tableName, expired, soon, staying }: Seeded,
  swept: boolean,
): (readonly [string, string])[] {
  const all = expired.count + soon.count + staying.count;
  return [
    ['sessions', `${all} written into ${tableName}:`],
    [
      '',
      `${expired.count} expired ${span(expired)}, longer ago than the sweeps look back: replay them, see below`,
    ],
    [
      '',
      `${soon.count} expire ${span(soon)}, ${swept ? 'and go with the next ticks' : 'and stay: no schedule fires'}`,
    ],
    ['', `${staying.count} stay until tomorrow`],
  ];
}

/** `2026-11-20 15:18 to 16:18 UTC` */
const span = ({ from, to }: Expiring): string =>
  `${iso(from).slice(0, 16).replace('T', ' ')} to ${iso(to).slice(11, 16)} UTC`;

/** Example of a replay command. It covers the seeded span, or the last hour, so that it works as printed. */
function replayExample(
  { synthesized }: ServedCloud['cloud'],
  { tableName: table, sweep }: StartOptions['first'],
  seeded: Seeded | undefined,
): string[] {
  const machine = synthesized.stateMachines.find(({ name }) => name === replayName(sweep));
  if (machine === undefined) return [];
  const minute = 60_000;
  const now = Math.floor(Date.now() / minute) * minute;
  const { from, to } = seeded?.expired ?? { from: now - 60 * minute, to: now };
  const input = JSON.stringify({ table, from: iso(from), to: iso(to) });
  // The endpoint variable alone would be enough, but versions of the CLI before 2.13 ignore it and would call AWS.
  return [
    `aws stepfunctions start-execution --state-machine-arn ${machine.arn} --input '${input}' --endpoint-url "$AWS_ENDPOINT_URL_SFN"`,
  ];
}

/**
 * Formats a line that a function printed.
 *
 * @param deployments their names; if there is only one, its name is left out of the names of its functions
 */
export function describeLine(functionName: string, line: string, deployments: readonly string[]): string {
  const [only, another] = deployments;
  const name = another === undefined ? functionName.replace(`${only}-`, '') : functionName;
  return `${localTime(Date.now())}  ${name.padEnd(FUNCTION_LENGTH)}  ${readableLine(line)}`;
}

const FUNCTION_LENGTH = 'record-metrics'.length;

/** Reports on one line that an alarm changed its state. */
export function describeAlarm({ alarm, state, reason, since }: SeenAlarm): string {
  return `${localTime(since)}  ${alarm.name}  ${state}: ${reason}`;
}

export interface EndedOptions {
  /** The last failed call of a function in the execution, if there was one. */
  readonly failedCall?: InvocationRecord | undefined;
  /** Name of the schedule that started the execution, if one did. */
  readonly schedule?: string | undefined;
  /** Shows all that is known of the execution. Otherwise an execution that went well takes one line. @default true */
  readonly verbose?: boolean;
  /** The command is stopping and aborts running executions. @default false */
  readonly stopping?: boolean;
}

/**
 * Describes an execution that has ended: who started it, what it found in which table, or where and why it failed, and what it
 * would cost on AWS. A sweep that found nothing takes one line, and so does an execution that was aborted because the command
 * stopped.
 */
export function describeExecution(
  execution: Execution,
  { failedCall, schedule, stopping = false, verbose = true }: EndedOptions = {},
): string {
  const line = verbose ? undefined : describeOnOneLine(execution, schedule);
  if (line !== undefined) return line;
  const { status, startDate, stopDate = startDate, machine, name, billing } = execution;
  const used = (counter: DynamoDbCounter) => billing.usage[counter] ?? 0;
  const parts = [
    count(billing.stateTransitions, 'transition'),
    count(billing.expressRequests, 'Express request'),
    count(billing.functionInvocations, 'invocation'),
    count(used('dynamoDbCalls'), 'DynamoDB call'),
    count(used('dynamoDbReadUnits'), 'read unit'),
    count(used('dynamoDbWriteUnits'), 'write unit'),
  ].filter(part => part !== undefined);
  const took = `${((stopDate - startDate) / 1000).toFixed(2)} s`;
  const cost = `$${costOf(billing).total.toFixed(7)}`;
  const by = schedule === undefined ? '' : `, by ${schedule}`;
  const which = `${localTime(startDate)}  ${machine.name}:${name}`;
  if (stopping && status === 'ABORTED') {
    return `${which}  cut off after ${took}, as this command was stopped${by}: ${cost}`;
  }
  const succeeded = status === 'SUCCEEDED';
  const head = `${which}  ${status} in ${took}${by}`;
  const tables = tableRows(succeeded ? execution.outputText : execution.cause);
  if (succeeded && tables?.length === 0) return `${head}: nothing to delete, ${cost}`;
  const billed = `${INDENT}${parts.join(', ')}: ${cost}`;
  if (succeeded) {
    const [[table, text] = ['', shorten(execution.outputText ?? '')], another] = tables ?? [];
    const isShort = another === undefined && !text.includes('\n');
    const result = isShort ? `: ${table === '' ? '' : `${table}: `}${text}` : '';
    return [`${head}${result}`, ...(isShort ? [] : rowLines(tables ?? [])), billed].join('\n');
  }
  const failure = describeFailure(execution, failedCall);
  // A sweep that leaves items fails, and the cause of its failure is its report, which is shown already.
  const why = tables === undefined ? failure : failure.filter(([row]) => row !== 'cause');
  return [head, ...rowLines([...why, ...(tables ?? [])]), billed].join('\n');
}

const INDENT = ' '.repeat(11);
const ROW_LENGTH = 'failed call'.length;

/** Formats rows: a name and a text, which may have several lines. */
function rowLines(rows: readonly (readonly [row: string, text: string])[]): string[] {
  const length = Math.max(ROW_LENGTH, ...rows.map(([row]) => row.length)) + 2;
  return rows.flatMap(([row, text]) =>
    row === ''
      ? [`${INDENT}${text}`]
      : text.split('\n').map((line, index) => `${INDENT}${(index === 0 ? row : '').padEnd(length)}${line}`),
  );
}

const RESULT_LENGTH = 300;

const shorten = (text: string): string =>
  text.length > RESULT_LENGTH ? `${text.slice(0, RESULT_LENGTH)}…` : text;

const count = (amount: number, what: string): string | undefined =>
  amount === 0 ? undefined : `${amount.toLocaleString('en-US')} ${what}${amount === 1 ? '' : 's'}`;

const iso = (epochMilliseconds: number): string => new Date(epochMilliseconds).toISOString();
