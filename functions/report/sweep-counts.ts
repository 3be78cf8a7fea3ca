import type { DeletionLag, SweepCounts } from '../../statemachine/contract.ts';
import { CHILD_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { NO_LAG } from './lag.ts';

/** The counts of a child that has done nothing yet. */
export const NO_COUNTS: SweepCounts & DeletionLag = { ...noCounts(CHILD_COUNTS), ...NO_LAG };
