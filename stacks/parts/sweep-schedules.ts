import { SchedulerSchedule } from '@cdktf/provider-aws/lib/scheduler-schedule/index.js';
import { SchedulerScheduleGroup } from '@cdktf/provider-aws/lib/scheduler-schedule-group/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { Construct } from 'constructs';
import { EVERY_MINUTE, TICK_INPUT } from '../config/deployments.ts';
import { deadLetterQueueOf, tickName } from '../config/names.ts';
import type { Part } from './place.ts';
import { ServiceRole, senderKeyStatement } from './role.ts';

/**
 * Terraform does not change these attributes of the schedule: a person may have turned the schedule off in EventBridge Scheduler, or set
 * its start, and a deployment must not undo this.
 */
const LEFT_ALONE = ['state', 'start_date'];

/** Scheduler retries a failed start for this time, seconds. A later start is useless: the next ticks' lookback finds the items. */
const RETRY_SECONDS = 300;

export class SweepSchedules extends Construct {
  readonly group: SchedulerScheduleGroup;
  readonly deadLetterQueue: SqsQueue;
  readonly role: ServiceRole;
  readonly tick: SchedulerSchedule;

  constructor(scope: Construct, id: string, { place, deployment }: Part, tickArn: string) {
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
      service: 'scheduler',
      sourceArn: place.arn('scheduler', `schedule-group/${name}`),
      statements: [
        { actions: ['states:StartExecution'], resources: [tickArn] },
        { actions: ['sqs:SendMessage'], resources: [this.deadLetterQueue.arn] },
        senderKeyStatement(deployment, this.deadLetterQueue.arn),
      ],
    });
    this.tick = new SchedulerSchedule(this, 'tick', {
      name: tickName(name),
      groupName: this.group.name,
      scheduleExpression: EVERY_MINUTE,
      scheduleExpressionTimezone: 'UTC',
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: tickArn,
        roleArn: this.role.arn,
        input: JSON.stringify(TICK_INPUT),
        retryPolicy: { maximumEventAgeInSeconds: RETRY_SECONDS, maximumRetryAttempts: 5 },
        deadLetterConfig: { arn: this.deadLetterQueue.arn },
      },
      dependsOn: [...this.role.policies],
      lifecycle: { ignoreChanges: LEFT_ALONE },
    });
    this.node.defaultChild = this.tick;
  }
}
