import type { Execution } from 'stepfunctions-emulator';
import type { DynamoDbCounter } from '../cost/dynamodb-usage.ts';
import { costOf } from '../cost/prices.ts';
import { DUMMY_CREDENTIALS } from '../local/dynamodb/clients.ts';
import type { ServedCloud } from '../local/serve.ts';

/** What a person needs to know once everything runs. */
export function describeStart({ cloud, dynamoDbEndpoint, endpoint, region }: ServedCloud): string {
  const { synthesized, dynamoDb } = cloud;
  const tables = [...synthesized.tables, ...synthesized.existingTables].map(({ name }) => name);
  const schedules = cloud
    .upcoming()
    .map(({ schedule, at }) => `${schedule.name} (next ${at === undefined ? 'never' : time(at)})`);
  const rows = [
    [
      'DynamoDB',
      `${dynamoDbEndpoint}, ${dynamoDb.startedHere ? 'in memory' : 'which was running'}: ${tables.join(', ')}`,
    ],
    ['Step Functions', `${endpoint}: ${synthesized.stateMachines.map(({ name }) => name).join(', ')}`],
    ['schedules', schedules.join(', ')],
  ] as const;
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint,
    AWS_ENDPOINT_URL_SFN: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    ...DUMMY_CREDENTIALS,
  };
  return [
    'What `cdktf deploy` would provision, running on this machine:',
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(15)} ${text}`),
    '',
    ...(dynamoDb.startedHere ? [...openPort(dynamoDb), ''] : []),
    'In another terminal:',
    '',
    ...Object.entries(environment).map(([name, value]) => `export ${name}=${value}`),
    '',
    ...replayExample(cloud),
    '',
    'Each execution that ends is shown below. Ctrl-C stops.',
  ].join('\n');
}

/** What the proxy before it can't take away. */
function openPort({ endpoint }: ServedCloud['cloud']['dynamoDb']): string[] {
  return [
    `DynamoDB Local itself listens on port ${new URL(endpoint).port} of every interface, and can't be told otherwise: whoever`,
    'reaches this machine over a network can read and change these tables, unless a firewall is before it.',
  ];
}

/** The hour before now: the lines shall work as they stand. */
function replayExample({ synthesized }: ServedCloud['cloud']): string[] {
  const [machine] = synthesized.stateMachines;
  if (machine === undefined) return [];
  const minute = 60_000;
  const to = Math.floor(Date.now() / minute) * minute;
  const input = JSON.stringify({ from: iso(to - 60 * minute), to: iso(to) });
  // The variable alone would do, but versions of the CLI before 2.13 don't know it and would ask AWS.
  return [
    `aws stepfunctions start-execution --state-machine-arn ${machine.arn} --input '${input}' --endpoint-url "$AWS_ENDPOINT_URL_SFN"`,
  ];
}

/** One line for an execution that has ended, with its result and what it would cost on AWS. */
export function describeExecution(execution: Execution): string {
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
  return (
    `${time(startDate)}  ${machine.name}:${name}  ${status} in ${took}: ${resultOf(execution)}\n` +
    `${' '.repeat(11)}${parts.join(', ')}: $${costOf(billing).total.toFixed(7)}`
  );
}

const RESULT_LENGTH = 300;

function resultOf({ status, outputText = '', error = 'no error name', cause }: Execution): string {
  const text = status === 'SUCCEEDED' ? outputText : [error, cause].filter(part => part).join(': ');
  return text.length > RESULT_LENGTH ? `${text.slice(0, RESULT_LENGTH)}…` : text;
}

const count = (amount: number, what: string): string | undefined =>
  amount === 0 ? undefined : `${amount.toLocaleString('en-US')} ${what}${amount === 1 ? '' : 's'}`;

const iso = (epochMilliseconds: number): string => new Date(epochMilliseconds).toISOString();

const time = (epochMilliseconds: number): string => `${iso(epochMilliseconds).slice(11, 19)}Z`;
