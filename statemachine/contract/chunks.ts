import type { Counts } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { ExpiredKey, FailedKey } from './keys.ts';

/** A histogram of lags. `lagCounts` has the number of deleted items in each bucket that is not empty (`functions/report/lag.ts`). */
export interface DeletionLag {
  readonly lagCounts: Readonly<Record<string, number>>;
  readonly lagMaxMs: Millis;
}

/**
 * Keys that are deleted together. With `next: 'wait'` the chunk waits until `until`, ISO-8601 in whole seconds. From `deadline` on,
 * ISO-8601 with milliseconds, no delete begins.
 */
export interface Chunk {
  readonly next: 'delete' | 'wait' | 'done';
  readonly until: string | null;
  readonly timeoutSeconds: Seconds;
  readonly deadline: string;
  /**
   * Epoch seconds. DynamoDB's clock reaches this time before the delete. In the delete mode `guarded` only items with TTLs up to this time
   * are deleted.
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
  /** The moment of the next delete, epoch milliseconds. The Wait before this delete ends on a whole second, less than a second earlier. */
  readonly retryAtMs: Millis;
}
