import { SchedulerSchedule } from '@cdktf/provider-aws/lib/scheduler-schedule/index.js';
import { SchedulerScheduleGroup } from '@cdktf/provider-aws/lib/scheduler-schedule-group/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { Construct } from 'constructs';
import type { TickInput } from '../../statemachine/contract.ts';
import type { ResolvedProps } from '../props.ts';
import { reconcileParts } from '../reconcile-parts.ts';
import { type Place, ServiceRole } from './role.ts';
import { tagged } from './tagged.ts';

/** What Scheduler replaces in a target's input by the schedule's time. It must reach Scheduler with its brackets. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** `rate(1 minute)` would be aligned to its own start; a cron expression to the minute. */
const EVERY_MINUTE = 'cron(* * * * ? *)';

export interface SweepSchedulesProps {
  readonly place: Place;
  readonly stateMachineArn: string;
  readonly sweep: ResolvedProps;
}

/** The schedules that start the sweep, one a minute and the others once an hour, and the queue for starts that did not get through. */
export class SweepSchedules extends Construct {
  readonly group: SchedulerScheduleGroup;
  readonly deadLetterQueue: SqsQueue;
  readonly role: ServiceRole;
  /** By what follows the sweep's name in theirs: `tick`, `reconcile`, `reconcile-2`… */
  readonly schedules: Readonly<Record<string, SchedulerSchedule>>;

  constructor(scope: Construct, id: string, { place, stateMachineArn, sweep }: SweepSchedulesProps) {
    super(scope, id);
    const { name, kmsKeyArn } = sweep;
    this.group = new SchedulerScheduleGroup(this, 'group', { name, ...tagged(sweep) });
    this.deadLetterQueue = new SqsQueue(this, 'dead-letters', {
      name: `${name}-dead-letters`,
      messageRetentionSeconds: 14 * 24 * 60 * 60,
      ...(kmsKeyArn === undefined ? { sqsManagedSseEnabled: true } : { kmsMasterKeyId: kmsKeyArn }),
      ...tagged(sweep),
    });
    this.role = new ServiceRole(this, 'role', {
      name: `${name}-schedule`,
      service: 'scheduler.amazonaws.com',
      account: place.account,
      sourceArn: place.arn('scheduler', `schedule-group/${name}`),
      statements: [
        { actions: ['states:StartExecution'], resources: [stateMachineArn] },
        { actions: ['sqs:SendMessage'], resources: [this.deadLetterQueue.arn] },
        // Source: SQS Developer Guide, "Key management": what a producer needs.
        ...(kmsKeyArn === undefined
          ? []
          : [{ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: [kmsKeyArn] }]),
      ],
      sweep,
    });
    const schedules: Record<string, SchedulerSchedule> = {};
    const schedule = (scheduleId: string, expression: string, input: TickInput, retryForSeconds: number) => {
      schedules[scheduleId] = new SchedulerSchedule(this, scheduleId, {
        name: `${name}-${scheduleId}`,
        groupName: this.group.name,
        scheduleExpression: expression,
        scheduleExpressionTimezone: 'UTC',
        flexibleTimeWindow: { mode: 'OFF' },
        state: sweep.enabled ? 'ENABLED' : 'DISABLED',
        target: {
          arn: stateMachineArn,
          roleArn: this.role.arn,
          input: JSON.stringify(input),
          retryPolicy: { maximumEventAgeInSeconds: retryForSeconds, maximumRetryAttempts: 5 },
          deadLetterConfig: { arn: this.deadLetterQueue.arn },
        },
        dependsOn: [this.role.policy],
      });
    };
    // A tick that comes late is worth little: the next ones look back far enough to cover it.
    schedule('tick', EVERY_MINUTE, { scheduledTime: SCHEDULED_TIME }, 300);
    for (const [part, { minute, lookbackMinutes, skipMinutes }] of reconcileParts(sweep).entries()) {
      const input = {
        scheduledTime: SCHEDULED_TIME,
        lookbackMinutes,
        ...(skipMinutes > 0 && { skipMinutes }),
      };
      schedule(part === 0 ? 'reconcile' : `reconcile-${part + 1}`, `cron(${minute} * * * ? *)`, input, 1800);
    }
    this.schedules = schedules;
    this.node.defaultChild = this.schedules['tick'];
  }
}
