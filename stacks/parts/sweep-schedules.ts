import { SchedulerSchedule } from '@cdktf/provider-aws/lib/scheduler-schedule/index.js';
import { SchedulerScheduleGroup } from '@cdktf/provider-aws/lib/scheduler-schedule-group/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { Construct } from 'constructs';
import type { Deployment } from '../deployments.ts';
import { deadLetterQueueOf } from '../names.ts';
import { schedulesOf } from '../schedules-of.ts';
import { given, jsonText, NONE, present, when } from '../values.ts';
import type { Place } from './place.ts';
import { queueKeyStatements } from './queue-key.ts';
import { ServiceRole } from './role.ts';
import type { Statement } from './role-policies.ts';
import { tagged } from './tagged.ts';

export interface SweepSchedulesProps {
  readonly place: Place;
  readonly stateMachineArn: string;
  readonly deployment: Deployment;
}

/**
 * What a deployment leaves as it finds it. No command sets these: a pause is in the journal. But a person may turn a schedule off in EventBridge
 * Scheduler, or let it begin later, and a deployment must not turn it on again without a word. So the props cannot set them either: a sweep
 * that is not enabled has no schedules, and one that is enabled again has new ones.
 */
const LEFT_ALONE = ['state', 'start_date'];

/** The schedules that start the sweep, one a minute and the others once an hour, and the queue for starts that did not get through. */
export class SweepSchedules extends Construct {
  readonly group: SchedulerScheduleGroup;
  readonly deadLetterQueue: SqsQueue;
  readonly role: ServiceRole;
  /** By what follows the sweep's name in theirs: `tick`, `reconcile`, `reconcile-2`…; none when the sweep is not enabled. */
  readonly schedules: Readonly<Record<string, SchedulerSchedule>>;

  constructor(scope: Construct, id: string, { place, stateMachineArn, deployment }: SweepSchedulesProps) {
    super(scope, id);
    const { name, kmsKeyArn } = deployment;
    this.group = new SchedulerScheduleGroup(this, 'group', { name, ...tagged(deployment) });
    this.deadLetterQueue = new SqsQueue(this, 'dead-letters', {
      name: deadLetterQueueOf(name),
      messageRetentionSeconds: 14 * 24 * 60 * 60,
      sqsManagedSseEnabled: when(given(kmsKeyArn), NONE, true),
      ...(kmsKeyArn !== undefined && { kmsMasterKeyId: kmsKeyArn }),
      ...tagged(deployment),
    });
    this.role = new ServiceRole(this, 'role', {
      place,
      name: `${name}-schedule`,
      service: 'scheduler.amazonaws.com',
      account: place.account,
      sourceArn: place.arn('scheduler', `schedule-group/${name}`),
      statements: [
        { actions: ['states:StartExecution'], resources: [stateMachineArn] },
        { actions: ['sqs:SendMessage'], resources: [this.deadLetterQueue.arn] },
        ...queueKeyStatements(deployment, this.deadLetterQueue.arn),
        inputKeyStatement(kmsKeyArn, place.arn('scheduler', `schedule/${name}/*`)),
      ],
      key: 'schedule',
      sweep: deployment,
    });
    const schedules: Record<string, SchedulerSchedule> = {};
    const there = deployment.enabled === false ? [] : schedulesOf(deployment);
    for (const { id: scheduleId, count, forEach, ...schedule } of there) {
      schedules[scheduleId] = new SchedulerSchedule(this, scheduleId, {
        name: schedule.name,
        groupName: this.group.name,
        scheduleExpression: schedule.expression,
        scheduleExpressionTimezone: 'UTC',
        flexibleTimeWindow: { mode: 'OFF' },
        state: 'ENABLED',
        ...(kmsKeyArn !== undefined && { kmsKeyArn }),
        target: {
          arn: stateMachineArn,
          roleArn: this.role.arn,
          input: jsonText(schedule.input),
          retryPolicy: { maximumEventAgeInSeconds: schedule.retryForSeconds, maximumRetryAttempts: 5 },
          deadLetterConfig: { arn: this.deadLetterQueue.arn },
        },
        dependsOn: [...this.role.policies],
        lifecycle: { ignoreChanges: LEFT_ALONE },
      });
      if (count !== undefined) schedules[scheduleId].addOverride('count', count);
      if (forEach !== undefined) schedules[scheduleId].addOverride('for_each', forEach);
    }
    this.schedules = schedules;
    this.node.defaultChild = this.schedules['tick'] ?? this.group;
  }
}

/**
 * Scheduler decrypts the input of a schedule by the role that it starts the target with. Source: EventBridge Scheduler User Guide,
 * "Encryption at rest".
 */
function inputKeyStatement(kmsKeyArn: string | undefined, schedules: string): Statement {
  const ofSchedule = { 'kms:EncryptionContext:aws:scheduler:schedule:arn': schedules };
  return { actions: ['kms:Decrypt'], resources: present(kmsKeyArn), condition: { StringLike: ofSchedule } };
}
