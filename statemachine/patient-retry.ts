import { BUSY, TRANSIENT_ERRORS } from './contract/machines.ts';

/**
 * Retries of a task whose time is not limited. A throttled table is waited for: on average for a minute and a half, which is
 * longer than it takes to scale.
 */
export const PATIENT_RETRY = [
  { ErrorEquals: [BUSY], MaxAttempts: 20 },
  { ErrorEquals: TRANSIENT_ERRORS.filter(error => error !== BUSY), MaxAttempts: 5 },
].map(retry => ({
  ...retry,
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 10,
  JitterStrategy: 'FULL',
}));
