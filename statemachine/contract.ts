/**
 * What the states of the sweep are called and what passes between them. The definition, the handlers, the local
 * runner and the tests all take it from here.
 *
 * Times that a state of the machine or a person reads are ISO-8601. Those that only functions read are numbers, {@link Seconds} or
 * {@link Millis} since 1970: what is compared with a TTL is in whole seconds, and a moment within one is in milliseconds.
 */

import type { TtlFault } from '../expiry/ttl.ts';
import type { Counts, ScanCount } from './counts.ts';
import type { Millis, Seconds } from './times.ts';

export type { Millis, Seconds } from './times.ts';

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

/** Most targets of one execution of the tick: what an inline Map sweeps at once. Source: Step Functions quotas. */
export const TICK_TARGETS = 40;

/** A tick starts its further executions after so many seconds at the most. An Express execution is paid for while it waits. */
export const MOST_AFTER_SECONDS = 45;

/** Most targets of a tick and the further executions that it starts. Its plan has about 1 KB for each, and 256 KiB in all. */
export const TICK_CHILDREN = 200;

/** TimeoutSeconds of the tick, below the five minutes of an Express execution. */
export const TICK_TIMEOUT_SECONDS = 290;

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
 * Time limit of an execution, seconds. The functions and the children end by themselves; this is for what does not, such as a Map Run
 * that is kept waiting. A tick takes two minutes, and a replay or a sweep with a limit may take hours. Without it an execution runs
 * for a year. Source: Step Functions quotas.
 */
export const EXECUTION_TIMEOUT_SECONDS = 86_400;

/** Time limits of the functions, seconds; a task's own limit is never above its function's. */
export const FUNCTION_TIMEOUT_SECONDS: Readonly<Record<TaskName, number>> = {
  PlanSweep: 120,
  QueryExpired: 10,
  DeleteChunk: 15,
  RecordMetrics: 15,
};

/**
 * Time limits of a child's tasks while its upcoming minute is on, seconds: a call that hangs must not keep the items of
 * the next seconds waiting. Its chunk is deferred, its query made again.
 */
export const PRECISE_TIMEOUT_SECONDS = { QueryExpired: 3, DeleteChunk: 2 } as const;

/** Time limit of a query that the machine makes itself, seconds: QueryExpired makes it again. */
export const POLL_TIMEOUT_SECONDS = 1;

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

/** DynamoDB throttles, or is briefly unavailable. */
export const BUSY = 'DynamoDbBusyError';

/** Lambda runs as many functions at once as the account may, and refuses the call. */
export const REFUSED = 'Lambda.TooManyRequestsException';

/** Errors of a call after which the same call may succeed. Never `States.ALL`: a wrong input stays wrong. */
export const TRANSIENT_ERRORS: readonly string[] = [
  BUSY,
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  REFUSED,
  'Lambda.Unknown',
  // The function's process died or ran out of time; every function can be called again.
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  // The task's own time limit.
  'States.Timeout',
];

/** A value of a key attribute as DynamoDB's JSON has it, bytes in base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

/** A primary key: attribute name → value. */
export type ItemKey = Readonly<Record<string, KeyAttribute>>;

/** Input of a tick: what EventBridge Scheduler sends. */
export interface TickInput {
  /** The schedule's time, ISO-8601. It decides which minute the tick owns, and from where it looks back. */
  readonly scheduledTime: string;
  /** Names of the tables that it sweeps. @default all of the deployment */
  readonly tables?: readonly string[];
  /**
   * It also owns what expires from its start to the minute that a tick owns else: of tables that no tick has planned before it.
   * @default false
   */
  readonly fromNow?: boolean;
  /** Deletes per second at most; 0 = no limit. @default the deployment's maxDeletesPerSecond */
  readonly maxDeletesPerSecond?: number;
}

/** Input of a replay: sweep the expiry times in [from, to). */
export interface ReplayInput {
  /** Name of the table. @default the only one of the deployment */
  readonly table?: string;
  readonly from: string;
  readonly to: string;
  /** Find and count, delete nothing. @default false */
  readonly dryRun?: boolean;
  /** Deletes per second at most; 0 = no limit. @default the table's maxDeletesPerSecond */
  readonly maxDeletesPerSecond?: number;
  /**
   * A tick has handed it over: it also takes what is older than the span and lies in the same windows, as a tick does. While it runs, the
   * ticks leave the span to it. @default false
   */
  readonly handOver?: boolean;
}

