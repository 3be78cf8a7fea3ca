import type { LagSummary } from '../../statemachine/contract.ts';
import { FATES } from '../../statemachine/counts.ts';

/** What an execution counts and a person is told. */
export const OUTCOME_COUNTS = ['found', 'shardsFailed', 'leftForLater', ...FATES] as const;

/** What an execution reports of what it found. */
export interface SweepOutcome extends Readonly<Record<(typeof OUTCOME_COUNTS)[number], number>> {
  /** Null when nothing was deleted, or when that is not known. */
  readonly lagMs: LagSummary | null;
}

/** Undefined for what is no report. */
export function outcomeOf(report: Readonly<Record<string, unknown>>): SweepOutcome | undefined {
  // Of an execution that was made before a count existed, it is 0.
  if (typeof report['found'] !== 'number') return undefined;
  const counts = Object.fromEntries(OUTCOME_COUNTS.map(name => [name, Number(report[name] ?? 0)]));
  return { ...counts, lagMs: (report['lagMs'] ?? null) as LagSummary | null } as SweepOutcome;
}
