import { SCHEDULER } from './scheduler/scheduler-api.ts';

/**
 * All operations that are supported: service → operation → handler. Each service refuses every operation that its entry does not contain,
 * by name.
 */
export const SERVICES = {
  Scheduler: SCHEDULER.operations,
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>;
