import {
  GetScheduleCommand,
  type GetScheduleOutput,
  paginateListSchedules,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
  type UpdateScheduleInput,
} from '@aws-sdk/client-scheduler';
import { PreciseTtlError } from '../../expiry/index.ts';
import { permitted } from '../table/permitted.ts';

/** A schedule as GetSchedule answers it. */
export type FoundSchedule = GetScheduleOutput & { readonly Name: string };

/** What is to be another one. */
export interface ScheduleChange {
  readonly state?: 'ENABLED' | 'DISABLED';
  /** When it begins to fire; null for at once. */
  readonly startDate?: Date | null;
  /** Of its target, JSON. */
  readonly input?: string;
}

export interface ChangedSchedule {
  readonly found: FoundSchedule;
  readonly change: ScheduleChange;
}

/** Some schedules could not be changed. */
export class ScheduleChangeError extends PreciseTtlError {
  override readonly name = 'ScheduleChangeError';
}

/** The schedules of a group, in the order of their names; none when the group is not there either. */
export async function readSchedules(
  scheduler: SchedulerClient,
  group: string,
  region: string,
): Promise<FoundSchedule[]> {
  const resource = `arn:aws:scheduler:${region}:*:schedule/${group}/*`;
  const names = await permitted('scheduler:ListSchedules', '*', async () => {
    const found: string[] = [];
    try {
      for await (const { Schedules = [] } of paginateListSchedules(
        { client: scheduler },
        { GroupName: group },
      )) {
        found.push(...Schedules.flatMap(({ Name }) => Name ?? []));
      }
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
    return found.sort();
  });
  return permitted('scheduler:GetSchedule', resource, () =>
    Promise.all(
      names.map(async Name => {
        const { $metadata: _ofTheAnswer, ...found } = await scheduler.send(
          new GetScheduleCommand({ Name, GroupName: group }),
        );
        return { ...found, Name };
      }),
    ),
  );
}

/**
 * The whole schedule once more, but for what changes: UpdateSchedule sets everything that it is not told to its default. A
 * start date that has passed is left out: it says nothing any more, and Scheduler refuses one of more than five minutes ago.
 *
 * @param now epoch milliseconds
 */
export function wholeSchedule({ found, change }: ChangedSchedule, now: number): UpdateScheduleInput {
  const { Arn: _arn, CreationDate: _made, LastModificationDate: _changed, StartDate: was, ...kept } = found;
  const startDate = change.startDate === undefined ? was : (change.startDate ?? undefined);
  return {
    ...kept,
    ScheduleExpression: found.ScheduleExpression,
    FlexibleTimeWindow: found.FlexibleTimeWindow,
    Target: found.Target && { ...found.Target, ...(change.input !== undefined && { Input: change.input }) },
    ...(change.state !== undefined && { State: change.state }),
    ...(startDate !== undefined && startDate.getTime() > now && { StartDate: startDate }),
  };
}

/** Whether a schedule would be another one. */
export function isChanged({ found, change }: ChangedSchedule): boolean {
  const { state = found.State, startDate, input = found.Target?.Input } = change;
  const sameStart = startDate === undefined || startDate?.getTime() === found.StartDate?.getTime();
  return state !== found.State || !sameStart || input !== found.Target?.Input;
}

/**
 * Changes schedules, all of them or none: when one can't be changed, those before it are put back as they were. Those that
 * are as they shall be are left alone.
 *
 * @param now epoch milliseconds
 * @returns how many were changed
 * @throws {ScheduleChangeError} naming the one that failed, and those that could not be put back
 */
export async function changeSchedules(
  scheduler: SchedulerClient,
  changes: readonly ChangedSchedule[],
  now: number,
): Promise<number> {
  const put = (changed: ChangedSchedule) =>
    scheduler.send(new UpdateScheduleCommand(wholeSchedule(changed, now)));
  const done: ChangedSchedule[] = [];
  for (const changed of changes.filter(isChanged)) {
    try {
      await permitted('scheduler:UpdateSchedule', changed.found.Arn ?? '*', () => put(changed));
      done.push(changed);
    } catch (error) {
      const stuck: string[] = [];
      // The one that failed too: of an answer that was lost, nobody knows whether it was changed.
      for (const { found } of [changed, ...done.reverse()]) {
        await put({ found, change: {} }).catch(() => stuck.push(found.Name));
      }
      throw new ScheduleChangeError(failureText(changed.found.Name, error, stuck));
    }
  }
  return done.length;
}

function failureText(name: string, error: unknown, stuck: readonly string[]): string {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // Of the one that failed, the change itself did not get through.
  const others = stuck.filter(each => each !== name);
  const rest =
    others.length === 0
      ? 'the other schedules are as they were'
      : `these are changed already, and could not be put back: ${others.join(', ')}`;
  return `schedule ${name}: expected it to be changed, got ${why}; ${rest}. Mend that, and run the same command again.`;
}
