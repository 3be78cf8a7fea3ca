/** A chunk: up to 25 keys for DeleteChunk, and WaitForCapacity before it is called again. */

import type { Counts } from '../counts.ts';
import type { Millis, Seconds } from '../times.ts';
import type { ExpiredKey, FailedKey } from './keys.ts';

/** How late items were deleted: moment of deletion minus TTL. */
export interface DeletionLag {
  /** Deleted items by bucket of lag; the buckets are those of `functions/report/lag.ts`. Buckets without items are left out. */
  readonly lagCounts: Readonly<Record<string, number>>;
  /** The largest lag; 0 when nothing was deleted. */
  readonly lagMaxMs: Millis;
}

/** The fates of the keys that DeleteChunk was given: each key has exactly one, or is still unprocessed. */
export type DeletionCounts = Counts<'call'> & DeletionLag;

/** Input and output of one DeleteChunk. It is an object and not a bare array, since JSONata flattens arrays of arrays. */
export interface Chunk {
  /** The machine's next step: call DeleteChunk, wait and then call it, or hand the chunk back. */
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

/** The results of earlier calls of DeleteChunk for a chunk. */
export interface ChunkProgress extends Counts<'call' | 'chunk'>, DeletionLag {
  /** Calls made, also those that failed. The counts are of those that QueryExpired has not counted yet. */
  readonly attempts: number;
  readonly failed: readonly FailedKey[];
  /** The next call deletes at this moment: the wait before it ends on a whole second. */
  readonly retryAtMs: Millis;
}
