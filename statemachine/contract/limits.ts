/** Maximum number of items in a BatchWriteItem, and of statements in a BatchExecuteStatement. Source: DynamoDB API reference. */
export const CHUNK_KEYS = 25;

/** 40 chunks: an inline Map runs at most 40 iterations at once. Source: Step Functions quotas. */
export const PAGE_KEYS = 1000;

export const GROUP_CHILDREN = 40;

export const TICK_CHILDREN = 400;

/** Children of a table's lookback, and shards of a child unless a tick has too many children. */
export const BACK_CHILDREN = 8;
export const SHARDS_OF_CHILD = 4;

/** Keys of the index that one call of a function reads at once. */
export const KEYS_AT_ONCE = 10;

/** Maximum size of a tick's plan, UTF-8 bytes: a state's output may have 256 KiB. */
export const PLAN_BYTES = 240_000;

/** Maximum size of the results of a round, UTF-8 bytes. A state's output has these results and the tables' settings. */
export const RESULTS_BYTES = 160_000;

/** Seconds from the end of the plan to the end of a child of the lookback, whatever is left: the next tick begins soon after. */
export const BACK_SECONDS = 45;

/**
 * Age of an execution in seconds after which no child begins a step, in case a function hangs or never returns `end`. The tick must still
 * record its other results: the remaining time is enough for a QueryExpired with all its retries, and for RecordMetrics. A test adds up
 * these times.
 */
export const LAST_STEP_SECONDS = 225;

/**
 * Maximum size of a child's progress, characters: two lists of keys (`CHILD_LISTED_KEYS_BYTES`), and at most a page of keys that are left.
 * The progress of an interrupted child must fit into 256 KiB together with the reason.
 */
export const CHILD_PROGRESS_CHARACTERS = 170_000;

export const ROUND_CHILDREN = 200;

export const REPLAY_CONCURRENCY = 20;

/** Each round of a replay writes some 40 events to the history, and a Standard execution may have 25,000. Source: Step Functions quotas. */
export const MAX_ROUNDS = 500;

/**
 * Age of an execution in seconds after which a child begins no step and no wait. Running work then ends within the 300 seconds of an
 * Express execution: two calls of QueryExpired with all their retries, or one call of DeleteChunk and one call of QueryExpired. A test adds
 * up these times from the synthesized values. Source: Step Functions quotas.
 */
export const MAX_CHILD_SECONDS = 195;

export const LISTED_KEYS_BYTES = 28_000;

/**
 * Maximum size of an execution's reports, UTF-8 bytes of JSON, with {@link LISTED_KEYS_BYTES} of keys. The reports are the cause of a
 * failed execution, and a cause has at most 32,768 characters. Source: Step Functions API reference.
 */
export const CAUSE_BYTES = 30_000;

/** Maximum size of the keys in a child's result, UTF-8 bytes: enough for DynamoDB's largest key, however its bytes are escaped. */
export const CHILD_LISTED_KEYS_BYTES = 20_000;

export const LISTED_KEYS = 20;

export const MAX_DELETES_PER_SECOND = 1_000_000;
