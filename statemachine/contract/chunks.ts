/** A chunk: up to 25 keys for DeleteChunk, and the wait in WaitForCapacity before a retry. */

import type { Counts } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { ExpiredKey, FailedKey } from './keys.ts';

/** The lag of deleted items: moment of deletion minus TTL. */
export interface DeletionLag {
  /** Number of deleted items in each bucket of lag; the buckets are those of `functions/report/lag.ts`. Empty buckets are left out. */
  readonly lagCounts: Readonly<Record<string, number>>;
  /** The largest lag; 0 when nothing was deleted. */
  readonly lagMaxMs: Millis;
}

/** Input and output of one DeleteChunk. It is an object and not a bare array, since JSONata flattens arrays of arrays. */
export interface Chunk {
  /** The state machine's next step: call DeleteChunk, wait and then call it, or return the chunk. */
  readonly next: 'delete' | 'wait' | 'done';
  /** For `next: 'wait'`: end of the wait, ISO-8601 without milliseconds, which a Wait drops. */
  readonly until: string | null;
  /** TimeoutSeconds of the task. */
  readonly timeoutSeconds: Seconds;
  /** No call begins after this time, ISO-8601 with milliseconds. */
  readonly deadline: string;
  /**
   * The condition of each delete: TTLs up to this one. They were expired by DynamoDB's clock when they were read, or, for a planned chunk,
   * will be when its wait is over.
   */
  readonly cutoff: Seconds;
  /** Whether the keys were not expired yet when they were read: no delete before the function's own clock has reached the cutoff, too. */
  readonly planned: boolean;
  /** Keys to delete. */
  readonly keys: readonly ExpiredKey[];
  readonly progress: ChunkProgress | null;
  /** Name of the error of the last call of DeleteChunk, if it failed. */
  readonly error?: string;
}

export interface DeleteChunkInput {
  readonly chunk: Chunk;
  /** When the state was entered, ISO-8601. */
  readonly now: string;
}

/** The results of earlier calls of DeleteChunk for a chunk. */
export interface ChunkProgress extends Counts<'call' | 'chunk'>, DeletionLag {
  /** Calls made. */
  readonly attempts: number;
  readonly failed: readonly FailedKey[];
  /** The moment at which the next call deletes: the wait before it ends on a whole second. */
  readonly retryAtMs: Millis;
}
