import type { Clock } from 'stepfunctions-emulator';
import { ApiRequestError } from '../api-server.ts';
import { ScheduleError } from '../errors.ts';
import type { ApiHandler, ApiRequest } from '../rest-json.ts';
import type { ScheduleResource } from '../stack/synthesized.ts';
import { groupOf, type Modified, readUpdate, toDocument, toSummary } from './schedule-document.ts';

/** The schedules of a cloud, as they are now. */
export interface Schedules {
  readonly schedules: readonly ScheduleResource[];
  /** @throws {ScheduleError} and leaves it as it was, for one that can't be run here */
  updateSchedule(schedule: ScheduleResource): void;
}

/** AWS's default and most: API reference, ListSchedules. */
const MAX_RESULTS = 100;

/**
 * EventBridge Scheduler's API, for the schedules that were synthesized: GetSchedule, UpdateSchedule, ListSchedules and
 * ListScheduleGroups. Schedules are made and deleted by a deployment, and so not here.
 *
 * Source: EventBridge Scheduler API reference.
 */
export function schedulerApi(cloud: Schedules, clock: Pick<Clock, 'now'>): ApiHandler {
  const started = clock.now();
  const times = new Map<string, Modified>();
  const timesOf = ({ arn }: ScheduleResource) => times.get(arn) ?? { created: started, modified: started };
  const find = (name: string, group: string): ScheduleResource => {
    const inGroup = cloud.schedules.filter(schedule => groupOf(schedule) === group);
    const found = inGroup.find(schedule => schedule.name === name);
    if (found !== undefined) return found;
    const missing =
      inGroup.length === 0 && group !== 'default' ? `Schedule group ${group}` : `Schedule ${name}`;
    throw new ApiRequestError('ResourceNotFoundException', `${missing} does not exist.`, 404);
  };
  return request => {
    const [resource, name, ...others] = request.path;
    if (others.length === 0 && resource === 'schedules' && name !== undefined) {
      if (request.method === 'GET') {
        const found = find(name, request.query.get('groupName') ?? 'default');
        return toDocument(found, timesOf(found));
      }
      if (request.method === 'PUT') return update(request, name);
    }
    if (request.method === 'GET' && name === undefined) {
      if (resource === 'schedules') return listSchedules(request);
      if (resource === 'schedule-groups') return listGroups(request);
    }
    throw new ApiRequestError(
      'UnknownOperationException',
      `${request.method} /${request.path.join('/')}: the local Scheduler has GetSchedule, UpdateSchedule, ListSchedules and ` +
        'ListScheduleGroups; a deployment makes and deletes schedules',
      404,
    );
  };

  function update({ body }: ApiRequest, name: string): object {
    const now = clock.now();
    const { group, change } = readUpdate(body, now);
    const found = find(name, group);
    const { address, arn } = found;
    try {
      cloud.updateSchedule({ ...change, address, arn, name });
    } catch (error) {
      if (error instanceof ScheduleError) throw new ApiRequestError('ValidationException', error.message);
      throw error;
    }
    times.set(arn, { created: timesOf(found).created, modified: now });
    return { ScheduleArn: arn };
  }

  function listSchedules({ query }: ApiRequest): object {
    const [group, state] = [query.get('ScheduleGroup'), query.get('State')];
    const byName = [...cloud.schedules].sort((one, other) => (one.name < other.name ? -1 : 1));
    const found = byName.filter(
      schedule =>
        (group === null || groupOf(schedule) === group) &&
        schedule.name.startsWith(query.get('NamePrefix') ?? '') &&
        (state === null || schedule.enabled === (state === 'ENABLED')),
    );
    const { page, NextToken } = paged(found, query);
    return { Schedules: page.map(schedule => toSummary(schedule, timesOf(schedule))), NextToken };
  }

  function listGroups({ query }: ApiRequest): object {
    const names = [...new Set(['default', ...cloud.schedules.map(groupOf)])];
    const found = names.filter(name => name.startsWith(query.get('NamePrefix') ?? ''));
    const { page, NextToken } = paged(found, query);
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
}

function paged<T>(all: readonly T[], query: URLSearchParams): { page: readonly T[]; NextToken?: string } {
  const size = Number(query.get('MaxResults') ?? MAX_RESULTS);
  const start = Number(query.get('NextToken') ?? 0);
  if (
    !(Number.isInteger(size) && size >= 1 && size <= MAX_RESULTS && Number.isInteger(start) && start >= 0)
  ) {
    throw new ApiRequestError(
      'ValidationException',
      `MaxResults: expected a whole number from 1 to ${MAX_RESULTS}, and as NextToken one that was answered`,
    );
  }
  const end = start + size;
  return { page: all.slice(start, end), ...(end < all.length && { NextToken: String(end) }) };
}