/**
 * Input of a scan of the index: whatever is overdue in it goes, however long ago it expired and wherever it lies, and what no sweep ever
 * deletes is counted and named.
 */
export interface ScanInput {
  /** Name of the table. @default the only one of the deployment */
  readonly table?: string;
  readonly scanIndex: true;
  /** Find and count, delete nothing. @default false */
  readonly dryRun?: boolean;
  /** Deletes per second at most; 0 = no limit. @default a tenth of the table's limit, of which the ticks have all */
  readonly maxDeletesPerSecond?: number;
}

export type SweepInput = TickInput | ReplayInput | ScanInput;

/** A window, and which of its shards. By window each shard is a partition key of the index. */
export interface TargetWindow {
  readonly start: Seconds;
  /** Ranges, ascending: `0-24,30`. */
  readonly shards: string;
}

/** What one child sweeps: shards of windows that may hold TTLs with from <= ttl < before. */
export interface SweepTarget {
  /** Each window once, the oldest first. */
  readonly windows: readonly TargetWindow[];
  readonly from: Seconds;
  readonly before: Seconds;
  /** The start of an upcoming minute, which is polled from then on until `before`; null: swept once, at once. */
  readonly upcomingFrom: Seconds | null;
  /** Where a dry run or a scan that ran out of time goes on. */
  readonly position?: PagePosition | null;
  /** It is the whole index instead of windows, which there are none of then. */
  readonly scan?: IndexScan;
}

/** A scan of a whole index, which may take several executions when some of them are ended. */
export interface IndexScan {
  /** Name of the execution that has it now. */
  readonly execution: string;
  /** When the first of them began, ISO-8601. */
  readonly beganAt: string;
  /** What was found up to the target's position. */
  readonly before: ScanRecord;
}

/** What a scan of an index has come to. */
export interface ScanRecord extends Readonly<Record<ScanCount, number>> {
  readonly found: number;
  readonly deleted: number;
  readonly failed: number;
  readonly named: readonly NamedEntry[];
}

/** An entry of the index that a scan names: one of the first few of its kind. */
export interface NamedEntry {
  /** What is remarkable: it is overdue, no query of a second finds it, no sweep looks where it lies, or its TTL is out of range. */
  readonly is: 'overdue' | 'fractional' | 'misfiled' | TtlFault;
  /** Absent where keys are not shown. */
  readonly key?: ShownKey;
  readonly ttl: number;
  /** By window: the one that it lies in. */
  readonly window?: string;
}

/** How far a child has scanned its target. */
export interface ScanProgress {
  /** Everything before it is deleted, or counted and named; null: nothing is. */
  readonly settled: PagePosition | null;
  /** Named before that. */
  readonly named: readonly NamedEntry[];
  /** What was read since, of which deletes are under way. */
  readonly pending: Readonly<Record<ScanCount, number>>;
  readonly pendingNamed: readonly NamedEntry[];
  /** Most of the last page was due, or more than there was room for: the next one is no larger than that. */
  readonly isDense: boolean;
}

/** Where a page ended. */
export interface PagePosition {
  /** Which of the target's index keys, from 0 on. */
  readonly indexKey: number;
  /** TTL and primary key of the last entry read; null: before the first one. */
  readonly key: ItemKey | null;
}

/** An expired item: its primary key, and the TTL that the index has for it. */
export interface ExpiredKey {
  readonly key: ItemKey;
  readonly ttl: Seconds;
}

/** A key that DynamoDB will not delete, however often it is asked. */
export interface FailedKey {
  readonly key: ItemKey;
  /** DynamoDB's error code, e.g. `ValidationError`; `Unprocessed` when time or attempts ran out. */
  readonly reason: string;
}

/** What stands for a key where it must not be shown: `hmac-sha256:` and 16 hexadecimal digits. */
export type KeyHash = `hmac-sha256:${string}`;

/** A key as logs, reports and causes show it. With the setting `logKeys: 'none'` there is nothing in its place. */
export type ShownKey = ItemKey | KeyHash;

/** A {@link FailedKey} as a child or an execution lists it. */
export interface ListedFailure {
  /** Absent too where keys are not shown at all. */
  readonly key?: ShownKey;
  /** Instead of a key for which there is no room: the beginning of its JSON. */
  readonly keyStart?: string;
  readonly reason: string;
}

