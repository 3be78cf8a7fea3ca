import { type CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import {
  GetScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import type { SFNClient } from '@aws-sdk/client-sfn';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { alarmNamesOf } from '../../config/alarms.ts';
import { type Deployment, tickSchedule } from '../../config/deployments.ts';
import { deadLetterQueueOf, pipeName, replayName } from '../../config/names.ts';
import { pipesOf } from '../../config/pipe-props.ts';
import type { DeploymentState } from '../../functions/journal/layout.ts';
import { type ListedStateMachine, listStateMachines } from '../aws/executions.ts';
import type { SeenPipe } from '../aws/pipes.ts';
import { journalAt } from '../journals.ts';
import { type Checked, check, notAsked } from './check.ts';
import type { DeploymentClients } from './clients.ts';
import { observeState } from './observe-journal.ts';
import type { Subject } from './subject.ts';

/** An alarm as CloudWatch describes it. */
export interface SeenAlarm {
  readonly name: string;
  /** OK, ALARM or INSUFFICIENT_DATA. */
  readonly state: string;
  /** Time of its last change of state. */
  readonly since: Date | undefined;
  readonly description: string;
  /** Whether the alarm notifies somebody. */
  readonly hasAction: boolean;
}

/**
 * Chooses alarms by name, 100 at most; or all whose names begin with the name of a sweep and a hyphen. The name of another sweep
 * can begin in the same way: `others` lists those sweeps, and their alarms are left out.
 */
export type WantedAlarms =
  | { readonly names: readonly string[] }
  | { readonly sweep: string; readonly others: readonly string[] };

/** The wanted alarms that exist. */
export async function observeAlarms(
  cloudWatch: CloudWatchClient,
  wanted: WantedAlarms,
  region: string,
): Promise<Checked<readonly SeenAlarm[]>> {
  // CloudWatch would list all alarms of the account if no names were given.
  if ('names' in wanted && wanted.names.length === 0) return { seen: [] };
  const input =
    'names' in wanted ? { AlarmNames: [...wanted.names] } : { AlarmNamePrefix: `${wanted.sweep}-` };
  const longer = 'names' in wanted ? [] : wanted.others.filter(other => other.startsWith(`${wanted.sweep}-`));
  return check('cloudwatch:DescribeAlarms', `arn:aws:cloudwatch:${region}:*:alarm:*`, async () => {
    const alarms: SeenAlarm[] = [];
    const pages = paginateDescribeAlarms(
      { client: cloudWatch },
      { ...input, AlarmTypes: ['MetricAlarm'], MaxRecords: 100 },
    );
    for await (const { MetricAlarms = [] } of pages) {
      for (const alarm of MetricAlarms) {
        if (longer.some(other => alarm.AlarmName?.startsWith(`${other}-`))) continue;
        alarms.push({
          name: alarm.AlarmName ?? '',
          state: alarm.StateValue ?? '',
          since: alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp,
          description: alarm.AlarmDescription ?? '',
          hasAction: alarm.ActionsEnabled !== false && (alarm.AlarmActions ?? []).length > 0,
        });
      }
    }
    return alarms;
  });
}

/** A schedule as EventBridge Scheduler describes it. */
export interface SeenSchedule {
  /** ENABLED or DISABLED. */
  readonly state: string;
  readonly expression: string;
  /** JSON. */
  readonly input: string;
  /** ARN. */
  readonly target: string;
}

/** The resources that all tables of a deployment share; undefined for missing ones. */
export interface SeenSweep {
  /** The state machine of the ticks. */
  readonly stateMachine: Checked<ListedStateMachine | undefined>;
  /** The state machine of replays. */
  readonly replayMachine: Checked<ListedStateMachine | undefined>;
  readonly state: Checked<DeploymentState | undefined>;
  /** Schedules by name. */
  readonly schedules: ReadonlyMap<string, Checked<SeenSchedule | undefined>>;
  /** Number of messages in the dead-letter queue. */
  readonly deadLetters: Checked<number | undefined>;
  /** The configured alarms that exist. */
  readonly alarms: Checked<readonly SeenAlarm[]>;
  /** Concurrent executions that the account allows, without those reserved for single functions. */
  readonly concurrency: Checked<number>;
}

/** The resources of a deployment for one of its tables, with the table's own. */
export interface SeenDeployment extends SeenSweep {
  /** Its pipes by name; undefined for missing ones. */
  readonly pipes: ReadonlyMap<string, Checked<SeenPipe | undefined>>;
}

/** Reads the deployed resources that all tables share. */
export async function observeSweep(
  { sfn, dynamoDb, scheduler, sqs, lambda, cloudWatch }: DeploymentClients,
  deployment: Deployment,
  region: string,
): Promise<SeenSweep> {
  const journalTable = dynamoDb && journalAt(dynamoDb, deployment.name, region);
  const machines = await observeStateMachines(sfn, deployment.name);
  return {
    ...machines,
    state: journalTable ? await observeState(journalTable) : notAsked('DynamoDB'),
    schedules: await observeSchedules(scheduler, deployment, region),
    deadLetters: sqs ? await observeQueue(sqs, deadLetterQueueOf(deployment.name), region) : notAsked('SQS'),
    alarms: cloudWatch
      ? await observeAlarms(cloudWatch, { names: alarmNamesOf(deployment) }, region)
      : notAsked('CloudWatch'),
    concurrency: lambda ? await observeConcurrency(lambda) : notAsked('Lambda'),
  };
}

/**
 * Reads the deployed resources of a table.
 * @param sweep resources of its deployment
 */
export async function observeDeployment(
  { pipes }: DeploymentClients,
  { props, region }: Subject,
  sweep: SeenSweep,
): Promise<SeenDeployment> {
  const observed = pipesOf(props).map(async pipe => {
    const name = pipeName(props, pipe);
    const arn = `arn:aws:pipes:${region}:*:pipe/${name}`;
    const seen = pipes
      ? await check('pipes:DescribePipe', arn, () => pipes.describe(name))
      : notAsked('Pipes');
    return [name, seen] as const;
  });
  return { ...sweep, pipes: new Map(await Promise.all(observed)) };
}

/** @param sfn undefined when it must not be called */
async function observeStateMachines(
  sfn: SFNClient | undefined,
  deployment: string,
): Promise<Pick<SeenSweep, 'stateMachine' | 'replayMachine'>> {
  const [tick, replay] = [deployment, replayName(deployment)];
  const listed = sfn
    ? await check('states:ListStateMachines', '*', () => listStateMachines(sfn, [tick, replay]))
    : notAsked('Step Functions');
  const seen = (name: string) => ('seen' in listed ? { seen: listed.seen.get(name) } : listed);
  return { stateMachine: seen(tick), replayMachine: seen(replay) };
}

/**
 * Reads the schedules that a deployment should have, by name.
 * @param scheduler undefined when it must not be called
 */
export async function observeSchedules(
  scheduler: SchedulerClient | undefined,
  deployment: Deployment,
  region: string,
): Promise<SeenDeployment['schedules']> {
  const { name } = tickSchedule(deployment);
  const seen = scheduler
    ? await observeSchedule(scheduler, deployment.name, name, region)
    : notAsked('EventBridge Scheduler');
  return new Map([[name, seen]]);
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
        state: found.State ?? '',
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

/** Number of messages in a queue; undefined if the queue does not exist. */
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

async function observeConcurrency(lambda: LambdaClient): Promise<Checked<number>> {
  return check('lambda:GetAccountSettings', '*', async () => {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    return AccountLimit?.UnreservedConcurrentExecutions ?? 0;
  });
}
