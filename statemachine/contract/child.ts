/** A child of SweepShards: its progress from call to call of QueryExpired, and its result. */

import type { Counts, ScanCount } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { Chunk, DeletionLag } from './chunks.ts';
import type { ExpiredKey, ListedFailure, ShownKey } from './keys.ts';
import type { NamedEntry, PagePosition, SweepTarget } from './targets.ts';

/** How far a child has scanned its target. */
export interface ScanProgress {
  /** Everything before it is deleted, or counted and named; null: nothing is. */
  readonly settled: PagePosition | null;
  /** Named before that. */
  readonly named: readonly NamedEntry[];
  /** Counts of the entries read since then, whose deletes are under way. */
  readonly pending: Readonly<Record<ScanCount, number>>;
  readonly pendingNamed: readonly NamedEntry[];
  /** Most of the last page was due, or more than there was room for: the next one is no larger than that. */
  readonly isDense: boolean;
}

/** An item of SweepShards, the input of its child. The child gets its table's settings besides. */
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

/** The initial progress of a child: its target, and how to sweep it. */
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
  /** The number of keys that it may hand over in its first second. */
  readonly credit: number;
  /** It ends then, and leaves the rest to a later sweep; null: a further child of the execution goes on. */
  readonly before: Seconds | null;
}

/**
 * The progress of QueryExpired from call to call. Only the code that adds up an interrupted child reads it besides. Each slice has a file
 * of its own in `functions/child/`, with the value that it starts with and all that changes it.
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

/** Keys of chunks that had their one attempt. A poll from the start of the windows finds them again. */
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

/** Counts of a child so far. */
export interface CountsProgress extends SweepCounts, DeletionLag {
  /** Keys handed to DeleteChunks, whose results have not come back. */
  readonly inFlight: number;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
}

export interface QueryExpiredInput {
  readonly progress: InitialProgress | ChildProgress;
  /** Results of the DeleteChunks; empty when the machine comes from a wait or a query. */
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
  /** The chunks that are deleted next: now, or at the end of a wait. Without any, QueryExpired is called after the wait. */
  readonly chunks: readonly Chunk[];
  /** The steps after the deletes, in this order, as long as none of their keys is left; then QueryExpired is called. */
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

/** The result of a child of SweepShards. */
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

/** The result of a child that the machine had to end. */
export interface InterruptedChild {
  /** The error's name. */
  readonly interruptedBy: string;
  /** Null when it was too large to be handed back. */
  readonly progress: InitialProgress | ChildProgress | null;
}

/** The result that a Map Run has for a child that crashed or timed out. */
export interface CrashedChild {
  readonly Error?: string;
  readonly Cause?: string;
}

export type ChildOutput = (ShardResult | InterruptedChild | CrashedChild) & {
  /** Name of its table; missing when the child crashed. */
  readonly table?: string;
};
