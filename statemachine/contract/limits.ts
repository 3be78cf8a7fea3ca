/** Items in a BatchWriteItem, statements in a BatchExecuteStatement. Source: DynamoDB API reference. */
export const CHUNK_KEYS = 25;

/** Maximum number of keys in one page: 40 chunks, the concurrency limit of an inline Map. */
export const PAGE_KEYS = 1000;

/** Children of a group: the concurrency limit of an inline Map. Source: Step Functions quotas. */
export const GROUP_CHILDREN = 40;

export const TICK_CHILDREN = 400;

/** Maximum size of a tick's plan, UTF-8 bytes: a state's output may have 256 KiB. */
export const PLAN_BYTES = 240_000;

/** Maximum size of the results of a round, UTF-8 bytes. A state's output has them together with the settings of the tables. */
export const RESULTS_BYTES = 160_000;

/** Age of an execution in seconds at which a child of a tick's lookback ends, whatever is left: the next tick begins soon after. */
export const BACK_SECONDS = 45;

/**
 * Age of an execution in seconds from which on no child begins a step, in case a function hangs, or never returns `end`. The tick must
 * still be able to record the results of its other targets: there is time for a QueryExpired with all its retries, and for RecordMetrics. A
 * test adds this up.
 */
export const LAST_STEP_SECONDS = 225;

/**
 * Maximum size of a child's progress, characters: two lists of keys (`CHILD_LISTED_KEYS_BYTES`), and at most a page of keys that are left.
 * It must fit in 256 KiB together with the reason why the child was interrupted.
 */
export const CHILD_PROGRESS_CHARACTERS = 170_000;

export const ROUND_CHILDREN = 200;

export const REPLAY_CONCURRENCY = 20;

/** Each round of a replay writes some 40 events to the history, and a Standard execution may have 25,000. Source: Step Functions quotas. */
export const MAX_ROUNDS = 500;

/**
 * Age of an execution in seconds from which on a child begins no step and no wait. Running work must then end within the 300 seconds of an
 * Express execution: two calls of QueryExpired with all their retries, or one of DeleteChunk and one of QueryExpired. A test adds this up
 * from the synthesized values. Source: Step Functions quotas.
 */
export const MAX_CHILD_SECONDS = 195;

/**
 * Maximum size of the keys that an execution's reports list, UTF-8 bytes of JSON: failed keys, or those of a dry run. With the counts they
 * fit into {@link CAUSE_BYTES}.
 */
export const LISTED_KEYS_BYTES = 28_000;

/**
 * Maximum size of an execution's reports, UTF-8 bytes of JSON. They are the cause of a failed execution, and a cause has at most 32,768
 * characters. Source: Step Functions API reference.
 */
export const CAUSE_BYTES = 30_000;

/** Maximum size of the keys in a child's result, UTF-8 bytes: enough for DynamoDB's largest key, however its bytes are escaped. */
export const CHILD_LISTED_KEYS_BYTES = 20_000;

export const LISTED_KEYS = 20;

/** The highest `maxDeletesPerSecond`. A higher value would limit nothing. */
export const MAX_DELETES_PER_SECOND = 1_000_000;
