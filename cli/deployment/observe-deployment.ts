import {
  GetAccountSettingsCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  ResourceNotFoundException as NoSuchFunction,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import {
  GetScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import {
  DescribeExecutionCommand,
  type ExecutionListItem,
  ListExecutionsCommand,
  paginateListExecutions,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { fileOf, type StreamFunctionName } from '../../functions/function-list.ts';
import { variableOf } from '../../functions/runtime/variables.ts';
import { alarmNamesOf } from '../../stacks/alarms.ts';
import { deploymentOf } from '../../stacks/deployments.ts';
import { deadLetterQueueOf } from '../../stacks/names.ts';
import { schedulesOf } from '../../stacks/schedules-of.ts';
import { streamFunctionsOf } from '../../stacks/stream-props.ts';
import { executionArnOf } from '../aws/executions.ts';
import { openExecutions } from '../aws/open-executions.ts';
import { type ListedStateMachine, listStateMachines } from '../aws/state-machines.ts';
import { type Firing, firingOf } from '../schedules.ts';
import { type Checked, check, type NotChecked, notAsked } from './check.ts';
import type { DeploymentClients } from './clients.ts';
import { observeAlarms, type SeenAlarm } from './observe-alarms.ts';
import type { Subject } from './subject.ts';

/** Longer without a sweep that succeeded is a fault: one starts every minute and takes two. */
export const STALE_MS = 10 * 60 * 1000;

/** A schedule as EventBridge Scheduler has it. */
export interface SeenSchedule extends Firing {
  readonly expression: string;
  /** JSON. */
  readonly input: string;
  /** ARN. */
  readonly target: string;
}

/** An execution that did not succeed. */
export interface FailedExecution {
  readonly name: string;
  /** FAILED, TIMED_OUT or ABORTED. */
  readonly status: string;
  readonly stoppedAt: Date;
  readonly error?: string | undefined;
  /** A report as JSON, or prose. */
  readonly cause?: string | undefined;
}

export interface SeenExecutions {
  /** The newest one that succeeded, but for replays: nobody starts those by the minute. */
  readonly lastSuccess: Date | undefined;
  /** Of the last day, the newest first. */
  readonly failed: readonly FailedExecution[];
  /** There are more of them. */
  readonly moreFailed: boolean;
  /** Why the errors and causes of these are not known. */
  readonly causesNotChecked: NotChecked | undefined;
  readonly running: number;
}

/** What is deployed for a table; undefined for what is not there. */
export interface SeenDeployment {
  readonly stateMachine: Checked<ListedStateMachine | undefined>;
  /** Not asked for without a state machine. */
  readonly executions: Checked<SeenExecutions> | undefined;
  /** By their names. */
  readonly schedules: ReadonlyMap<string, Checked<SeenSchedule | undefined>>;
  /** Messages in the dead-letter queue. */
  readonly deadLetters: Checked<number | undefined>;
  /** The alarms that there are, of those that the configuration asks for. */
  readonly alarms: Checked<readonly SeenAlarm[]>;
  /** Functions that the account may run at once and that no function has reserved for itself. */
  readonly concurrency: Checked<number>;
  /** The attribute that holds items, as the functions that are deployed know it. */
  readonly holdAttribute: Checked<string | undefined>;
  /** Of the functions that the stream calls, those that the configuration asks for; empty for one that nothing calls. */
  readonly streamReaders: ReadonlyMap<StreamFunctionName, Checked<readonly SeenStreamReader[]>>;
}

/** An event source mapping as Lambda has it. */
export interface SeenStreamReader {
  readonly uuid: string;
  /** Of the stream that it reads. It stays on that one when the table gets another. */
  readonly streamArn: string;
  /** Enabled, Disabled, and in between Enabling and so on. */
  readonly state: string;
  /** `OK`, `No records processed`, or what was wrong; undefined when nothing was read yet. */
  readonly lastResult: string | undefined;
}

/** Failed executions whose cause is asked for. */
const DESCRIBED = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 100;
const SUCCESS_PAGES = 20;

/**
 * Asks what is deployed.
 * @param now epoch milliseconds
 */
export async function observeDeployment(
  { sfn, scheduler, sqs, lambda, cloudWatch }: DeploymentClients,
  subject: Subject,
  now: number,
): Promise<SeenDeployment> {
  const stateMachine = await observeStateMachine(sfn, subject);
  return {
    stateMachine,
    executions: sfn && (await executionsOf(sfn, stateMachine, now)),
    schedules: await observeSchedules(scheduler, subject),
    deadLetters: sqs
      ? await observeQueue(sqs, deadLetterQueueOf(subject.props.sweep), subject.region)
      : notAsked('SQS'),
    alarms: cloudWatch
      ? await observeAlarms(
          cloudWatch,
          { names: alarmNamesOf(deploymentOf([subject.props])) },
          subject.region,
        )
      : notAsked('CloudWatch'),
    concurrency: lambda ? await observeConcurrency(lambda) : notAsked('Lambda'),
    holdAttribute: lambda ? await observeHoldAttribute(lambda, subject) : notAsked('Lambda'),
    streamReaders: new Map(
      await Promise.all(
        streamFunctionsOf(subject.props).map(
          async reader =>
            [
              reader,
              lambda
                ? await observeStreamReaders(lambda, `${subject.props.name}-${fileOf(reader)}`)
                : notAsked('Lambda'),
            ] as const,
        ),
      ),
    ),
  };
}

async function executionsOf(
  sfn: SFNClient,
  stateMachine: SeenDeployment['stateMachine'],
  now: number,
): Promise<Checked<SeenExecutions> | undefined> {
  if ('notChecked' in stateMachine || stateMachine.seen === undefined) return undefined;
  return observeExecutions(sfn, stateMachine.seen.arn, now);
}

/** @param sfn undefined when it must not be asked */
export async function observeStateMachine(
  sfn: SFNClient | undefined,
  { props: { sweep: name } }: Subject,
): Promise<Checked<ListedStateMachine | undefined>> {
  if (sfn === undefined) return notAsked('Step Functions');
  return check('states:ListStateMachines', '*', async () => (await listStateMachines(sfn, [name])).get(name));
}

/**
 * The schedules that a table should have, by their names.
 * @param scheduler undefined when it must not be asked
 */
export async function observeSchedules(
  scheduler: SchedulerClient | undefined,
  { props, region }: Subject,
): Promise<SeenDeployment['schedules']> {
  const schedules = await Promise.all(
    schedulesOf(deploymentOf([props])).map(async ({ name }) => {
      const seen = scheduler
        ? await observeSchedule(scheduler, props.sweep, name, region)
        : notAsked('EventBridge Scheduler');
      return [name, seen] as const;
    }),
  );
  return new Map(schedules);
}

async function observeSchedule(
  scheduler: SchedulerClient,
  group: string,
  name: string,
  region: string,
): Promise<Checked<SeenSchedule | undefined>> {
  const resource = `arn:aws:scheduler:${region}:*:schedule/${group}/${name}`;
  return check('scheduler:GetSchedule', resource, async () => {
    try {
      const found = await scheduler.send(new GetScheduleCommand({ Name: name, GroupName: group }));
      return {
        ...firingOf(found),
        expression: found.ScheduleExpression ?? '',
        input: found.Target?.Input ?? '',
        target: found.Target?.Arn ?? '',
      };
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  });
}

async function observeExecutions(
  sfn: SFNClient,
  stateMachineArn: string,
  now: number,
): Promise<Checked<SeenExecutions>> {
  const since = now - DAY_MS;
  const list = async (statusFilter: 'FAILED' | 'TIMED_OUT' | 'ABORTED') =>
    (await sfn.send(new ListExecutionsCommand({ stateMachineArn, statusFilter, maxResults: PAGE })))
      .executions ?? [];
  const listed = await check('states:ListExecutions', stateMachineArn, async () => {
    const failed = await Promise.all(
      (['FAILED', 'TIMED_OUT', 'ABORTED'] as const).map(status => list(status)),
    );
    return {
      lastSuccess: await lastSuccessOf(sfn, stateMachineArn),
      // More than this many is all that has to be known.
      running: (await openExecutions(sfn, stateMachineArn)).length,
      moreFailed: failed.some(page => page.length === PAGE && page.every(one => stoppedAt(one) >= since)),
      failed: failed
        .flat()
        .filter(one => stoppedAt(one) >= since)
        .sort((one, other) => stoppedAt(other) - stoppedAt(one)),
    };
  });
  if ('notChecked' in listed) return listed;
  const { lastSuccess, failed, running, moreFailed } = listed.seen;
  const described = await check('states:DescribeExecution', executionArnOf(stateMachineArn, '*'), () =>
    Promise.all(failed.slice(0, DESCRIBED).map(one => describeFailed(sfn, one))),
  );
  return {
    seen: {
      lastSuccess,
      // Without its cause rather than not at all.
      failed: failed.map(
        (one, index) => ('seen' in described ? described.seen[index] : undefined) ?? failedExecution(one),
      ),
      moreFailed,
      causesNotChecked: 'notChecked' in described ? described.notChecked : undefined,
      running,
    },
  };
}

/** When the newest sweep ended that succeeded and is no replay. Replays can be many between two ticks. */
export async function lastSuccessOf(client: SFNClient, stateMachineArn: string): Promise<Date | undefined> {
  const pages = paginateListExecutions(
    { client },
    { stateMachineArn, statusFilter: 'SUCCEEDED', maxResults: PAGE },
  );
  let read = 0;
  for await (const { executions = [] } of pages) {
    const found = executions.find(one => !isReplay(one));
    read += 1;
    if (found !== undefined || read === SUCCESS_PAGES) return found?.stopDate;
  }
  return undefined;
}

async function describeFailed(sfn: SFNClient, listed: ExecutionListItem): Promise<FailedExecution> {
  const { error, cause } = await sfn.send(
    new DescribeExecutionCommand({ executionArn: listed.executionArn }),
  );
  return { ...failedExecution(listed), error, cause };
}

function failedExecution(listed: ExecutionListItem): FailedExecution {
  const { name = '', status = '' } = listed;
  return { name, status, stoppedAt: new Date(stoppedAt(listed)) };
}

/** As `precise-ttl replay` names them. */
export const isReplay = ({ name = '' }: ExecutionListItem): boolean => name.startsWith('replay-');

/** Epoch milliseconds. */
export const stoppedAt = ({ stopDate, startDate }: ExecutionListItem): number =>
  (stopDate ?? startDate)?.getTime() ?? 0;

/** Messages in a queue; undefined when it is not there. */
export async function observeQueue(
  sqs: SQSClient,
  name: string,
  region: string,
): Promise<Checked<number | undefined>> {
  const resource = `arn:aws:sqs:${region}:*:${name}`;
  const found = await check('sqs:GetQueueUrl', resource, async () => {
    try {
      return (await sqs.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl;
    } catch (error) {
      if (error instanceof QueueDoesNotExist) return undefined;
      throw error;
    }
  });
  if ('notChecked' in found || found.seen === undefined) return found as Checked<undefined>;
  const { seen: QueueUrl } = found;
  return check('sqs:GetQueueAttributes', resource, async () => {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    );
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  });
}

async function observeStreamReaders(
  lambda: LambdaClient,
  FunctionName: string,
): Promise<Checked<readonly SeenStreamReader[]>> {
  return check('lambda:ListEventSourceMappings', '*', async () => {
    const seen: SeenStreamReader[] = [];
    try {
      const pages = paginateListEventSourceMappings({ client: lambda }, { FunctionName });
      for await (const { EventSourceMappings = [] } of pages) {
        seen.push(
          ...EventSourceMappings.map(mapping => ({
            uuid: mapping.UUID ?? '',
            streamArn: mapping.EventSourceArn ?? '',
            state: mapping.State ?? '',
            lastResult: mapping.LastProcessingResult,
          })),
        );
      }
    } catch (error) {
      if (!(error instanceof NoSuchFunction)) throw error;
    }
    return seen;
  });
}

/** The function that deletes has the condition on it. Undefined without a function, too: nothing is deployed under that name. */
async function observeHoldAttribute(
  lambda: LambdaClient,
  { props, region }: Subject,
): Promise<Checked<string | undefined>> {
  const FunctionName = `${props.sweep}-${fileOf('DeleteChunk')}`;
  const resource = `arn:aws:lambda:${region}:*:function:${FunctionName}`;
  return check('lambda:GetFunctionConfiguration', resource, async () => {
    try {
      const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      return Environment?.Variables?.[variableOf('holdAttribute')];
    } catch (error) {
      if (error instanceof NoSuchFunction) return undefined;
      throw error;
    }
  });
}

async function observeConcurrency(lambda: LambdaClient): Promise<Checked<number>> {
  return check('lambda:GetAccountSettings', '*', async () => {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    return AccountLimit?.UnreservedConcurrentExecutions ?? 0;
  });
}
