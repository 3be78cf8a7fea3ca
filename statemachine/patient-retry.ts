import { BUSY, TRANSIENT_ERRORS } from './contract/machines.ts';

/**
 * Retries of a task in an execution that may take hours. They wait for a throttled table for a minute and a half on average, which is
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
