import { type Clock, realClock } from 'stepfunctions-emulator';
import { ApiError } from 'stepfunctions-emulator/loopback';
import { type ApiInput, pageOf, VALIDATION_ERRORS } from '../api-input.ts';
import { ScheduleError } from '../errors.ts';
import { type LocalService, type RestService, restProtocol, startServer } from '../service.ts';
import {
  groupOf,
  type Modified,
  readUpdate,
  type ScheduleResource,
  toDocument,
  toSummary,
  UPDATE_FIELDS,
} from './schedule.ts';

/** The current schedules of a cloud. */
export interface Schedules {
  readonly schedules: readonly ScheduleResource[];
  /** @throws {ScheduleError} and leaves it as it was, for one that can't be run here */
  updateSchedule(schedule: ScheduleResource): void;
}

/** The data that the operations work on. */
interface SchedulerContext {
  readonly cloud: Schedules;
  readonly clock: Pick<Clock, 'now'>;
  /** Epoch milliseconds. */
  readonly started: number;
  /** Modification times by ARN, for schedules that were changed. */
  readonly times: Map<string, Modified>;
}

/** Default and largest page size on AWS. Source: API reference, ListSchedules. */
const MAX_RESULTS = 100;

/** EventBridge Scheduler in REST JSON, for existing schedules. Source: EventBridge Scheduler API reference. */
export const SCHEDULER = {
  errors: VALIDATION_ERRORS,
  operations: {
    GetSchedule: {
      method: 'GET',
      path: '/schedules/{Name}',
      fields: ['Name', 'groupName'],
      answer(context, input) {
        const found = find(context, input.requiredText('Name'), input.text('groupName') ?? 'default');
        return toDocument(found, timesOf(context, found));
      },
    },
    UpdateSchedule: { method: 'PUT', path: '/schedules/{Name}', fields: UPDATE_FIELDS, answer: update },
    ListSchedules: {
      method: 'GET',
      path: '/schedules',
      fields: ['ScheduleGroup', 'NamePrefix', 'State', 'MaxResults', 'NextToken'],
      answer: listSchedules,
    },
    ListScheduleGroups: {
      method: 'GET',
      path: '/schedule-groups',
      fields: ['NamePrefix', 'MaxResults', 'NextToken'],
      answer: listGroups,
    },
  },
} satisfies RestService<SchedulerContext>;

/** Answers the API of EventBridge Scheduler. */
export function startScheduler(
  cloud: Schedules,
  { clock = realClock, port }: { readonly clock?: Pick<Clock, 'now'>; readonly port?: number } = {},
): Promise<LocalService> {
  const context = { cloud, clock, started: clock.now(), times: new Map() };
  return startServer(restProtocol(SCHEDULER, context), { port });
}

const timesOf = ({ times, started }: SchedulerContext, { arn }: ScheduleResource): Modified =>
  times.get(arn) ?? { created: started, modified: started };

function find({ cloud }: SchedulerContext, name: string, group: string): ScheduleResource {
  const inGroup = cloud.schedules.filter(schedule => groupOf(schedule) === group);
  const found = inGroup.find(schedule => schedule.name === name);
  if (found !== undefined) return found;
  const missing =
    inGroup.length === 0 && group !== 'default' ? `Schedule group ${group}` : `Schedule ${name}`;
  throw new ApiError('ResourceNotFoundException', `${missing} does not exist.`, 404);
}

function update(context: SchedulerContext, input: ApiInput): object {
  const now = context.clock.now();
  const name = input.requiredText('Name');
  const { group, change } = readUpdate(input, now);
  const found = find(context, name, group);
  const { address, arn } = found;
  try {
    context.cloud.updateSchedule({ ...change, address, arn, name });
  } catch (error) {
    if (error instanceof ScheduleError) throw new ApiError('ValidationException', error.message);
    throw error;
  }
  context.times.set(arn, { created: timesOf(context, found).created, modified: now });
  return { ScheduleArn: arn };
}

function listSchedules(context: SchedulerContext, input: ApiInput): object {
  const [group, state] = [input.text('ScheduleGroup'), input.text('State')];
  const byName = [...context.cloud.schedules].sort((one, other) => (one.name < other.name ? -1 : 1));
  const found = byName.filter(
    schedule =>
      (group === undefined || groupOf(schedule) === group) &&
      schedule.name.startsWith(input.text('NamePrefix') ?? '') &&
      (state === undefined || schedule.enabled === (state === 'ENABLED')),
  );
  const { page, NextToken } = pageOf(found, sizeOf(input), input);
  return { Schedules: page.map(schedule => toSummary(schedule, timesOf(context, schedule))), NextToken };
}

function listGroups({ cloud, started }: SchedulerContext, input: ApiInput): object {
  const names = [...new Set(['default', ...cloud.schedules.map(groupOf)])];
  const found = names.filter(name => name.startsWith(input.text('NamePrefix') ?? ''));
  const { page, NextToken } = pageOf(found, sizeOf(input), input);
  const time = started / 1000;
  return {
    ScheduleGroups: page.map(Name => ({
      Name,
      State: 'ACTIVE',
      CreationDate: time,
      LastModificationDate: time,
    })),
    NextToken,
  };
}

/** Reads the page size, which the query carries as text. */
function sizeOf(input: ApiInput): number {
  const size = Number(input.text('MaxResults') ?? MAX_RESULTS);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_RESULTS) return size;
  throw input.invalid('MaxResults', `a whole number from 1 to ${MAX_RESULTS}`, input.text('MaxResults'));
}
