import type { LagSummary } from '../../statemachine/contract.ts';
import { FATES } from '../../statemachine/counts.ts';

/** What an execution counts and a person is told. */
export const OUTCOME_COUNTS = ['found', 'shardsFailed', 'leftForLater', ...FATES] as const;

/** What an execution reports of what it found. */
export interface SweepOutcome extends Readonly<Record<(typeof OUTCOME_COUNTS)[number], number>> {
  /** Null when nothing was deleted. */
  readonly lagMs: LagSummary | null;
}
