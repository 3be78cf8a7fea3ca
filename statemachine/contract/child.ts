/** A child of SweepShards: its progress from call to call of QueryExpired, and its result. */

import type { Counts } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { Chunk, DeletionLag } from './chunks.ts';
import type { ExpiredKey, ListedFailure, ShownKey } from './keys.ts';
import type { PagePosition, SweepTarget } from './targets.ts';

/** An item of SweepShards, the input of its child. The child also gets its table's settings. */
export interface ChildStart {
  /** Name of the child's table. */
  readonly table: string;
  readonly next: 'wait' | 'query';
  /** For `next: 'wait'`: end of the wait, ISO-8601 without milliseconds. */
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
  /** Most UTF-8 bytes of keys that the child may list. */
  readonly listedKeysBytes: number;
  /** The child's share of `maxDeletesPerSecond`; null, or missing in an execution from before this field existed: no limit. */
  readonly limit?: ChildLimit | null;
  /** Age at which the child ends and hands on what it has not read; missing: {@link MAX_CHILD_SECONDS}. */
  readonly handsOnAfter?: Seconds;
}

/** A child's share of `maxDeletesPerSecond`. */
export interface ChildLimit {
  /** Keys passed to DeleteChunks per second, more than 0; may be a fraction. */
  readonly perSecond: number;
  /** Number of keys that it may delete in its first second. */
  readonly credit: number;
  /** End of the share, after which the rest is left to a later sweep; null: another child of the execution continues. */
  readonly before: Seconds | null;
}

/**
 * The progress that QueryExpired passes from call to call. The only other code that reads it adds up interrupted children. Each part of it
 * has a file of its own in `functions/child/`, with its initial value and its changes.
 */
export interface ChildProgress extends Omit<InitialProgress, 'limit'> {
  readonly poll: PollProgress;
  readonly deferred: DeferredProgress;
  readonly busy: BusyProgress;
  readonly brake: BrakeProgress;
  readonly counts: CountsProgress;
  /** The other parts, once the child is split into parts. These have no `others`. */
  readonly others?: readonly ChildProgress[];
}

/** How far a child has read its target. */
export interface PollProgress {
  /** Where this poll continues; null when it has read everything that is due. */
  readonly position: PagePosition | null;
  /** TTLs up to this one were read by an earlier poll; null: a poll begins at the start of the windows. */
  readonly seen: Seconds | null;
  /** When the next poll is due; null: none is. */
  readonly nextAt: Seconds | null;
  /** Number of due entries in the last poll, as an estimate for the next one. */
  readonly lastDue: number;
  /** Whether a window that has ended holds an entry that is not due yet. */
  readonly holdsStrays: boolean;
  /** By window, in an upcoming minute: what earlier polls have read of each of the target's index keys. One poll may skip some keys. */
  readonly known?: readonly KnownKeys[];
  /** How far DynamoDB's clock was ahead of the machine's at the last page. */
  readonly ahead?: Seconds;
}

/** An index key that a poll has read to its end. */
export interface KeyRead {
  /** TTLs up to this one were read. */
  readonly seen: Seconds;
  /** The earliest TTL that was read and is neither due nor planned; null: there was none. */
  readonly next: Seconds | null;
  /** Entries whose deletes were planned before they were due: later polls skip them. */
  readonly planned?: readonly ExpiredKey[];
}

/** Index keys with equal values. */
export interface KnownKeys extends KeyRead {
  /** Ranges of their indexes among the target's keys, from 0: '0-24,30'. */
  readonly places: string;
}

/** Deferred keys: those of chunks whose single attempt has failed. A later poll, from the start of the windows, finds them again. */
export interface DeferredProgress {
  readonly count: number;
  readonly keys: readonly ListedFailure[];
  /** When the poll that retries them is due; null: no key is deferred. */
  readonly retryAtMs: Millis | null;
  /** Number of polls that have tried the deferred keys: the one that found them first, and those that retried them. */
  readonly polls: number;
  /** In a poll from the start of the windows: TTLs up to this one are retried; null in other polls. */
  readonly retriedUpTo: Seconds | null;
}

