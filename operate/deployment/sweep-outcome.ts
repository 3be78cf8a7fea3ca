import type { LagSummary } from '../../statemachine/contract/report.ts';
import { FATES } from '../../statemachine/counts.ts';

/** Counts of an execution that are shown. */
export const OUTCOME_COUNTS = ['found', 'shardsFailed', 'leftForLater', ...FATES] as const;

/** The counts in the report of an execution. */
export interface SweepOutcome extends Readonly<Record<(typeof OUTCOME_COUNTS)[number], number>> {
  /** Null when nothing was deleted. */
  readonly lagMs: LagSummary | null;
}
