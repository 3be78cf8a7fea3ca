/** A child of SweepShards: what it sweeps, its progress from call to call of QueryExpired, and its result. */

import type { Counts } from '../counts.ts';
import type { Seconds } from '../times.ts';
import type { Chunk, DeletionLag } from './chunks.ts';
import type { ExpiredKey, ListedFailure, ShownKey } from './keys.ts';

/** An item of SweepShards, the input of its child. The child also gets its table's settings. */
export interface ChildStart {
  /** Name of the child's table. */
  readonly table: string;
  readonly next: 'wait' | 'query';
  /** For `next: 'wait'`: end of the wait, ISO-8601 without milliseconds. */
  readonly until: string | null;
  /** TimeoutSeconds of QueryExpired. */
  readonly timeoutSeconds: Seconds;
  readonly sweep: ChildSweep;
}

/** The part of a table that a child sweeps: TTLs with from <= ttl < before in some shards. */
export interface SweepTarget {
  /** Ranges of shards, ascending: `0-24,30`. */
  readonly shards: string;
  readonly from: Seconds;
  readonly before: Seconds;
  /** The start of an upcoming minute, whose items the child deletes as they expire; null: all are expired. */
  readonly upcomingFrom: Seconds | null;
}

/** What a child sweeps, and how; it never changes. */
export interface ChildSweep {
  readonly target: SweepTarget;
  readonly dryRun: boolean;
  /** The child's share of `maxDeletesPerSecond`; null: no limit. */
  readonly limit: ChildLimit | null;
  /** Age of the execution at which the child ends, whatever is left. */
  readonly endsAfter: Seconds;
  /** For a child of the lookback, which notes in the journal how far it came; null: it notes nothing. */
  readonly part: SweepPart | null;
  /** Most UTF-8 bytes of keys that the child may list. */
  readonly listedKeysBytes: number;
  /** Most UTF-8 bytes of its result. */
  readonly resultBytes: number;
}

/** Which part of a table's shards a child sweeps in its span. */
export interface SweepPart {
  /** Start of the tick that cut the span, ISO-8601. */
  readonly tick: string;
  /** From 0. */
  readonly part: number;
  readonly parts: number;
}

/** A child's share of `maxDeletesPerSecond`. */
export interface ChildLimit {
  /** Deletes per second, more than 0; may be a fraction. */
  readonly perSecond: number;
  /** Number of keys that it may delete in its first second. */
  readonly credit: number;
  /** End of the share, after which the rest is left to a later sweep; null: another child of the execution continues. */
  readonly before: Seconds | null;
}

/** What a child knows between two calls of QueryExpired. */
export interface ChildProgress {
  /** TTLs up to this one are gone, or can never go. A key that a chunk could not delete sets it back. */
  readonly cursor: Seconds;
  /** Pages in a row that got no further: DynamoDB was too busy to read, or to delete anything. */
  readonly stuck: number;
  /** Keys that the limit allows as of a second of the machine's clock; null: no limit. */
  readonly credit: { readonly at: Seconds; readonly keys: number } | null;
  /** Keys that the last page left: they may be deleted by a call whose answer is lost, and are tried again to be counted. */
  readonly left: readonly ExpiredKey[];
  /** The first TTL whose delete failed as a whole call, for example without permission: no note passes it. */
  readonly brokenAt: Seconds | null;
  readonly counts: CountsProgress;
}

/** Counts of a child so far. */
export interface CountsProgress extends SweepCounts, DeletionLag {
  /** Keys passed to DeleteChunks whose results have not come back. */
  readonly inFlight: number;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
}

export interface QueryExpiredInput {
  readonly sweep: ChildSweep;
  /** Null in the first call. */
  readonly progress: ChildProgress | null;
  /** Results of DeleteChunks; empty after a wait or a query. */
  readonly results: readonly Chunk[];
  /** When the execution started, ISO-8601. */
  readonly startedAt: string;
  /** When the state was entered, ISO-8601. */
  readonly now: string;
}

export interface QueryExpiredOutput {
  readonly next: 'wait' | 'query' | 'delete' | 'end';
  /** For `next: 'wait'`: end of the wait, ISO-8601 without milliseconds. */
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  readonly chunks: readonly Chunk[];
  readonly progress: ChildProgress;
  /** Set for `next: 'end'`, otherwise null. Counts of 0 are left out. */
  readonly result: Partial<ShardResult> | null;
}

/** Counts of a child; `found` is the sum of the results, except in a dry run, which only finds. */
export type SweepCounts = Counts<'call' | 'chunk' | 'child'>;

/** The result of a child of SweepShards. */
export interface ShardResult extends Omit<CountsProgress, 'inFlight'> {
  /** Whether the child could not sweep its target, and nobody else continues. */
  readonly interrupted: boolean;
  /** Set when the child ran out of time: the target to sweep again. */
  readonly resume?: SweepTarget;
}

/** The result of a child that the state machine had to end. */
export interface InterruptedChild {
  /** Name of the error. */
  readonly interruptedBy: string;
  /** Null when there is none yet, or when it was too large to return. */
  readonly progress: ChildProgress | null;
}

/** The result of a child that crashed or timed out, as its Map Run has it. */
export interface CrashedChild {
  readonly Error?: string;
  readonly Cause?: string;
}

export type ChildOutput = (
  | (Pick<ShardResult, 'found'> & Partial<ShardResult>)
  | InterruptedChild
  | CrashedChild
) & {
  /** Name of the child's table; missing when the child crashed. */
  readonly table?: string;
};
