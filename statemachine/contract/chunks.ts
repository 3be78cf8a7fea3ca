import type { Counts } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { ExpiredKey, FailedKey } from './keys.ts';

/** Lag is the moment of deletion minus the TTL. */
export interface DeletionLag {
  /** Number of deleted items by bucket of `functions/report/lag.ts`. Empty buckets are left out. */
  readonly lagCounts: Readonly<Record<string, number>>;
  readonly lagMaxMs: Millis;
}

/** Input and output of one DeleteChunk. It is an object and not a bare array, since JSONata flattens arrays of arrays. */
export interface Chunk {
  readonly next: 'delete' | 'wait' | 'done';
  /** For `next: 'wait'`: end of the wait, ISO-8601 without milliseconds, which a Wait drops. */
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  /** No call begins after this time, ISO-8601 with milliseconds. */
  readonly deadline: string;
  /**
   * Each delete has the condition that the TTL is at most this one: expired by DynamoDB's clock when the key was read or, for a planned
   * chunk, when the chunk's wait is over.
   */
  readonly cutoff: Seconds;
  /**
   * Whether the keys were not expired yet when they were read. Then the function deletes only after its own clock has reached the cutoff,
   * too.
   */
  readonly planned: boolean;
  readonly keys: readonly ExpiredKey[];
  readonly progress: ChunkProgress | null;
  readonly error?: string;
}

export interface DeleteChunkInput {
  readonly chunk: Chunk;
  readonly now: string;
}

export interface ChunkProgress extends Counts<'call' | 'chunk'>, DeletionLag {
  readonly attempts: number;
  readonly failed: readonly FailedKey[];
  /** The moment at which the next call deletes. The wait before that call ends on a whole second. */
  readonly retryAtMs: Millis;
}
