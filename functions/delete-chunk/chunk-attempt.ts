import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { FailedKey } from '../../statemachine/contract/keys.ts';
import { addCounts, CALL_COUNTS } from '../../statemachine/counts.ts';
import { addLags } from '../report/lag.ts';
import { sleepRest, waitUntil } from '../retry/backoff.ts';
import { type AttemptSettings, afterAttempt, NO_PROGRESS, retryAt } from '../retry/chunk-retry.ts';
import { deleteKeys, type SendBatch } from './deletion.ts';

export interface ChunkAttemptOptions {
  readonly settings: AttemptSettings;
  readonly send: SendBatch;
  /** Called with each key that DynamoDB refuses to delete. */
  readonly onFailed: (failed: FailedKey) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Makes one attempt at the unprocessed keys of a chunk.
 *
 * 1. Each chunk has its own random moment within the second in which its wait ended.
 * 2. No call begins after the deadline: the child must be able to end.
 * 3. Keys that are unprocessed after the call are tried again (`wait`) unless the chunk has only one attempt, its attempts are used up, or
 *    the wait would end after the deadline (`done`).
 *
 * @throws any error that neither a retry nor a smaller batch can solve
 */
export async function attemptChunk(
  chunk: Chunk,
  { settings, send, onFailed, clock, random, sleep }: ChunkAttemptOptions,
): Promise<Chunk> {
  const before = chunk.progress ?? NO_PROGRESS;
  const deadlineMs = Date.parse(chunk.deadline);
  await sleepRest(before.retryAtMs, clock(), sleep);
  if (clock() >= deadlineMs) return { ...chunk, next: 'done' };

  const { unprocessed, failed, ...counts } = await deleteKeys(chunk.keys, send);
  for (const key of failed) onFailed(key);
  const tried = afterAttempt(before);
  const retryAtMs =
    unprocessed.length === 0 || chunk.once ? null : retryAt(chunk, tried, clock(), settings, random);
  return {
    ...chunk,
    next: retryAtMs === null ? 'done' : 'wait',
    until: retryAtMs === null ? null : waitUntil(retryAtMs / 1000),
    keys: unprocessed,
    progress: {
      ...tried,
      ...addCounts(CALL_COUNTS, before, counts),
      failed: [...before.failed, ...failed],
      ...addLags(before, counts),
      retryAtMs: retryAtMs ?? 0,
    },
  };
}
