import type { FaultRates } from '../faults/index.ts';

/** Shares of the calls of S3, where there is an archive. */
export const S3_RATES = { throttled: 0.07, unavailable: 0.07, cut: 0.06, hanging: 0.01 } as const;

/**
 * Default rates of the faults, which flags can change. They are far worse than DynamoDB and Lambda ever are: all faults occur at once, for
 * the whole run.
 */
export const DEFAULT_RATES = {
  throttled: 0.2,
  unprocessed: 0.2,
  unavailable: 0.01,
  refusedKeys: 0.01,
  cutBefore: 0.005,
  cutAfter: 0.005,
  slow: 0.001,
  stale: 0.1,
  crashBefore: 0.01,
  crashAfter: 0.01,
  duplicate: 0.02,
  lateTick: 0.2,
  skippedTick: 0.1,
  doubledTick: 0.2,
  overlap: 0.5,
} as const satisfies FaultRates;
