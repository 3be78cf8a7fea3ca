import { ApiError } from 'stepfunctions-emulator/loopback';
import type { ApiInput } from '../api-input.ts';

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

/** Times at which a schedule was created and changed, epoch milliseconds. */
export interface Modified {
  readonly created: number;
  readonly modified: number;
}

/** `arn:aws:scheduler:us-east-1:123456789012:schedule/<group>/<name>` */
export function groupOf({ arn }: ScheduleResource): string {
  return arn.split('/')[1] ?? 'default';
}

/** Scheduler's defaults. Source: API reference, RetryPolicy and GetSchedule. */
const DEFAULT_RETRY = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/** Builds the answer of GetSchedule; its dates are epoch seconds. */
export function toDocument(schedule: ScheduleResource, times: Modified): object {
  const { input, asGiven = {}, startDate, endDate } = schedule;
  const { DeadLetterConfig, RetryPolicy, ActionAfterCompletion = 'NONE', ...others } = asGiven;
  return {
    Arn: schedule.arn,
    Name: schedule.name,
    GroupName: groupOf(schedule),
    ScheduleExpression: schedule.expression,
    ScheduleExpressionTimezone: schedule.timezone,
    State: schedule.enabled ? 'ENABLED' : 'DISABLED',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: schedule.targetArn,
      RoleArn: schedule.roleArn,
      ...(input !== undefined && { Input: input }),
      ...(DeadLetterConfig !== undefined && { DeadLetterConfig }),
      RetryPolicy: { ...DEFAULT_RETRY, ...RetryPolicy },
    },
    ...(startDate !== undefined && { StartDate: startDate / 1000 }),
    ...(endDate !== undefined && { EndDate: endDate / 1000 }),
    ActionAfterCompletion,
    ...others,
    ...dates(times),
  };
}

/** Builds an entry in the answer of ListSchedules. */
export function toSummary(schedule: ScheduleResource, times: Modified): object {
  return {
    Arn: schedule.arn,
    Name: schedule.name,
    GroupName: groupOf(schedule),
    State: schedule.enabled ? 'ENABLED' : 'DISABLED',
    Target: { Arn: schedule.targetArn },
    ...dates(times),
  };
}

const dates = ({ created, modified }: Modified) => ({
  CreationDate: created / 1000,
  LastModificationDate: modified / 1000,
});

/** Age of the oldest start date that Scheduler accepts. It is documented only by Scheduler's error. */
const OLDEST_START_MS = 5 * 60 * 1000;

/** Scheduler's message for a start date that is too old. */
const TOO_OLD = 'The StartDate you specify cannot be earlier than 5 minutes ago.';

const TEXTS = [
  'Description',
  'KmsKeyArn',
  'ActionAfterCompletion',
] as const satisfies readonly (keyof ScheduleAsGiven)[];

/** The fields of UpdateSchedule. */
export const UPDATE_FIELDS = [
  ...['Name', 'GroupName', 'ClientToken', 'ScheduleExpression', 'ScheduleExpressionTimezone', 'State'],
  ...['StartDate', 'EndDate', 'FlexibleTimeWindow', 'Target', ...TEXTS],
];

/**
 * Reads an UpdateSchedule request. It contains the whole schedule: fields that are left out get their defaults, as on AWS.
 * @param now epoch milliseconds
 * @throws {ApiError} ValidationException
 */
export function readUpdate(
  input: ApiInput,
  now: number,
): { readonly group: string; readonly change: Omit<ScheduleResource, 'address' | 'arn' | 'name'> } {
  const window = input.object('FlexibleTimeWindow', ['Mode', 'MaximumWindowInMinutes']);
  const flexible = input.required('FlexibleTimeWindow', window);
  flexible.required('Mode', flexible.oneOf('Mode', ['OFF']));
  // A target that is a state machine accepts no other fields.
  const target = input.required(
    'Target',
    input.object('Target', ['Arn', 'RoleArn', 'Input', 'DeadLetterConfig', 'RetryPolicy']),
  );
  const [startDate, endDate] = [input.time('StartDate'), input.time('EndDate')];
  if (startDate !== undefined && startDate < now - OLDEST_START_MS) throw invalid(TOO_OLD);
  if (startDate !== undefined && endDate !== undefined && endDate <= startDate) {
    throw invalid('The EndDate you specify must come after the StartDate you specify.');
  }
  const targetInput = target.text('Input');
  const retry = target.object('RetryPolicy', ['MaximumEventAgeInSeconds', 'MaximumRetryAttempts']);
  const queue = target.object('DeadLetterConfig', ['Arn']);
  const texts = TEXTS.flatMap(member => {
    const value = input.text(member);
    return value === undefined ? [] : [[member, value] as const];
  });
  return {
    group: input.text('GroupName') ?? 'default',
    change: {
      expression: input.requiredText('ScheduleExpression'),
      timezone: input.text('ScheduleExpressionTimezone') ?? 'UTC',
      enabled: (input.oneOf('State', ['ENABLED', 'DISABLED']) ?? 'ENABLED') === 'ENABLED',
      targetArn: target.requiredText('Arn'),
      roleArn: target.requiredText('RoleArn'),
      ...(targetInput !== undefined && { input: targetInput }),
      ...(startDate !== undefined && { startDate }),
      ...(endDate !== undefined && { endDate }),
      asGiven: {
        ...Object.fromEntries(texts),
        ...(queue !== undefined && { DeadLetterConfig: { Arn: queue.requiredText('Arn') } }),
        ...(retry !== undefined && { RetryPolicy: readRetry(retry) }),
      },
    },
  };
}

/** Bounds: API reference, RetryPolicy. */
function readRetry(retry: ApiInput) {
  const age = retry.whole('MaximumEventAgeInSeconds', 60, 86_400);
  const attempts = retry.whole('MaximumRetryAttempts', 0, 185);
  return {
    ...(age !== undefined && { MaximumEventAgeInSeconds: age }),
    ...(attempts !== undefined && { MaximumRetryAttempts: attempts }),
  };
}

const invalid = (message: string): ApiError => new ApiError('ValidationException', message);
