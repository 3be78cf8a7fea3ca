/**
 * What the states of the sweep are called and what passes between them. The definition, the handlers, the local
 * runner and the tests all take it from here.
 *
 * Times inside the machine are epoch seconds, whole; times that a person writes or reads are ISO-8601.
 */

/** The four functions, by the name of the state that calls them. */
export const TASKS = {
  PlanSweep: 'plan-sweep',
  QueryExpired: 'query-expired',
  DeleteChunk: 'delete-chunk',
  RecordMetrics: 'record-metrics',
} as const;

export type TaskName = keyof typeof TASKS;

/** The error an execution ends with when expired items are left; its cause is a {@link SweepReport} as JSON. */
export const SWEEP_INCOMPLETE = 'SweepIncompleteError';

/** Items in a BatchWriteItem, statements in a BatchExecuteStatement. Source: DynamoDB API reference. */
export const CHUNK_KEYS = 25;

/** Most keys of one page: 40 chunks, which is what an inline Map runs at once. */
export const PAGE_KEYS = 1000;

/**
 * Most targets (children) of one round. A Map Run's output holds one result a target and must stay below 256 KiB: 200
 * results of up to 600 bytes, plus the undeleted keys they list (see {@link CHILDREN_LISTED_KEYS_BYTES}).
 */
export const ROUND_TARGETS = 200;

/**
 * Most steps of one execution: calls of PlanSweep and runs of SweepShards, and one more for every ten retries of a call. A
 * run writes 7 events to the history; a call of PlanSweep 7 with the choice that follows, and 3 for each retry, so at most
 * 34 a step. A Standard execution may have 25,000. Source: Step Functions quotas.
 */
export const MOST_STEPS = 600;

/**
 * Bytes of keys (as JSON in UTF-8), undeleted ones or a dry run's, that an execution lists. The cause of a failure takes
 * 32,768 characters in all. Source: Step Functions API reference. Room for any key: the longest takes 18,500, when it is
 * 3,072 control characters.
 */
export const LISTED_KEYS_BYTES = 30_000;

/**
 * The same for the children of one round together: 500 for each of 200, room for a key of usual length, and for the
 * beginning of any other.
 */
export const CHILDREN_LISTED_KEYS_BYTES = 100_000;

/** Keys that an execution lists at the most; the total is always counted. */
export const LISTED_KEYS = 20;

/** A value of a key attribute as DynamoDB's JSON has it, bytes in base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

/** A primary key: attribute name → value. */
export type ItemKey = Readonly<Record<string, KeyAttribute>>;

/** Input of a tick: what EventBridge Scheduler sends. */
export interface TickInput {
  /** The schedule's time, ISO-8601. It decides which minute the tick owns, and from where it looks back. */
  readonly scheduledTime: string;
  /** How far back to look for items that earlier sweeps left. @default the deployment's lookbackMinutes */
  readonly lookbackMinutes?: number;
  /**
   * The latest so many minutes of the lookback are left to somebody else: a reconcile that is too much for one execution
   * comes in parts. Below lookbackMinutes, and only together with it. @default 0
   */
  readonly skipMinutes?: number;
}

/** Input of a replay: sweep the expiry times in [from, to). */
export interface ReplayInput {
  readonly from: string;
  readonly to: string;
  /** Find and count, delete nothing. @default false */
  readonly dryRun?: boolean;
}

export type SweepInput = TickInput | ReplayInput;

/** What one child sweeps: the windows of one shard that may hold TTLs with from <= ttl < before. */
export interface SweepTarget {
  /** The index's partition keys, with their shard suffix, oldest window first. */
  readonly windowKeys: readonly string[];
  readonly from: number;
  readonly before: number;
  /**
   * What counts as expired: ttl <= cutoff, frozen by PlanSweep. Null for a span ahead: every look into the index then
   * freezes its own, from the time at which its state was entered.
   */
  readonly cutoff: number | null;
  /** A span ahead is not looked at before this moment, its start; null: at once. */
  readonly lookAt: number | null;
  /** Where a dry run that ran out of time goes on. */
  readonly position?: PagePosition | null;
}

/** Where a plan that did not fit into one round goes on. */
export interface PlanCursor {
  /** Start of the window, epoch seconds. */
  readonly window: number;
  readonly shard: number;
}

export interface PlanSweepInput {
  readonly executionInput: unknown;
  /** When the execution started, ISO-8601: what is alive then is out of reach of a cutoff frozen by the plan. */
  readonly startedAt: string;
  readonly cursor?: PlanCursor | null;
}

export interface PlanSweepOutput {
  /** What holds something that is expired, or will be within the span ahead; never keys. */
  readonly due: readonly SweepTarget[];
  readonly cursor: PlanCursor | null;
  readonly dryRun: boolean;
  /** How long the oldest item that earlier sweeps left is overdue, seconds; 0 when they left none. */
  readonly oldestOverdueSeconds: number;
}

/** Where a page ended. */
export interface PagePosition {
  /** Index into the target's windowKeys. */
  readonly window: number;
  /** TTL and primary key of the last entry read; null: the window's beginning. */
  readonly key: ItemKey | null;
}

