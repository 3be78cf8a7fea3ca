import type { LagSummary } from '../../statemachine/contract.ts';
import { FATES, type Fate } from '../../statemachine/counts.ts';

/** What an execution reports of what it found. */
export interface SweepOutcome extends Readonly<Record<Fate | 'found' | 'shardsFailed', number>> {
  /** Null when nothing was deleted, or when that is not known. */
  readonly lagMs: LagSummary | null;
}

/** Undefined for what is no report. */
export function outcomeOf(report: Readonly<Record<string, unknown>>): SweepOutcome | undefined {
  // Of an execution that was made before a count existed, it is 0.
  const names = ['found', 'shardsFailed', ...FATES] as const;
  if (typeof report['found'] !== 'number') return undefined;
  const counts = Object.fromEntries(names.map(name => [name, Number(report[name] ?? 0)]));
  return { ...counts, lagMs: (report['lagMs'] ?? null) as LagSummary | null } as SweepOutcome;
}
