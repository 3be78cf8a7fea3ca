/** Limits of a call, a child, a round and an execution, and their reasons. */

import type { MachineName } from './machines.ts';

/** Items in a BatchWriteItem, statements in a BatchExecuteStatement. Source: DynamoDB API reference. */
export const CHUNK_KEYS = 25;

/** Most keys of one page: 40 chunks, the concurrency limit of an inline Map. */
export const PAGE_KEYS = 1000;

/** Most targets of one execution of the tick: the concurrency limit of an inline Map. Source: Step Functions quotas. */
export const TICK_TARGETS = 40;

/** Most seconds that a tick waits before it starts a further execution. An Express execution costs money while it waits. */
export const MAX_AFTER_SECONDS = 45;

/** Most targets of a tick and the further executions that it starts. Its plan has about 1 KB for each, and 256 KiB in all. */
export const TICK_CHILDREN = 200;

/**
 * Age in seconds at which a tick's child that sweeps older windows (the lookback) hands on the pages that it has not read: the replay
 * machine then has them before the next tick plans.
 */
export const BACK_SECONDS = 40;

/**
 * Age of an execution in seconds from which on no child begins a step, in case a function hangs, or never returns `end`. The tick must
 * still be able to record the results of its other targets: a QueryExpired with all its retries and RecordMetrics fit in. A test adds this
 * up.
 */
export const LAST_STEP_SECONDS = 225;

/**
 * Most UTF-8 bytes of a child's result. A tick collects the results of all its targets, and its sweeps ({@link PART_BYTES}), in 256 KiB; a
 * replay those of 200 children, few of which are near the limit.
 */
export const CHILD_RESULT_BYTES: Readonly<Record<MachineName, number>> = { tick: 4_500, replay: 40_000 };

/** Most UTF-8 bytes, as JSON, of the targets of one execution of the tick and their sweeps. */
export const PART_BYTES = 70_000;

/**
 * Most characters of a child's progress: two lists of keys (`CHILD_LISTED_KEYS_BYTES`), a position and the reads of its index keys. Each
 * may take four bytes, and the progress must fit in 256 KiB together with the reason why the child was interrupted.
 */
export const CHILD_PROGRESS_CHARACTERS = 60_000;

/**
 * Most targets (children) of one round. A Map Run's output has one result per target and must stay below 256 KiB: 200 results of up to 600
 * bytes, plus the undeleted keys that they list (see {@link ROUND_LISTED_KEYS_BYTES}).
 */
export const ROUND_TARGETS = 200;

/**
 * Most steps of one execution: plans and runs of SweepShards, and one more for every ten retries of a plan. A run writes 7 events to the
 * history; a plan with its choice writes 7, and 3 for each retry, so at most 34 per step. A Standard execution may have 25,000. Source:
 * Step Functions quotas.
 */
export const MAX_STEPS = 600;

/** Most (window, shard) pairs of one execution: each round takes two steps, and all rounds are full. */
export const MAX_PAIRS = (MAX_STEPS / 2) * ROUND_TARGETS;

/** Longest lookback, 31 days: a longer gap needs a replay, and a typing error should not make each tick read a year of windows. */
export const MAX_LOOKBACK_MINUTES = 31 * 24 * 60;

/**
 * Age in seconds from which on a child begins no step and no wait. Running work must then end within the 300 seconds of an Express
 * execution: two calls of QueryExpired with all their retries, or one of DeleteChunk and one of QueryExpired. A test adds this up from the
 * synthesized values. Source: Step Functions quotas.
 */
export const MAX_CHILD_SECONDS = 195;

/**
 * Most UTF-8 bytes of keys (as JSON) that an execution lists: undeleted ones, or those of a dry run. The cause of a failure has at most
 * 32,768 characters. Source: Step Functions API reference.
 */
export const LISTED_KEYS_BYTES = 30_000;

/** Most UTF-8 bytes, as JSON, of a tick's reports on its tables, which are the cause when it fails. */
export const CAUSE_BYTES = 30_000;

/** Most UTF-8 bytes of listed keys for one child: the largest key of DynamoDB fits in, however its bytes are escaped. */
export const CHILD_LISTED_KEYS_BYTES = 20_000;

/** Most UTF-8 bytes of listed keys for all children of one round: 225 for each of 200, enough for a key of usual length. */
export const ROUND_LISTED_KEYS_BYTES = 45_000;

/** Most keys that an execution lists; all of them are counted. */
export const LISTED_KEYS = 20;

/** The highest `maxDeletesPerSecond`; a higher value would limit nothing. */
export const MAX_DELETES_PER_SECOND = 1_000_000;
