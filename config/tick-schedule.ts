import type { TickInput } from '../statemachine/contract/inputs.ts';
import type { Deployment } from './deployments.ts';

/** The placeholder in a target's input that Scheduler replaces by the schedule's time. Its angle brackets must not be escaped. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** Every full minute: `rate(1 minute)` would count from its own start. */
export const EVERY_MINUTE = 'cron(* * * * ? *)';

/** The schedule as it is deployed. */
export interface TickSchedule {
  readonly name: string;
  readonly expression: string;
  readonly input: TickInput;
  /**
   * Seconds for which Scheduler retries the start. A late tick has little value: the next ones look back far enough to cover its minute.
   */
  readonly retryForSeconds: number;
}

/** The schedule that starts a tick once a minute. */
export function tickSchedule({ name }: Pick<Deployment, 'name'>): TickSchedule {
  return {
    name: `${name}-tick`,
    expression: EVERY_MINUTE,
    input: { scheduledTime: SCHEDULED_TIME },
    retryForSeconds: 300,
  };
}
