import type { Counts } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { ExpiredKey, FailedKey } from './keys.ts';

/** `lagCounts` has the number of deleted items by bucket of `functions/report/lag.ts`, without empty buckets. */
export interface DeletionLag {
  readonly lagCounts: Readonly<Record<string, number>>;
  readonly lagMaxMs: Millis;
}

/**
 * Input and output of DeleteChunk; an object, since JSONata flattens arrays of arrays. A wait ends at `until`, ISO-8601 without
 * milliseconds, which a Wait would drop. No call begins after `deadline`, ISO-8601 with milliseconds.
 */
export interface Chunk {
  readonly next: 'delete' | 'wait' | 'done';
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  readonly deadline: string;
  /**
   * Each guarded delete has the condition that the TTL is at most this time. DynamoDB's clock had reached this time when the key was read.
   * If the chunk is planned, the clock reaches this time during the chunk's wait.
   */
  readonly cutoff: Seconds;
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
  /** The next call deletes at this moment, epoch milliseconds. The wait before that call ends on a whole second. */
  readonly retryAtMs: Millis;
}
