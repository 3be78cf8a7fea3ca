import type { Counts } from '../counts.ts';
import type { Seconds } from '../times.ts';
import type { Chunk, DeletionLag } from './chunks.ts';
import type { ExpiredKey, ListedFailure, ShownKey } from './keys.ts';

export interface ChildStart {
  readonly table: string;
  readonly next: 'wait' | 'query';
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  readonly sweep: ChildSweep;
}

/**
 * What a child sweeps: the TTLs with from <= ttl < before in `shards`, which are ascending ranges (`0-24,30`). From `upcomingFrom` on, the
 * child deletes items as they expire; null: all items of the target are expired.
 */
export interface SweepTarget {
  readonly shards: string;
  readonly from: Seconds;
  readonly before: Seconds;
  readonly upcomingFrom: Seconds | null;
}

export interface ChildSweep {
  readonly target: SweepTarget;
  readonly dryRun: boolean;
  readonly limit: ChildLimit | null;
  /** Age of the execution at which the child ends, whatever is left. */
  readonly endsAfter: Seconds;
  /** At its end the child notes in the journal how far it swept this part of a tick; null: it notes nothing. */
  readonly part: SweepPart | null;
  readonly listedKeysBytes: number;
  readonly resultBytes: number;
}

export interface SweepPart {
  readonly tick: string;
  readonly part: number;
  readonly parts: number;
}

/**
 * A child's share of `maxDeletesPerSecond`; null: no limit. The share ends at `before`, and a later sweep deletes the rest. If `before` is
 * null, another child of the execution continues.
 */
export interface ChildLimit {
  readonly perSecond: number;
  readonly credit: number;
  readonly before: Seconds | null;
}

export interface ChildProgress {
  readonly cursor: Seconds;
  /** Consecutive pages without progress, since DynamoDB was too busy. */
  readonly stuck: number;
  /** Number of keys that the limit allows at the second `at` of the state machine's clock; null: no limit. */
  readonly credit: { readonly at: Seconds; readonly keys: number } | null;
  readonly left: readonly ExpiredKey[];
  /** First TTL of the deletes that failed for good, e.g. without permission. The span noted in the journal ends before this TTL. */
  readonly brokenAt: Seconds | null;
  readonly counts: CountsProgress;
}

export interface CountsProgress extends SweepCounts, DeletionLag {
  readonly inFlight: number;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
}

export interface QueryExpiredInput {
  readonly sweep: ChildSweep;
  readonly progress: ChildProgress | null;
  readonly results: readonly Chunk[];
  readonly startedAt: string;
  readonly now: string;
}

export interface QueryExpiredOutput {
  readonly next: 'wait' | 'query' | 'delete' | 'end';
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  readonly chunks: readonly Chunk[];
  readonly progress: ChildProgress;
  readonly result: Partial<ShardResult> | null;
}

export type SweepCounts = Counts<'call' | 'chunk' | 'child'>;

export interface ShardResult extends Omit<CountsProgress, 'inFlight'> {
  readonly interrupted: boolean;
  /** The rest of the target, if the child ran out of time. */
  readonly resume?: SweepTarget;
}

export interface InterruptedChild {
  readonly interruptedBy: string;
  readonly progress: ChildProgress | null;
}

export interface CrashedChild {
  readonly Error?: string;
  readonly Cause?: string;
}

export type ChildOutput = (
  | (Pick<ShardResult, 'found'> & Partial<ShardResult>)
  | InterruptedChild
  | CrashedChild
) & {
  readonly table?: string;
};
