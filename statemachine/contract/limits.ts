/** Limits of a sweep: how much one call, one child, one round and one execution take, and why. */

import type { MachineName } from './machines.ts';

/** Items in a BatchWriteItem, statements in a BatchExecuteStatement. Source: DynamoDB API reference. */
export const CHUNK_KEYS = 25;

/** Most keys of one page: 40 chunks, which is what an inline Map runs at once. */
export const PAGE_KEYS = 1000;

/** Most targets of one execution of the tick: what an inline Map sweeps at once. Source: Step Functions quotas. */
export const TICK_TARGETS = 40;

/** A tick starts its further executions after so many seconds at the most. An Express execution is paid for while it waits. */
export const MAX_AFTER_SECONDS = 45;

/** Most targets of a tick and the further executions that it starts. Its plan has about 1 KB for each, and 256 KiB in all. */
export const TICK_CHILDREN = 200;

/**
 * Age at which a child of a tick that sweeps what lies back, and still has pages to read, hands them on: the replay machine has them before
 * the next tick plans.
 */
export const BACK_SECONDS = 40;

/**
 * Age of an execution at which no child begins a step, seconds: for a function that hangs, or would never say `end`. A tick must then still
 * be able to record what its other targets came to: a QueryExpired with all its retries and RecordMetrics fit in. A test adds this up.
 */
export const LAST_STEP_SECONDS = 225;

/**
 * UTF-8 bytes of what a child hands back. A tick collects those of all its targets, with what {@link PART_BYTES} has of their sweeps, in
 * 256 KiB; a replay those of 200, of which few are near that.
 */
export const CHILD_RESULT_BYTES: Readonly<Record<MachineName, number>> = { tick: 4_500, replay: 40_000 };

/** UTF-8 bytes, as JSON, of the targets of one execution of the tick and the sweeps that they belong to. */
export const PART_BYTES = 70_000;

/**
 * Characters of a child's progress: two lists of keys (`CHILD_LISTED_KEYS_BYTES`), a position and what is known of its windows' keys. Each may take four
 * bytes, and it has to have room in 256 KiB beside what says why the child was interrupted.
 */
export const CHILD_PROGRESS_CHARACTERS = 60_000;

/**
 * Most targets (children) of one round. A Map Run's output holds one result a target and must stay below 256 KiB: 200
 * results of up to 600 bytes, plus the undeleted keys they list (see {@link ROUND_LISTED_KEYS_BYTES}).
 */
export const ROUND_TARGETS = 200;

/**
 * Most steps of one execution: plans and runs of SweepShards, and one more for every ten retries of a plan. A run writes
 * 7 events to the history; a plan 7 with the choice that follows, and 3 for each retry, so at most 34 a step. A Standard
 * execution may have 25,000. Source: Step Functions quotas.
 */
export const MAX_STEPS = 600;

/** (window, shard) pairs of one execution: two steps a round, each round full. */
export const MAX_PAIRS = (MAX_STEPS / 2) * ROUND_TARGETS;

/** 31 days: a longer gap is a replay's business, and a typing error should not read a year of windows each minute. */
export const MAX_LOOKBACK_MINUTES = 31 * 24 * 60;

/**
 * 30 days, the longest `graceSeconds`: whoever keeps expired items for longer gives them a later TTL, and filters what readers see.
 */
export const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;

/**
 * Age at which a child starts nothing more and waits for nothing more, seconds. What is under way then must end within the
 * 300 seconds of an Express execution: two calls of QueryExpired with all their retries, or one of DeleteChunk and one of
 * QueryExpired. A test adds this up from the synthesized values. Source: Step Functions quotas.
 */
export const MAX_CHILD_SECONDS = 195;

/**
 * UTF-8 bytes of keys (as JSON), undeleted ones or a dry run's, that an execution lists. The cause of a failure takes 32,768
 * characters in all. Source: Step Functions API reference.
 */
export const LISTED_KEYS_BYTES = 30_000;

/** UTF-8 bytes, as JSON, of what a tick says of its tables: where something is left that is the cause of a failure. */
export const CAUSE_BYTES = 30_000;

/** The same for one child at the most: the largest key that DynamoDB takes fits in, however its bytes are escaped. */
export const CHILD_LISTED_KEYS_BYTES = 20_000;

/** The same for the children of one round together: 225 for each of 200, room for a key of usual length. */
export const ROUND_LISTED_KEYS_BYTES = 45_000;

/** Keys that an execution lists at the most; the total is always counted. */
export const LISTED_KEYS = 20;

/** The highest `maxDeletesPerSecond`; what is more is no limit. */
export const MAX_DELETES_PER_SECOND = 1_000_000;
