import type { DeletionLag, SweepCounts } from '../../statemachine/contract.ts';
import { NO_LAG } from './lag.ts';

/** The counts of what has done nothing yet. */
export const NO_COUNTS: SweepCounts & DeletionLag = {
  found: 0,
  deleted: 0,
  renewed: 0,
  notFound: 0,
  failed: 0,
  retries: 0,
  ...NO_LAG,
};
