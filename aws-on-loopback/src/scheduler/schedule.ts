export interface ScheduleResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  /** `cron(…)`, `rate(…)` or `at(…)`, as written. */
  readonly expression: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly targetArn: string;
  readonly roleArn: string;
  /** The target's input with Scheduler's `<aws.scheduler.…>` placeholders in it. */
  readonly input?: string;
  /** Range in which the schedule fires, epoch milliseconds. */
  readonly startDate?: number;
  readonly endDate?: number;
  /** Settings that the API returns as they were given. Only the dead-letter queue has a local effect, by its number of messages. */
  readonly asGiven?: ScheduleAsGiven;
}

/** A schedule in the field names of EventBridge Scheduler's API. */
export interface ScheduleAsGiven {
  readonly Description?: string;
  readonly KmsKeyArn?: string;
  readonly ActionAfterCompletion?: string;
  readonly DeadLetterConfig?: { readonly Arn: string };
  readonly RetryPolicy?: {
    readonly MaximumEventAgeInSeconds?: number;
    readonly MaximumRetryAttempts?: number;
  };
}
