/** Maximum number of items in one BatchWriteItem, and of statements in one BatchExecuteStatement. Source: DynamoDB API reference. */
export const CHUNK_KEYS = 25;

/** Maximum keys that a child deletes in one step: 40 chunks, as an inline Map runs 40 iterations at once. Source: Step Functions quotas. */
export const PAGE_KEYS = 1000;

export const GROUP_CHILDREN = 40;

export const TICK_CHILDREN = 400;

/** Maximum number of children of a table's lookback, if the table has no limit of deletes per second. */
export const BACK_CHILDREN = 8;

/** Maximum number of shards of an upcoming minute's child; doubled while the tick would have more than TICK_CHILDREN children. */
export const SHARDS_OF_CHILD = 4;

export const KEYS_AT_ONCE = 10;

/** Maximum size of a tick's plan, UTF-8 bytes. Step Functions allows 256 KiB for the output of a state. */
export const PLAN_BYTES = 240_000;

/** Maximum size of all results of a tick or a replay's round, UTF-8 bytes. A state's output, at most 256 KiB, has results and settings. */
export const RESULTS_BYTES = 160_000;

/** Seconds from a tick's plan to the end of a lookback's child without a delete limit. The next tick sweeps the remaining items. */
export const BACK_SECONDS = 45;

/** Age of an execution, in seconds, after which a child begins no step. The remaining time is for retries of a step that already runs. */
export const LAST_STEP_SECONDS = 225;

/** Maximum size of a child's progress, characters of JSON. A state's output contains the progress, and has at most 256 KiB. */
export const CHILD_PROGRESS_CHARACTERS = 170_000;

export const ROUND_CHILDREN = 200;

export const REPLAY_CONCURRENCY = 20;

/** Maximum rounds of a replay: each adds some 40 events to the execution's history of at most 25,000. Source: Step Functions quotas. */
export const MAX_ROUNDS = 500;

/**
 * Age of an execution, in seconds, from which QueryExpired ends every child: an Express execution has 300 seconds. Source: Step Functions
 * quotas.
 */
export const MAX_CHILD_SECONDS = 195;

export const LISTED_KEYS_BYTES = 28_000;

/**
 * Maximum UTF-8 bytes of an execution's reports: the cause of a failed execution contains the reports, and has at most 32,768 characters.
 * Source: Step Functions API reference.
 */
export const CAUSE_BYTES = 30_000;

/** Maximum size of each list of keys in a child's result, UTF-8 bytes; less if a third of the result's maximum size is less. */
export const CHILD_LISTED_KEYS_BYTES = 20_000;

export const LISTED_KEYS = 20;

export const MAX_DELETES_PER_SECOND = 1_000_000;
