import { ApiRequestError } from '../api-server.ts';
import type { ScheduleAsGiven, ScheduleResource } from '../stack/synthesized.ts';

/** When a schedule was made and changed, epoch milliseconds. */
export interface Modified {
  readonly created: number;
  readonly modified: number;
}

/** `arn:aws:scheduler:us-east-1:123456789012:schedule/<group>/<name>` */
export function groupOf({ arn }: ScheduleResource): string {
  return arn.split('/')[1] ?? 'default';
}

/** What Scheduler has for what was left out. Source: API reference, RetryPolicy and GetSchedule. */
const DEFAULT_RETRY = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/** As GetSchedule answers it; dates as its JSON has them, epoch seconds. */
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

/** As ListSchedules answers it. */
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

/** Scheduler refuses a start date longer ago. No page of AWS says so; its error does. */
const OLDEST_START_MS = 5 * 60 * 1000;

/** A start date that Scheduler would refuse, and its own words for it. */
const TOO_OLD = 'The StartDate you specify cannot be earlier than 5 minutes ago.';

type Json = Readonly<Record<string, unknown>>;

const TEXTS = [
  'Description',
  'KmsKeyArn',
  'ActionAfterCompletion',
] as const satisfies readonly (keyof ScheduleAsGiven)[];

/** Of a target, what a state machine takes. */
const TARGET_MEMBERS = ['Arn', 'RoleArn', 'Input', 'DeadLetterConfig', 'RetryPolicy'];

/**
 * Reads the body of UpdateSchedule. It says the whole schedule: what is left out gets its default, as on AWS.
 *
 * @param now epoch milliseconds
 * @throws {ApiRequestError} ValidationException
 */
export function readUpdate(
  body: string,
  now: number,
): { readonly group: string; readonly change: Omit<ScheduleResource, 'address' | 'arn' | 'name'> } {
  const document = parse(body);
  const target = object(document, 'Target');
  const window = object(document, 'FlexibleTimeWindow');
  if (window['Mode'] !== 'OFF') {
    throw invalid(
      `FlexibleTimeWindow.Mode: expected OFF, which is all that the local Scheduler has, got ${JSON.stringify(window['Mode'])}`,
    );
  }
  const foreign = Object.keys(target).find(member => !TARGET_MEMBERS.includes(member));
  if (foreign !== undefined) {
    throw invalid(`Target.${foreign}: expected a target that is a state machine, which takes none, got one`);
  }
  const state = optional(document, 'State') ?? 'ENABLED';
  if (state !== 'ENABLED' && state !== 'DISABLED') throw constraint('state', state, '[ENABLED, DISABLED]');
  const startDate = date(document, 'StartDate');
  const endDate = date(document, 'EndDate');
  if (startDate !== undefined && startDate < now - OLDEST_START_MS) throw invalid(TOO_OLD);
  if (startDate !== undefined && endDate !== undefined && endDate <= startDate) {
    throw invalid('The EndDate you specify must come after the StartDate you specify.');
  }
  const input = optional(target, 'Input');
  const retry = optionalObject(target, 'RetryPolicy');
  const queue = optionalObject(target, 'DeadLetterConfig');
  const texts = TEXTS.flatMap(member => {
    const value = optional(document, member);
    return value === undefined ? [] : [[member, value] as const];
  });
  return {
    group: optional(document, 'GroupName') ?? 'default',
    change: {
      expression: required(document, 'ScheduleExpression'),
      timezone: optional(document, 'ScheduleExpressionTimezone') ?? 'UTC',
      enabled: state === 'ENABLED',
      targetArn: required(target, 'Arn'),
      roleArn: required(target, 'RoleArn'),
      ...(input !== undefined && { input }),
      ...(startDate !== undefined && { startDate }),
      ...(endDate !== undefined && { endDate }),
      asGiven: {
        ...Object.fromEntries(texts),
        ...(queue !== undefined && { DeadLetterConfig: { Arn: required(queue, 'Arn') } }),
        ...(retry !== undefined && { RetryPolicy: readRetry(retry) }),
      },
    },
  };
}

/** Bounds: API reference, RetryPolicy. */
function readRetry(retry: Json) {
  const age = bounded(retry, 'MaximumEventAgeInSeconds', 60, 86_400);
  const attempts = bounded(retry, 'MaximumRetryAttempts', 0, 185);
  return {
    ...(age !== undefined && { MaximumEventAgeInSeconds: age }),
    ...(attempts !== undefined && { MaximumRetryAttempts: attempts }),
  };
}

function parse(body: string): Json {
  try {
    const value: unknown = JSON.parse(body);
    if (isJson(value)) return value;
  } catch {
    // Told below.
  }
  throw new ApiRequestError('SerializationException', 'The body of the request is no JSON object.');
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function optionalObject(from: Json, member: string): Json | undefined {
  const value = from[member] ?? undefined;
  if (value === undefined || isJson(value)) return value;
  throw invalid(`${member}: expected an object, got ${JSON.stringify(value)}`);
}

function object(from: Json, member: string): Json {
  return optionalObject(from, member) ?? missing(member);
}

function optional(from: Json, member: string): string | undefined {
  const value = from[member] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(`${member}: expected a string, got ${JSON.stringify(value)}`);
}

function required(from: Json, member: string): string {
  return optional(from, member) || missing(member);
}

function date(from: Json, member: string): number | undefined {
  const value = from[member] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return Math.round(value * 1000);
  throw invalid(`${member}: expected epoch seconds, got ${JSON.stringify(value)}`);
}

function bounded(from: Json, member: string, least: number, most: number): number | undefined {
  const value = from[member] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(`${member}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(value)}`);
}

const memberName = (member: string) => `${member.charAt(0).toLowerCase()}${member.slice(1)}`;

function missing(member: string): never {
  throw invalid(
    `1 validation error detected: Value null at '${memberName(member)}' failed to satisfy constraint: Member must not be null`,
  );
}

function constraint(member: string, value: string, allowed: string): ApiRequestError {
  return invalid(
    `1 validation error detected: Value '${value}' at '${member}' failed to satisfy constraint: Member must satisfy enum value set: ${allowed}`,
  );
}

function invalid(message: string): ApiRequestError {
  return new ApiRequestError('ValidationException', message);
}
