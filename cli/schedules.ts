import { isDeepStrictEqual } from 'node:util';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { PreciseTtlError } from '../expiry/index.ts';
import { type PreciseTtlProps, resolveProps } from '../stacks/props.ts';
import { type FoundSchedule, readSchedules } from './aws/schedules.ts';
import { invocation } from './invocation.ts';

/** Nothing starts the sweep of a table. */
export class SchedulesNotFoundError extends PreciseTtlError {
  override readonly name = 'SchedulesNotFoundError';
}

/** What starts the sweep of a table, as it is deployed. */
export interface TableSchedules {
  readonly tableName: string;
  /** Of the schedules' group, and of the state machine. */
  readonly name: string;
  readonly schedules: readonly FoundSchedule[];
}

/**
 * The schedules of tables. They are those that the group has, whatever the configuration says by now.
 *
 * @throws {SchedulesNotFoundError} when a table has none
 */
export async function schedulesOfTables(
  scheduler: SchedulerClient,
  region: string,
  tables: readonly PreciseTtlProps[],
): Promise<TableSchedules[]> {
  const found: TableSchedules[] = [];
  for (const table of tables) {
    const { sweep: name } = resolveProps(table);
    const schedules = await readSchedules(scheduler, name, region);
    found.push({ tableName: table.tableName, name, schedules });
  }
  const without = found.filter(({ schedules }) => schedules.length === 0);
  if (without.length === 0) return found;
  const groups = without.map(({ name }) => name).join(', ');
  const mend = without.some(({ tableName }) => isOff(tables, tableName))
    ? `with enabled: false there are none: set it to true, and ${invocation('deploy')}`
    : 'deploy first, or look whether account, region and AWS_ENDPOINT_URL_SCHEDULER are the right ones';
  throw new SchedulesNotFoundError(
    `schedules: expected some in the schedule group ${groups} in ${region}, got none; ${mend}`,
  );
}

function isOff(tables: readonly PreciseTtlProps[], tableName: string): boolean {
  return tables.some(table => table.tableName === tableName && table.enabled === false);
}

/** What decides whether a schedule fires. */
export interface Firing {
  /** ENABLED or DISABLED. */
  readonly state: string | undefined;
  /** Before that, an enabled one does not fire. */
  readonly startDate?: Date | undefined;
}

/** How a schedule is: `on`; `off`, until somebody turns it on; or off until a time, after which it fires by itself. */
export type SchedulePause = 'on' | 'off' | { readonly until: Date };

/** How the schedules of a table are: all of them so, or `mixed`, as after a change that did not get through. */
export type Pause = SchedulePause | 'mixed';

/** @param now epoch milliseconds */
export function pauseOfOne({ state, startDate }: Firing, now: number): SchedulePause {
  if (state !== 'ENABLED') return 'off';
  return startDate !== undefined && startDate.getTime() > now ? { until: startDate } : 'on';
}

/** @param now epoch milliseconds */
export function pauseOf(schedules: readonly Firing[], now: number): Pause {
  const [first = 'off', ...others] = schedules.map(each => pauseOfOne(each, now));
  return others.every(other => isDeepStrictEqual(other, first)) ? first : 'mixed';
}

export function firingOf({ State, StartDate }: Pick<FoundSchedule, 'State' | 'StartDate'>): Firing {
  return { state: State, startDate: StartDate };
}

/** `2026-11-20T09:00:00Z` */
export function isoSeconds(date: Date | number): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
