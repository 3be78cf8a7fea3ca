import type { Counts } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { ExpiredKey, FailedKey } from './keys.ts';

/** A histogram of lags. `lagCounts` has the number of deleted items in each bucket that is not empty (`functions/report/lag.ts`). */
export interface DeletionLag {
  readonly lagCounts: Readonly<Record<string, number>>;
  readonly lagMaxMs: Millis;
}

/**
 * Keys that are deleted together. With `next: 'wait'` the state machine first waits until `until`, ISO-8601 in whole seconds. No delete
 * begins at or after `deadline`, ISO-8601 with milliseconds.
 */
export interface Chunk {
  readonly next: 'delete' | 'wait' | 'done';
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  readonly deadline: string;
  /**
   * Epoch seconds. No delete begins before this time. In the delete mode `guarded` only items with TTLs up to this time are deleted.
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
  /** Earliest time of the next delete, epoch milliseconds. The Wait may end up to a second earlier: then DeleteChunk sleeps the rest. */
  readonly retryAtMs: Millis;
}