/** How late items were deleted: moment of deletion minus TTL. */
export interface DeletionLag {
  /** Deleted items by bucket of lag; the buckets are those of `functions/report/lag.ts`. Buckets without items are left out. */
  readonly lagCounts: Readonly<Record<string, number>>;
  /** The largest lag; 0 when nothing was deleted. */
  readonly lagMaxMs: Millis;
}

/** What became of keys that DeleteChunk was given; each has exactly one fate or is still unprocessed. */
export type DeletionCounts = Counts<'call'> & DeletionLag;

/* A chunk: DeleteChunk, and WaitForCapacity before it is called again. */

/** What one DeleteChunk works on and answers with. An object, not a bare array: JSONata flattens arrays of arrays. */
export interface Chunk {
  /** What the machine does with the chunk: call DeleteChunk, wait and then call it, or hand it back. */
  readonly next: 'delete' | 'wait' | 'done';
  /** `next: 'wait'`: until when, ISO-8601 without milliseconds, which a Wait drops. */
  readonly until: string | null;
  /** TimeoutSeconds of the task. */
  readonly timeoutSeconds: Seconds;
  /** No call begins from then on, ISO-8601 with milliseconds. */
  readonly deadline: string;
  /** TTLs up to this one were expired by DynamoDB's clock when they were read; each delete asks again with it. */
  readonly cutoff: Seconds;
  /** One attempt only: what it leaves is deferred to a later poll of the child. */
  readonly once: boolean;
  /** Each TTL is checked again, whatever the table's `deleteMode`. @default as that says */
  readonly guarded?: boolean;
  /** Still to be deleted. */
  readonly keys: readonly ExpiredKey[];
  readonly progress: ChunkProgress | null;
  /** Why the last call of DeleteChunk failed, an error's name. */
  readonly error?: string;
}

export interface DeleteChunkInput {
  readonly chunk: Chunk;
  /** When the state was entered, ISO-8601. */
  readonly now: string;
}

/** What earlier calls of DeleteChunk came to for a chunk. */
export interface ChunkProgress extends Counts<'call' | 'chunk'>, DeletionLag {
  /** Calls made, also those that failed. The counts are of those that QueryExpired has not counted yet. */
  readonly attempts: number;
  readonly failed: readonly FailedKey[];
  /** The next call deletes at this moment: the wait before it ends on a whole second. */
  readonly retryAtMs: Millis;
}

/* A child: QueryExpired decides, the machine waits or deletes and comes back to it. */

/** What an item of SweepShards is: what its child begins with. The child gets its table's settings besides. */
export interface ChildStart {
  /** Name of its table. */
  readonly table: string;
  readonly next: 'wait' | 'query';
  /** `next: 'wait'`: until when, ISO-8601 without milliseconds. */
  readonly until: string | null;
  /** TimeoutSeconds of QueryExpired. */
  readonly timeoutSeconds: Seconds;
  readonly results: readonly [];
  readonly progress: InitialProgress;
}

/** What a child's progress begins with: its target, and how to sweep it. */
export interface InitialProgress {
  readonly target: SweepTarget;
  readonly dryRun: boolean;
  /** UTF-8 bytes of keys that the child may list. */
  readonly listedKeysBytes: number;
  /** Its part of `maxDeletesPerSecond`; null, or missing in an execution that began before there was one: no limit. */
  readonly limit?: ChildLimit | null;
  /** Age at which it hands on what it has not read; missing: {@link MAX_CHILD_SECONDS}. */
  readonly handsOnAfter?: Seconds;
}

/** How much of `maxDeletesPerSecond` a child has. */
export interface ChildLimit {
  /** Keys handed to DeleteChunks per second, more than 0; may be a fraction. */
  readonly perSecond: number;
  /** What it may hand over in its first second. */
  readonly credit: number;
  /** It ends then, and leaves the rest to a later sweep; null: a further child of the execution goes on. */
  readonly before: Seconds | null;
}

/**
 * What QueryExpired carries from call to call; nobody else looks into it but whoever adds up an interrupted child. Each slice has a file of
 * its own in `functions/child/`, with the value that it starts with and all that changes it.
 */
export interface ChildProgress extends Omit<InitialProgress, 'limit'> {
  readonly poll: PollProgress;
  readonly deferred: DeferredProgress;
  readonly busy: BusyProgress;
  readonly brake: BrakeProgress;
  readonly counts: CountsProgress;
  /** Where the target is a whole index. */
  readonly scan?: ScanProgress;
  /** Once it is in parts: those that are not in front. They have none. */
  readonly others?: readonly ChildProgress[];
}

