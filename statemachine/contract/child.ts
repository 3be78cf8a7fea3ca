import type { Counts } from '../counts.ts';
import type { Seconds } from '../times.ts';
import type { Chunk, DeletionLag } from './chunks.ts';
import type { ExpiredKey, ListedFailure, ShownKey } from './keys.ts';

/** An item of SweepShards, the input of its child. The child also gets its table's settings. */
export interface ChildStart {
  readonly table: string;
  readonly next: 'wait' | 'query';
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  readonly sweep: ChildSweep;
}

/** The part of a table that a child sweeps: TTLs with from <= ttl < before in some shards. */
export interface SweepTarget {
  /** Ranges, ascending: `0-24,30`. */
  readonly shards: string;
  readonly from: Seconds;
  readonly before: Seconds;
  /** The start of an upcoming minute, whose items the child deletes as they expire; null: all items of the target are expired. */
  readonly upcomingFrom: Seconds | null;
}

export interface ChildSweep {
  readonly target: SweepTarget;
  readonly dryRun: boolean;
  readonly limit: ChildLimit | null;
  /** Age of the execution at which the child ends, whatever is left. */
  readonly endsAfter: Seconds;
  /** A child of the lookback notes in the journal how far it came; null: it notes nothing. */
  readonly part: SweepPart | null;
  readonly listedKeysBytes: number;
  readonly resultBytes: number;
}

export interface SweepPart {
  readonly tick: string;
  readonly part: number;
  readonly parts: number;
}

/** A child's share of `maxDeletesPerSecond`; where it is null, there is no limit. */
export interface ChildLimit {
  readonly perSecond: number;
  readonly credit: number;
  /** The share of the limit ends at this time, and a later sweep deletes the rest; null: another child of the execution continues. */
  readonly before: Seconds | null;
}

export interface ChildProgress {
  /** All items with TTLs up to this one are deleted, or can never be deleted. A key that a chunk could not delete sets the cursor back. */
  readonly cursor: Seconds;
  /** Consecutive pages without progress: DynamoDB was too busy to read, or to delete anything. */
  readonly stuck: number;
  /** Keys that the limit allows as of a second of the machine's clock; null: no limit. */
  readonly credit: { readonly at: Seconds; readonly keys: number } | null;
  /** Keys that the last page left. A call whose answer is lost may have deleted them: they are tried again to be counted. */
  readonly left: readonly ExpiredKey[];
  /** The first TTL whose whole delete call failed, for example without permission. What the child notes in the journal ends before it. */
  readonly brokenAt: Seconds | null;
  readonly counts: CountsProgress;
}

export interface CountsProgress extends SweepCounts, DeletionLag {
  /** Keys passed to DeleteChunks whose results have not come back. */
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
  /** Set for `next: 'end'`, otherwise null. Counts of 0 are left out. */
  readonly result: Partial<ShardResult> | null;
}

/** `found` is the sum of the results, except in a dry run, which only finds. */
export type SweepCounts = Counts<'call' | 'chunk' | 'child'>;

export interface ShardResult extends Omit<CountsProgress, 'inFlight'> {
  /** Whether the child could not sweep its target, and no other child continues. */
  readonly interrupted: boolean;
  /** Set when the child ran out of time: the target to sweep again. */
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
