import type { SeenSchedule } from '../deployment/observe-deployment.ts';
import { limitOfInput } from '../schedule-limit.ts';

/** How a schedule stands. */
export type ScheduleState =
  | { readonly is: 'missing' }
  | { readonly is: 'off' }
  /** On, but it starts nothing before. */
  | { readonly is: 'paused'; readonly until: Date }
  | { readonly is: 'on'; readonly maxDeletesPerSecond?: number };

/**
 * @param seen undefined: it is not there
 * @param now epoch milliseconds
 */
export function scheduleState(seen: SeenSchedule | undefined, now: number): ScheduleState {
  if (seen === undefined) return { is: 'missing' };
  const { state, startDate, input } = seen;
  if (state !== 'ENABLED') return { is: 'off' };
  if (startDate !== undefined && startDate.getTime() > now) return { is: 'paused', until: startDate };
  const limit = limitOfInput(input);
  return { is: 'on', ...(limit !== undefined && { maxDeletesPerSecond: limit }) };
}