/** How far a child has read its target. */
export interface PollProgress {
  /** Where this poll goes on; null when it has read everything that is due. */
  readonly position: PagePosition | null;
  /** TTLs up to this one were seen by an earlier poll; null: a poll begins at the start of the windows. */
  readonly seen: Seconds | null;
  /** When the next poll is due; null: none is. */
  readonly nextAt: Seconds | null;
  /** Entries that the last poll found due: about as many as the next one will find. */
  readonly lastDue: number;
  /** A window that has ended holds an entry that is not due yet. */
  readonly holdsStrays: boolean;
  /** By window, of an upcoming minute: what is known of the target's index keys. Polls may read some of them only. */
  readonly known?: readonly KnownKeys[];
  /** How far DynamoDB's clock was ahead of the machine's at the last page. */
  readonly ahead?: Seconds;
}

/** An index key that a poll has read to its end. */
export interface KeyRead {
  /** TTLs up to this one were seen. */
  readonly seen: Seconds;
  /** The earliest TTL that was seen, was not due and is not planned; null: there was none. */
  readonly next: Seconds | null;
  /** Entries whose deletes were planned before they were due: no later poll takes them again. */
  readonly planned?: readonly ExpiredKey[];
}

/** Index keys of which the same is known. */
export interface KnownKeys extends KeyRead {
  /** Ranges of their places among the target's keys, from 0 on: '0-24,30'. */
  readonly places: string;
}

/** What a poll from the start of the windows will find again: keys of chunks that had their one attempt. */
export interface DeferredProgress {
  readonly count: number;
  readonly keys: readonly ListedFailure[];
  /** When that poll is due; null: nothing is deferred. */
  readonly retryAtMs: Millis | null;
  /** How often what is deferred has been tried, in the poll that found it first and in polls of its own. */
  readonly polls: number;
  /** In a poll from the start of the windows: TTLs up to this one are tried again; null in others. */
  readonly retriedUpTo: Seconds | null;
}

/** A DynamoDB that is too busy for a query. */
export interface BusyProgress {
  /** Queries in a row that it was too busy for. */
  readonly polls: number;
  /** No query before; null after one that got through. */
  readonly untilMs: Millis | null;
}

/** How fast a child may delete. */
export interface BrakeProgress {
  /** Null: no limit. */
  readonly limit: ChildLimit | null;
  /** Keys per second that DynamoDB seems to take; null: as long as it has not throttled. */
  readonly rate: number | null;
  /** Keys tried and throttled lately: those of a page count half as much after each further page. */
  readonly triedLately: number;
  readonly throttledLately: number;
  /** Pages in a row of which DynamoDB took all, since it throttled. */
  readonly clearPages: number;
  /** Keys that may be handed to DeleteChunks now, by `rate` and `limit`, as of `creditAt` (0: not yet begun). */
  readonly credit: number;
  readonly creditAt: Seconds;
}

/** What a child came to so far. */
export interface CountsProgress extends SweepCounts, DeletionLag {
  /** Keys handed to DeleteChunks, whose results have not come back. */
  readonly inFlight: number;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
}

export interface QueryExpiredInput {
  readonly progress: InitialProgress | ChildProgress;
  /** What DeleteChunks gave back; empty when the machine comes from a wait or a query. */
  readonly results: readonly Chunk[];
  /** When the child started, ISO-8601. */
  readonly startedAt: string;
  /** When the state was entered, ISO-8601. */
  readonly now: string;
  /** TTLs up to this one were polled by the machine, which found nothing; null, or missing: it has polled none. */
  readonly polledUpTo?: Seconds | null;
}

/** The seconds of expiry that the machine polls by itself: one each second, until it finds something. */
export interface SecondPolls {
  readonly second: Seconds;
  readonly last: Seconds;
}

export interface QueryExpiredOutput {
  readonly next: 'wait' | 'query' | 'poll' | 'delete' | 'end';
  /** `next: 'wait'`: until when, ISO-8601 without milliseconds. `next: 'poll'`: when the first second is polled. */
  readonly until: string | null;
  /** `next: 'poll'`; null else. */
  readonly poll: SecondPolls | null;
  readonly timeoutSeconds: Seconds;
  /** What DeleteChunks deletes next: now, or at the end of a wait. After a wait without any QueryExpired is called. */
  readonly chunks: readonly Chunk[];
  /** What follows the deletes, in this order, as long as none of their keys is left; then QueryExpired is called. */
  readonly upcoming: readonly UpcomingStep[];
  readonly results: readonly [];
  readonly progress: ChildProgress;
  /** `next: 'end'`: null else. */
  readonly result: ShardResult | null;
}

