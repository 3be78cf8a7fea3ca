import type { Counts } from '../counts.ts';
import type { Millis } from '../times.ts';
import type { DeletionLag } from './chunks.ts';
import type { ListedFailure, ShownKey } from './keys.ts';

export interface PlanFailure {
  readonly error: string;
  readonly message: string;
}

export interface SweepTotals extends Counts, DeletionLag {
  readonly dryRun: boolean;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
}

export interface SweepReport extends Omit<SweepTotals, keyof DeletionLag> {
  readonly lagMs?: LagSummary | null;
  readonly failure?: PlanFailure;
}

/** `p50` and `p99` are the upper bounds of histogram buckets, but at most `max`. */
export interface LagSummary {
  readonly p50: Millis;
  readonly p99: Millis;
  readonly max: Millis;
}
