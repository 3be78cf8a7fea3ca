import { SchedulerSchedule } from '@cdktf/provider-aws/lib/scheduler-schedule/index.js';
import { SchedulerScheduleGroup } from '@cdktf/provider-aws/lib/scheduler-schedule-group/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { Construct } from 'constructs';
import type { TickInput } from '../../statemachine/contract.ts';
import type { ResolvedProps } from '../props.ts';
import { reconcileParts } from '../reconcile-parts.ts';
import { type Place, ServiceRole } from './role.ts';

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
  readonly deadLetterQueueUrl: string;

  constructor(scope: Construct, id: string, { place, stateMachineArn, sweep }: SweepSchedulesProps) {
    super(scope, id);
    const { name } = sweep;
    const group = new SchedulerScheduleGroup(this, 'group', { name });
    const deadLetters = new SqsQueue(this, 'dead-letters', {
      name: `${name}-dead-letters`,
      messageRetentionSeconds: 14 * 24 * 60 * 60,
      sqsManagedSseEnabled: true,
    });
    const role = new ServiceRole(this, 'role', {
      name: `${name}-schedule`,
      service: 'scheduler.amazonaws.com',
      account: place.account,
      sourceArn: place.arn('scheduler', `schedule-group/${name}`),
      statements: [
        { actions: ['states:StartExecution'], resources: [stateMachineArn] },
        { actions: ['sqs:SendMessage'], resources: [deadLetters.arn] },
      ],
    });
    const schedule = (scheduleId: string, expression: string, input: TickInput, retryForSeconds: number) =>
      new SchedulerSchedule(this, scheduleId, {
        name: `${name}-${scheduleId}`,
        groupName: group.name,
        scheduleExpression: expression,
        scheduleExpressionTimezone: 'UTC',
        flexibleTimeWindow: { mode: 'OFF' },
        state: sweep.enabled ? 'ENABLED' : 'DISABLED',
        target: {
          arn: stateMachineArn,
          roleArn: role.arn,
          input: JSON.stringify(input),
          retryPolicy: { maximumEventAgeInSeconds: retryForSeconds, maximumRetryAttempts: 5 },
          deadLetterConfig: { arn: deadLetters.arn },
        },
        dependsOn: [role.policy],
      });
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
    this.deadLetterQueueUrl = deadLetters.url;
  }
}
