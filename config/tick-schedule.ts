import type { TickInput } from '../statemachine/contract/inputs.ts';
import type { Deployment } from './deployments.ts';
import { isOpen, when } from './values.ts';

/** The text in a target's input that Scheduler replaces by the schedule's time. It must reach Scheduler with its brackets. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** `rate(1 minute)` would be aligned to its own start; a cron expression to the minute. */
export const EVERY_MINUTE = 'cron(* * * * ? *)';

/** The schedule as it is deployed. */
export interface TickSchedule {
  readonly name: string;
  readonly expression: string;
  readonly input: TickInput;
  /** How long Scheduler tries to start it. A tick that comes late is worth little: the next ones look back far enough to cover it. */
  readonly retryForSeconds: number;
  /** Where Terraform knows whether there is one. @default there is one */
  readonly count?: number;
}

/** The schedule that starts the sweep, once a minute. */
export function tickSchedule({ name, enabled }: Pick<Deployment, 'name' | 'enabled'>): TickSchedule {
  return {
    name: `${name}-tick`,
    expression: EVERY_MINUTE,
    input: { scheduledTime: SCHEDULED_TIME },
    retryForSeconds: 300,
    ...(isOpen(enabled) && { count: when(enabled, 1, 0) }),
  };
}
