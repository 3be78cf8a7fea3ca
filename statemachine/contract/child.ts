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
 * The items that a child sweeps: those in `shards`, e.g. `0-24,30`, with from <= TTL < before. Items with TTLs from `upcomingFrom` on
 * expire while the child runs; null: all items have expired.
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
  /** The child ends when the execution that it runs in has this age, even if items are left. */
  readonly endsAfter: Seconds;
  /** When the child ends, it notes in the journal which of its TTLs before `before` it has swept. Null: no note. */
  readonly note: { readonly before: Seconds; readonly part: SweepPart } | null;
  readonly listedKeysBytes: number;
  readonly resultBytes: number;
}

/** Identifies a child among the children of one span of TTLs. */
export interface SweepPart {
  readonly tick: string;
  readonly part: number;
  readonly parts: number;
}

/** A child's share of `maxDeletesPerSecond`. In a tick the child stops `marginSeconds` after `before`. In a replay `before` is null. */
export interface ChildLimit {
  readonly perSecond: number;
  readonly credit: number;
  readonly before: Seconds | null;
}

export interface ChildProgress {
  readonly cursor: Seconds;
  /** Number of successive queries of the index that failed, or whose keys were all unprocessed. The child waits longer after each. */
  readonly stuck: number;
  /** Number of keys that may still be deleted in the second `at` of the state machine's clock; null: no limit. */
  readonly credit: { readonly at: Seconds; readonly keys: number } | null;
  readonly left: readonly ExpiredKey[];
  /** Earliest TTL of the chunks that failed permanently. The child notes only earlier TTLs as swept, so that the next tick tries again. */
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
  /** The rest of the target, if the child's time was over and another child is to sweep the rest. */
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