export interface QueryExpiredInput {
  readonly target: SweepTarget;
  readonly dryRun: boolean;
  /** When the state was entered, ISO-8601. */
  readonly now: string;
  /** Where the previous page of this look ended; null at the beginning of a look. */
  readonly position: PagePosition | null;
  /** TTLs up to this one were seen by an earlier look of this child, epoch seconds; null at the first look. */
  readonly seen: number | null;
}

/** An expired item: its primary key, and the TTL (epoch seconds) that the index has for it. */
export interface ExpiredKey {
  readonly key: ItemKey;
  readonly ttl: number;
}

export interface QueryExpiredOutput {
  readonly found: number;
  /** Empty in a dry run. */
  readonly chunks: readonly Chunk[];
  /** In a dry run: some of the keys that were found; empty else. */
  readonly sampleKeys: readonly ItemKey[];
  /** What this look took for expired; the delete asks again with it. */
  readonly cutoff: number;
  /** Where this look goes on; null when it has read everything that is due. */
  readonly position: PagePosition | null;
  /** When to look again, epoch seconds; null when the target is done, or while this look goes on. */
  readonly lookAt: number | null;
}

/** What one DeleteChunk works on. An object, not a bare array: JSONata flattens arrays of arrays. */
export interface Chunk {
  readonly keys: readonly ExpiredKey[];
}

export interface DeleteChunkInput {
  readonly keys: readonly ExpiredKey[];
  readonly cutoff: number;
}

/** A key that DynamoDB will not delete, however often it is asked. */
export interface FailedKey {
  readonly key: ItemKey;
  /** DynamoDB's error code, e.g. `ValidationError`; `Unprocessed` when the attempts ran out. */
  readonly reason: string;
}

export interface DeleteChunkOutput extends DeletionLag {
  readonly deleted: number;
  /** Guarded mode: not expired any more at the moment of the delete. */
  readonly renewed: number;
  /** Guarded mode: not there any more. In batch mode these count as deleted. */
  readonly alreadyGone: number;
  /** To be tried again, and only these. */
  readonly unprocessed: readonly ExpiredKey[];
  readonly failed: readonly FailedKey[];
}

/** A {@link FailedKey} as a child or an execution lists it. */
export interface ListedFailure {
  readonly key?: ItemKey;
  /** Instead of a key for which there is no room: the beginning of its JSON. */
  readonly keyStart?: string;
  readonly reason: string;
}

/** How late items were deleted: moment of deletion minus TTL. */
export interface DeletionLag {
  /** Deleted items by bucket of lag; the buckets are those of `functions/lib/lag.ts`. Buckets without items are left out. */
  readonly lagCounts: Readonly<Record<string, number>>;
  /** The largest lag, milliseconds; 0 when nothing was deleted. */
  readonly lagMaxMs: number;
}

/** Counts of items; found = deleted + renewed + alreadyGone + failed, except in a dry run, which only finds. */
export interface SweepCounts {
  readonly found: number;
  readonly deleted: number;
  readonly renewed: number;
  readonly alreadyGone: number;
  readonly failed: number;
  /** Calls of DeleteChunk beyond the first for a chunk. */
  readonly retries: number;
}

/** What a child of SweepShards hands back. */
export interface ShardResult extends SweepCounts, DeletionLag {
  /** A call failed for good on the way; the counts tell how far the child came. */
  readonly interrupted: boolean;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ItemKey[];
  /** Set when the child stopped for time: the target to sweep again. */
  readonly resume?: SweepTarget;
}

/** What RecordMetrics is told at the end of an execution. */
export interface SweepTotals extends SweepCounts, DeletionLag {
  readonly dryRun: boolean;
  /** Children that went through to their end. A target that was resumed counts again. */
  readonly shardsSwept: number;
  /** Children that were interrupted, crashed or timed out; what they left is found by a replay. */
  readonly shardsFailed: number;
  /** Counts the history's length. At {@link MOST_STEPS} an execution stops, and is incomplete. */
  readonly steps: number;
  readonly oldestOverdueSeconds: number;
  readonly failedKeys: readonly ListedFailure[];
  /** In a dry run: some of what a sweep would delete; empty else. */
  readonly sampleKeys: readonly ItemKey[];
}

/** The outcome of an execution: its output, or the cause of its failure as JSON. */
export interface SweepReport extends Omit<SweepTotals, keyof DeletionLag> {
  /** Null when nothing was deleted; absent from a failure, when nothing was due, and when no metrics were recorded. */
  readonly lagMs?: LagSummary | null;
}

/** Of the deleted items' lag, milliseconds; p50 and p99 are the upper bounds of their buckets. */
export interface LagSummary {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface RecordMetricsInput {
  readonly totals: SweepTotals;
  readonly startedAt: string;
  readonly endedAt: string;
}

export interface RecordMetricsOutput {
  /** Null when nothing was deleted. */
  readonly lagMs: LagSummary | null;
}
