/** The job of `precise-ttl local`: serves the synthesized deployment until Ctrl-C. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { DUMMY_CREDENTIALS } from '../local/dynamodb/clients.ts';
import { type ServedCloud, type ServeOptions, serve } from '../local/serve.ts';
import { localStack } from '../local/stack/synthesized.ts';
import { checkConfig } from '../stacks/config/config.ts';
import { replayName } from '../stacks/config/names.ts';
import type { ResolvedProps } from '../stacks/config/props.ts';
import { tablesOf } from './command.ts';
import { aligned, timeOfDay } from './dashboard/words.ts';
import {
  describeExecution,
  describeExpiry,
  describeLine,
  describePipeTrouble,
  FailedCalls,
  targetOf,
} from './local-lines.ts';
import { print, printError } from './print.ts';
import { startPage } from './status.ts';

interface LocalJobOptions extends Pick<ServeOptions, 'dynamoDbPort' | 'sfnPort'> {
  readonly schedules: boolean;
  /** The value that the configuration file exports. It is not checked yet. */
  readonly config: unknown;
  /** File for the addresses of the running services, as JSON. */
  readonly factsFile: string | undefined;
  /** Whether all output of the functions is shown; otherwise only the output of failed calls. */
  readonly verbose: boolean;
  readonly signal: AbortSignal;
}

/**
 * Maximum number of child executions of a replay at a time. On AWS each call has a function instance of its own. On this machine calls wait
 * in a queue while the timeouts of their tasks run. With too many children, even the calls of the ticks timed out.
 */
const CHILDREN_AT_ONCE = 5;

/**
 * V8 collects garbage when a heap has grown by this percentage over the memory in use. V8's default under load is up to four times that
 * memory, and V8 returns the memory late or never. With a limit (`--max-old-space-size`) the process would end.
 */
const GROWING_PERCENT = 40;

/** @throws {InvalidFieldError}, {InvalidConfigError} or {LocalCloudError}, with a message for the user */
export async function runLocalJob({
  signal,
  verbose,
  factsFile,
  ...options
}: LocalJobOptions): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
  const config = checkConfig(options.config);
  const [{ props: first }] = tablesOf(config);
  const failedCalls = new FailedCalls();
  const served = await serve({
    ...{ ...options, stack: localStack(config), environment: process.env },
    childrenAtOnce: CHILDREN_AT_ONCE,
    pipes: {
      onExpiry: delivered => print(describeExpiry(delivered)),
      onError: (error, pipe) => printError(describePipeTrouble(error, pipe)),
    },
    functions: {
      onInvocation: record => failedCalls.add(record),
      ...(verbose && { onLog: (name, line) => print(describeLine(name, line, first.deployment)) }),
    },
    onExecution(execution, schedule) {
      const failedCall = failedCalls.take(execution);
      print(describeExecution(execution, { failedCall, schedule, stopping: signal.aborted }));
    },
    onScheduleError: (error, { schedule }) => printError(`${schedule.name} didn't start: ${error}`),
  });
  const page = await startPage(config, undefined, environmentOf(served), served.endpoint);
  try {
    if (factsFile !== undefined) writeFileSync(factsFile, `${JSON.stringify(factsOf(served), null, 2)}\n`);
    print(describeStart(served, first, options.schedules, page.address));
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await page.stop();
    await served.stop();
  }
}

/** The variables with which an AWS client uses the local services. */
function environmentOf({ region, ...served }: ServedCloud) {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: served.dynamoDbEndpoint,
    AWS_ENDPOINT_URL_SFN: served.endpoint,
    ...{ AWS_REGION: region, AWS_DEFAULT_REGION: region, ...DUMMY_CREDENTIALS },
  };
}

/** The content of the `--json` file. */
function factsOf(served: ServedCloud) {
  const { tables, stateMachines } = served.cloud.synthesized;
  return {
    environment: environmentOf(served),
    tables: tables.map(({ name }) => name),
    stateMachines: stateMachines.map(({ name, arn }) => ({ name, arn })),
    schedules: served.cloud.schedules.upcoming().map(({ schedule, at }) => ({
      name: schedule.name,
      next: iso(at),
    })),
  };
}

/** @param fire whether the schedules start executions @param page address of the page of the sweep */
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
  const replays = stateMachines.find(({ name }) => name === replayName(first.deployment))?.arn;
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const input = JSON.stringify({ table: first.tableName, from: iso(now - 60 * MINUTE_MS), to: iso(now) });
  return [
    'What a deployment provisions, running on this machine:',
    aligned([
      ['DynamoDB', `${dynamoDbEndpoint}, ${startedHere ? 'in memory' : 'which was running'}: ${names}`],
      ['Step Functions', `${endpoint}: ${stateMachines.map(({ name }) => name).join(', ')}`],
      ['', `${endpoint}/ in a browser shows them and their executions`],
      ...pipes.map(
        pipe =>
          [
            'pipe',
            `${pipe.tableName} to ${targetOf(pipe)}: its expiries are shown here, none is sent`,
          ] as const,
      ),
      ['schedules', fire ? next.join(', ') || 'none is enabled' : 'none fires (--no-schedules)'],
    ]),
    // The page's address has a token, and so is too long for a row of the table above.
    `The page of the sweep, for a browser: ${page}`,
    ...(startedHere
      ? [
          // This warning is needed because the proxy cannot close DynamoDB Local's own port.
          `DynamoDB Local itself listens on port ${new URL(openAt).port} of every interface, and can't be told otherwise: whoever reaches this machine over a network can read and change these tables, unless a firewall is before it.`,
        ]
      : []),
    'In another terminal:',
    Object.entries(environmentOf(served))
      .map(([name, value]) => `export ${name}=${value}`)
      .join('\n'),
    // `AWS_ENDPOINT_URL_SFN` would be enough, but versions of the AWS CLI before 2.13 ignore the variable and would call AWS.
    `aws stepfunctions start-execution --state-machine-arn ${replays} --input '${input}' --endpoint-url "$AWS_ENDPOINT_URL_SFN"`,
    'Each execution that ends is shown below. Ctrl-C stops.',
  ].join('\n\n');
}

const MINUTE_MS = 60_000;
const iso = (epochMs: number): string => new Date(epochMs).toISOString();
