import { SchedulerSchedule } from '@cdktf/provider-aws/lib/scheduler-schedule/index.js';
import { SchedulerScheduleGroup } from '@cdktf/provider-aws/lib/scheduler-schedule-group/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { Construct } from 'constructs';
import { type Deployment, tickSchedule } from '../../config/deployments.ts';
import { deadLetterQueueOf } from '../../config/names.ts';
import { queueKeyStatements } from './access-statements.ts';
import type { Place } from './place.ts';
import { ServiceRole } from './role.ts';

export interface SweepSchedulesProps {
  readonly place: Place;
  readonly stateMachineArn: string;
  readonly deployment: Deployment;
}

/**
 * Attributes that deployments do not change. No command changes them: a pause is in the journal. But a person may turn a schedule off in
 * EventBridge Scheduler, or set its start, and a deployment must not silently turn it on again.
 */
export const LEFT_ALONE = ['state', 'start_date'];

/** The schedule that starts a tick once a minute, and the queue for starts that failed. */
export class SweepSchedules extends Construct {
  readonly group: SchedulerScheduleGroup;
  readonly deadLetterQueue: SqsQueue;
  readonly role: ServiceRole;
  readonly tick: SchedulerSchedule;

  constructor(scope: Construct, id: string, { place, stateMachineArn, deployment }: SweepSchedulesProps) {
    super(scope, id);
    const { name, kmsKeyArn } = deployment;
    this.group = new SchedulerScheduleGroup(this, 'group', { name });
    this.deadLetterQueue = new SqsQueue(this, 'dead-letters', {
      name: deadLetterQueueOf(name),
      messageRetentionSeconds: 14 * 24 * 60 * 60,
      ...(kmsKeyArn === undefined ? { sqsManagedSseEnabled: true } : { kmsMasterKeyId: kmsKeyArn }),
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
      ],
    });
    this.tick = this.#tick(stateMachineArn, deployment);
    this.node.defaultChild = this.tick;
  }

  #tick(stateMachineArn: string, deployment: Deployment): SchedulerSchedule {
    const { name, expression, input, retryForSeconds } = tickSchedule(deployment);
    return new SchedulerSchedule(this, 'tick', {
      name,
      groupName: this.group.name,
      scheduleExpression: expression,
      scheduleExpressionTimezone: 'UTC',
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: stateMachineArn,
        roleArn: this.role.arn,
        input: JSON.stringify(input),
        retryPolicy: { maximumEventAgeInSeconds: retryForSeconds, maximumRetryAttempts: 5 },
        deadLetterConfig: { arn: this.deadLetterQueue.arn },
      },
      dependsOn: [...this.role.policies],
      lifecycle: { ignoreChanges: LEFT_ALONE },
    });
  }
}
