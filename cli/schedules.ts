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
    const { name } = resolveProps(table);
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
  readonly state: string | undefined;
  readonly startDate?: Date | undefined;
}

/**
 * How the schedules of a table are: `on`; `off`, until somebody turns them on; off until a time, after which they fire by
 * themselves; or `mixed`, as after a change that did not get through.
 */
export type Pause = 'on' | 'off' | 'mixed' | { readonly until: Date };

/** @param now epoch milliseconds */
export function pauseOf(schedules: readonly Firing[], now: number): Pause {
  const each = schedules.map(({ state, startDate }) => {
    if (state === 'DISABLED') return 'off';
    return startDate !== undefined && startDate.getTime() > now ? startDate.getTime() : 'on';
  });
  const [first] = each;
  if (first === undefined) return 'off';
  if (each.some(one => one !== first)) return 'mixed';
  return typeof first === 'number' ? { until: new Date(first) } : first;
}

export function firingOf({ State, StartDate }: FoundSchedule): Firing {
  return { state: State, startDate: StartDate };
}

/** `2026-11-20T09:00:00Z` */
export function isoSeconds(date: Date | number): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