/** How long a child makes no queries because DynamoDB is too busy. */
export interface BusyProgress {
  /** Consecutive queries for which DynamoDB was too busy. */
  readonly polls: number;
  /** No query is made before this time; null after one that succeeded. */
  readonly untilMs: Millis | null;
}

/** How fast a child may delete. */
export interface BrakeProgress {
  /** Null: no limit. */
  readonly limit: ChildLimit | null;
  /** Keys per second that DynamoDB seems to allow; null: it has not throttled yet. */
  readonly rate: number | null;
  /** Keys that were tried and throttled recently: those of a page count half as much after each further page. */
  readonly triedLately: number;
  readonly throttledLately: number;
  /** Consecutive pages without a throttled key, since the last throttling. */
  readonly clearPages: number;
  /** Keys that may be passed to DeleteChunks now, by `rate` and `limit`, as of `creditAt` (0: not begun yet). */
  readonly credit: number;
  readonly creditAt: Seconds;
}

/** Counts of a child so far. */
export interface CountsProgress extends SweepCounts, DeletionLag {
  /** Keys passed to DeleteChunks whose results have not come back. */
  readonly inFlight: number;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
}

export interface QueryExpiredInput {
  readonly progress: InitialProgress | ChildProgress;
  /** Results of DeleteChunks; empty after a wait or a query. */
  readonly results: readonly Chunk[];
  /** When the child started, ISO-8601. */
  readonly startedAt: string;
  /** When the state was entered, ISO-8601. */
  readonly now: string;
  /** TTLs up to this one were polled by the state machine, which found nothing; null, or missing: it has polled none. */
  readonly polledUpTo?: Seconds | null;
}

/** The seconds of expiry that the state machine polls by itself: one each second, until it finds an entry. */
export interface SecondPolls {
  readonly second: Seconds;
  readonly last: Seconds;
}

export interface QueryExpiredOutput {
  readonly next: 'wait' | 'query' | 'poll' | 'delete' | 'end';
  /** For `next: 'wait'`: end of the wait, ISO-8601 without milliseconds. For `next: 'poll'`: when the first second is polled. */
  readonly until: string | null;
  /** Set for `next: 'poll'`, otherwise null. */
  readonly poll: SecondPolls | null;
  readonly timeoutSeconds: Seconds;
  /** The chunks to delete next: now, or at the end of a wait. If there are none, QueryExpired is called after the wait. */
  readonly chunks: readonly Chunk[];
  /** The steps after the deletes, in this order, until one of them leaves keys; then QueryExpired is called. */
  readonly upcoming: readonly UpcomingStep[];
  readonly results: readonly [];
  readonly progress: ChildProgress;
  /** Set for `next: 'end'`, otherwise null. */
  readonly result: ShardResult | null;
}

/** A wait, and the chunks that DeleteChunks deletes at its end. */
export interface UpcomingStep {
  /** End of the wait, ISO-8601 without milliseconds. */
  readonly until: string;
  /** Empty for the wait before the next poll. */
  readonly chunks: readonly Chunk[];
}

/** Counts of a child; `found` is the sum of the results, except in a dry run, which only finds. */
export type SweepCounts = Counts<'call' | 'chunk' | 'child'>;

/** The result of a child of SweepShards. */
export interface ShardResult extends SweepCounts, DeletionLag {
  /** Whether the child has finished its target: no key failed, and nothing is left to another child. */
  readonly complete: boolean;
  /** Whether the child ended before it had read its whole target, and no other child continues. */
  readonly interrupted: boolean;
  readonly failedKeys: readonly ListedFailure[];
  readonly sampleKeys: readonly ShownKey[];
  /** Set when the child ran out of time: the target to sweep again. */
  readonly resume?: SweepTarget;
}

/** The result of a child that the state machine had to end. */
export interface InterruptedChild {
  /** Name of the error. */
  readonly interruptedBy: string;
  /** Null when it was too large to return. */
  readonly progress: InitialProgress | ChildProgress | null;
}

/** The result of a child that crashed or timed out, as its Map Run has it. */
export interface CrashedChild {
  readonly Error?: string;
  readonly Cause?: string;
}

export type ChildOutput = (ShardResult | InterruptedChild | CrashedChild) & {
  /** Name of the child's table; missing when the child crashed. */
  readonly table?: string;
};
