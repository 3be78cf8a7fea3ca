import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { checkConfig } from '../../stacks/config.ts';
import { resolveProps } from '../../stacks/props.ts';
import { changeSchedules, type FoundSchedule, readSchedules } from '../aws/schedules.ts';
import { limitOfInput } from '../schedule-limit.ts';

/** What was set by hand on the schedules of a table, and matters to a deployment. */
export interface ByHand {
  readonly tableName: string;
  /** Deletes a second; undefined for a table without a limit. */
  readonly limit: number | undefined;
  /** Schedules with the start date of a pause that has ended. */
  readonly outdated: readonly FoundSchedule[];
}

/** Makes a client for a region. */
export type Connect = (region: string) => SchedulerClient;

/**
 * Looks at the schedules that are deployed for the tables of a configuration; those that are not there have nothing by hand.
 *
 * @param now epoch milliseconds
 */
export async function readByHand(config: unknown, connect: Connect, now: number): Promise<ByHand[]> {
  const { region, tables } = checkConfig(config);
  const scheduler = connect(region);
  try {
    const found: ByHand[] = [];
    for (const table of tables) {
      const schedules = await readSchedules(scheduler, resolveProps(table).sweep, region);
      const limit = schedules.flatMap(({ Target }) => limitOfInput(Target?.Input) ?? []).at(0);
      const outdated = schedules.filter(
        ({ StartDate }) => StartDate !== undefined && StartDate.getTime() <= now,
      );
      found.push({ tableName: table.tableName, limit, outdated });
    }
    return found;
  } finally {
    scheduler.destroy();
  }
}

/**
 * Takes out start dates that have passed: Terraform would send them again with whatever else changes, and Scheduler refuses one of
 * more than five minutes ago. It changes nothing about when a schedule fires.
 *
 * @param now epoch milliseconds
 * @returns how many schedules had one
 */
export async function removeOutdated(
  config: unknown,
  connect: Connect,
  byHand: readonly ByHand[],
  now: number,
): Promise<number> {
  const changes = byHand.flatMap(({ outdated }) =>
    outdated.map(found => ({ found, change: { startDate: null } })),
  );
  if (changes.length === 0) return 0;
  const scheduler = connect(checkConfig(config).region);
  try {
    return await changeSchedules(scheduler, changes, now);
  } finally {
    scheduler.destroy();
  }
}

/** The limits that a deployment would end, one on each line; empty without any. */
export function describeEnded(byHand: readonly ByHand[]): string {
  return byHand
    .filter(({ limit }) => limit !== undefined)
    .map(
      ({ tableName, limit = 0 }) =>
        `${tableName} is limited by hand to ${limit.toLocaleString('en-US')} deletes a second: a deployment ends that limit.`,
    )
    .join('\n');
}