/** A wait, and what DeleteChunks deletes at its end. */
export interface UpcomingStep {
  /** ISO-8601 without milliseconds. */
  readonly until: string;
  /** Empty for the wait before the next poll. */
  readonly chunks: readonly Chunk[];
}

/** Counts of a child; found = the sum of the fates, except in a dry run, which only finds. */
export type SweepCounts = Counts<'call' | 'chunk' | 'child'>;

/** What a child of SweepShards hands back. */
export interface ShardResult extends SweepCounts, DeletionLag {
  /** Everything that is the child's is done: nothing failed, nothing is left to a further child. */
  readonly complete: boolean;
  /** The child ended before it had read everything that is its own, and no further child will. */
  readonly interrupted: boolean;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
  /** By a scan of the index. */
  readonly named?: readonly NamedEntry[];
  /** Set when the child stopped for time: the target to sweep again. */
  readonly resume?: SweepTarget;
}

/** What a child hands back when the machine had to end it. */
export interface InterruptedChild {
  /** The error's name. */
  readonly interruptedBy: string;
  /** Null when it was too large to be handed back. */
  readonly progress: InitialProgress | ChildProgress | null;
}

/** What a Map Run holds of a child that crashed or timed out. */
export interface CrashedChild {
  readonly Error?: string;
  readonly Cause?: string;
}

export type ChildOutput = (ShardResult | InterruptedChild | CrashedChild) & {
  /** Name of its table; missing when the child crashed. */
  readonly table?: string;
};

/* An execution: PlanSweep decides, SweepShards runs the children, RecordMetrics adds up and reports. */

/** Where a plan that did not fit into one round goes on. */
export interface PlanCursor {
  /** Start of the window. */
  readonly window: Seconds;
  readonly shard: number;
}

/** What PlanSweep carries from call to call. */
export interface SweepProgress {
  /** Of all rounds but the one under way. */
  readonly totals: SweepTotals;
  /** Targets of the round under way. */
  readonly roundTargets: number;
  readonly cursor: PlanCursor | null;
}

/** Times of expiry, [from, to), that another execution is to sweep; epoch seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** So fast at the most. @default as its table's limit says */
  readonly maxDeletesPerSecond?: number;
}

/** Why a table is not swept. */
export interface PlanFailure {
  /** The error's name. */
  readonly error: string;
  readonly message: string;
}

/** The settings of a table as an execution carries them; `functions/runtime/environment.ts` reads them. */
export type CarriedSettings = Readonly<Record<string, unknown>> & { readonly tableName: string };

/** The sweep of one table in an execution. */
export interface TableSweep {
  /** Of a table without a target in the execution only those that its record needs. */
  readonly settings: CarriedSettings;
  /** In a replay. */
  readonly progress?: SweepProgress;
  /** In a tick. */
  readonly planned?: TickPlan;
}

/** What a tick knows of a table before it sweeps it. */
export interface TickPlan {
  /** Targets of the table in this execution. */
  readonly targets: number;
  readonly oldestOverdueSeconds: number;
  /** What the plan has found no room for. */
  readonly leftOver?: Span;
  /** The table could not be asked what is due. Nothing of it is swept in this execution. */
  readonly failure?: PlanFailure;
  /** It may not delete as fast as it can: what it leaves is left to the next tick. */
  readonly limited?: boolean;
  /** It is time for a scan of its index. */
  readonly scanDue?: boolean;
}

/** One table's part of what the states hand on. */
export interface TableRound extends Omit<SweepState, 'sweeps' | 'failedParts'> {
  readonly progress: SweepProgress;
}

/** What is next for one table of a replay. */
export interface RoundPlan extends Omit<PlanSweepOutput, 'due' | 'parts' | 'sweeps'> {
  readonly due: readonly Omit<ChildStart, 'table'>[];
  readonly progress: SweepProgress;
  readonly report: SweepReport;
}

/** By the names of the tables. */
export type TableSweeps = Readonly<Record<string, TableSweep>>;

