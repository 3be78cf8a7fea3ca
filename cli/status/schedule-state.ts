import type { SeenSchedule } from '../deployment/observe-deployment.ts';
import { limitOfInput } from '../schedule-limit.ts';
import { pauseOfOne } from '../schedules.ts';

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
  const pause = pauseOfOne(seen, now);
  if (pause === 'off') return { is: 'off' };
  if (pause !== 'on') return { is: 'paused', until: pause.until };
  const limit = limitOfInput(seen.input);
  return { is: 'on', ...(limit !== undefined && { maxDeletesPerSecond: limit }) };
}
