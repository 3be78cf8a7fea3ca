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
 * Most (window, shard) pairs of one round. A Map Run's output holds one result a pair and must stay below
 * 256 KiB: 300 results of up to 300 bytes, plus the undeleted keys they list (see {@link LISTED_KEYS_CHARACTERS}).
 */
export const ROUND_PAIRS = 300;

/** Characters of undeleted keys (as JSON) that the children of one round list together. */
export const LISTED_KEYS_CHARACTERS = 30_000;

/** Undeleted keys that an execution lists at the most; the total is always counted. */
export const LISTED_KEYS = 20;

/** A value of a key attribute as DynamoDB's JSON has it, bytes in base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

/** A primary key: attribute name → value. */
export type ItemKey = Readonly<Record<string, KeyAttribute>>;

/** Input of a tick: what EventBridge Scheduler sends. */
export interface TickInput {
  /** The schedule's time, ISO-8601. It decides what is expired, not the moment the execution starts. */
  readonly scheduledTime: string;
  /** How far back to look for items that earlier sweeps left. @default the deployment's lookbackMinutes */
  readonly lookbackMinutes?: number;
}

/** Input of a replay: sweep the expiry times in [from, to). */
export interface ReplayInput {
  readonly from: string;
  readonly to: string;
  /** Find and count, delete nothing. @default false */
  readonly dryRun?: boolean;
}

export type SweepInput = TickInput | ReplayInput;

/** One (window, shard) of the index and the TTLs to take from it: from <= ttl < before and ttl <= cutoff. */
export interface WindowShard {
  /** The index's partition key, with its shard suffix. */
  readonly windowKey: string;
  readonly from: number;
  readonly before: number;
  /** What is expired: frozen by PlanSweep, asked again at the delete. */
  readonly cutoff: number;
}

/** Where a plan that did not fit into one round goes on. */
export interface PlanCursor {
  /** Start of the window, epoch seconds. */
  readonly window: number;
  readonly shard: number;
}

export interface PlanSweepInput {
  readonly executionInput: unknown;
  /** When the execution started, ISO-8601: nothing that expires later is touched. */
  readonly startedAt: string;
  readonly cursor?: PlanCursor | null;
}

export interface PlanSweepOutput {
  /** The pairs that hold something expired, oldest window first; never keys. */
  readonly due: readonly WindowShard[];
  readonly cursor: PlanCursor | null;
  readonly dryRun: boolean;
}

export interface QueryExpiredInput {
  readonly target: WindowShard;
  readonly dryRun: boolean;
  /** Where the previous page ended. */
  readonly startKey: ItemKey | null;
}

/** What one DeleteChunk works on. An object, not a bare array: JSONata flattens arrays of arrays. */
export interface Chunk {
  readonly keys: readonly ItemKey[];
}

export interface QueryExpiredOutput {
  readonly found: number;
  /** Empty in a dry run. */
  readonly chunks: readonly Chunk[];
  readonly startKey: ItemKey | null;
}

export interface DeleteChunkInput {
  readonly keys: readonly ItemKey[];
  readonly cutoff: number;
}

/** A key that DynamoDB will not delete, however often it is asked. */
export interface FailedKey {
  readonly key: ItemKey;
  /** DynamoDB's error code, e.g. `ValidationError`; `Unprocessed` when the attempts ran out. */
  readonly reason: string;
}

export interface DeleteChunkOutput {
  readonly deleted: number;
  /** Guarded mode: not expired any more at the moment of the delete. */
  readonly renewed: number;
  /** Guarded mode: not there any more. In batch mode these count as deleted. */
  readonly alreadyGone: number;
  /** To be tried again, and only these. */
  readonly unprocessed: readonly ItemKey[];
  readonly failed: readonly FailedKey[];
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
export interface ShardResult extends SweepCounts {
  /** A call failed for good on the way; the counts tell how far the child came. */
  readonly interrupted: boolean;
  readonly failedKeys: readonly FailedKey[];
  /** Set when the child stopped for time: the pair to sweep again. */
  readonly resume?: WindowShard;
}

/** The outcome of an execution: its output, or the cause of its failure as JSON. */
export interface SweepReport extends SweepCounts {
  readonly dryRun: boolean;
  /** Children that went through to their end. A pair that was resumed counts again. */
  readonly shardsSwept: number;
  /** Children that were interrupted, crashed or timed out; what they left is found by a replay. */
  readonly shardsFailed: number;
  readonly failedKeys: readonly FailedKey[];
}

export interface RecordMetricsInput {
  readonly report: SweepReport;
  readonly startedAt: string;
  readonly endedAt: string;
}