/** Targets that a further execution of the tick sweeps; also its input. */
export interface TickPart {
  readonly due: readonly ChildStart[];
  readonly sweeps: TableSweeps;
}

/** A part with the time that the tick waits before it starts it. */
export interface LaterPart extends TickPart {
  /** Whole, 0 to {@link MOST_AFTER_SECONDS}; it stands in the part's input, which nothing there reads. */
  readonly afterSeconds: Seconds;
}

/** What the states of an execution hand on. */
export interface SweepState {
  readonly sweeps: TableSweeps;
  /** Of the round that has just ended; empty when the round as a whole came to nothing that is known of. */
  readonly results: readonly ChildOutput[];
  /** RetryCount of the plan of that round. */
  readonly retries: number;
  /** In a tick: the parts that could not be started. Their targets are not swept. */
  readonly failedParts?: readonly Pick<TickPart, 'sweeps'>[];
  /** PlanFurther failed for good, and what was left to plan is not swept. */
  readonly planFailed?: boolean;
  /** RecordMetrics failed for good, an error's name. */
  readonly recordingFailed?: string;
}

/**
 * The two state machines of a deployment. The tick sweeps all tables in one round of at most five minutes, and hands over what it cannot
 * finish; a replay sweeps one table, in as many rounds as it takes.
 */
export const MACHINES = ['tick', 'replay'] as const;
export type MachineName = (typeof MACHINES)[number];

export interface PlanSweepInput {
  readonly machine: MachineName;
  /** All that the deployment sweeps. */
  readonly tables: readonly CarriedSettings[];
  readonly executionInput: unknown;
  /** Name of the execution. */
  readonly execution: string;
  /** When the execution started, ISO-8601: what is alive then is out of reach of a cutoff frozen by the plan. */
  readonly startedAt: string;
  /** Null at first. */
  readonly soFar: SweepState | null;
}

export interface PlanSweepOutput {
  readonly next: 'sweep' | 'plan' | 'record' | 'recordFailure' | 'end';
  /** What holds something that is expired, or will be within the upcoming minute, as its child begins; never keys. */
  readonly due: readonly ChildStart[];
  /** In a tick: what is due beyond {@link TICK_TARGETS}, and what lies back when there is an upcoming minute. */
  readonly parts: readonly LaterPart[];
  /** Once all these children are complete there is nothing more to plan, and everything was deleted. */
  readonly last: boolean;
  readonly results: readonly [];
  readonly sweeps: TableSweeps;
  /** In a replay: of what has been swept so far. */
  readonly report: SweepReport | null;
}

/** What an execution adds up. At {@link MAX_STEPS} `steps` it stops, and is incomplete. */
export interface SweepTotals extends Counts, DeletionLag {
  readonly dryRun: boolean;
  readonly failedKeys: readonly ListedFailure[];
  /** In a dry run: some of what a sweep would delete; empty else. */
  readonly sampleKeys: readonly ShownKey[];
  /** By a scan of the index: some of what is remarkable. */
  readonly named?: readonly NamedEntry[];
}

/** The outcome of an execution: its output, or the cause of its failure as JSON. */
export interface SweepReport extends Omit<SweepTotals, keyof DeletionLag> {
  /** Null when nothing was deleted; absent when nothing was due, and when no metrics were recorded. */
  readonly lagMs?: LagSummary | null;
  /** Why no metrics were recorded, an error's name. */
  readonly notRecorded?: string;
  /** Why the table could not be asked what is due. */
  readonly failure?: PlanFailure;
}

/** Of the deleted items' lag; p50 and p99 are the upper bounds of their buckets. */
export interface LagSummary {
  readonly p50: Millis;
  readonly p99: Millis;
  readonly max: Millis;
}

export interface RecordMetricsInput {
  readonly machine: MachineName;
  readonly executionInput: unknown;
  /** Name of the execution. */
  readonly execution: string;
  readonly soFar: SweepState;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** An execution of the replay machine that a tick starts. */
export interface HandOver {
  /** Of the execution. */
  readonly name: string;
  readonly input: ReplayInput | ScanInput;
}

export interface RecordMetricsOutput {
  /** Everything that was found is dealt with or handed over. */
  readonly complete: boolean;
  /** By table; of a tick only those in which something was swept or failed. */
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** In a tick: so many more, for which {@link CAUSE_BYTES} has no room. */
  readonly moreTables?: number;
  /** In a tick: what is left to the replay machine. */
  readonly handOvers: readonly HandOver[];
}
