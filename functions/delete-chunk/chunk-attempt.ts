import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { FailedKey } from '../../statemachine/contract/keys.ts';
import { addCounts, CALL_COUNTS } from '../../statemachine/counts.ts';
import { addLags } from '../report/lag.ts';
import { sleepRest, waitUntil } from '../retry/backoff.ts';
import { type AttemptSettings, afterAttempt, NO_PROGRESS, retryAt } from '../retry/chunk-retry.ts';
import { deleteKeys, type SendBatch, type SettledKey } from './deletion.ts';

export interface ChunkAttemptOptions {
  readonly settings: AttemptSettings;
  readonly send: SendBatch;
  /** Called with each key that DynamoDB will not delete. */
  readonly onFailed: (failed: FailedKey) => void;
  /** Called with the keys that are settled. */
  readonly onSettled: (settled: readonly SettledKey[]) => Promise<void>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * One attempt at what is left of a chunk.
 *
 * 1. Within the second in which its wait ended a chunk has a moment of its own.
 * 2. Nothing begins after the deadline: the child must be able to end.
 * 3. What is unprocessed then is tried again (`wait`) unless the chunk has one attempt only, the attempts are used up, or
 *    the wait would go beyond the deadline (`done`).
 *
 * @throws whatever no retry and no smaller batch can mend
 */
export async function attemptChunk(
  chunk: Chunk,
  { settings, send, onFailed, onSettled, clock, random, sleep }: ChunkAttemptOptions,
): Promise<Chunk> {
  const before = chunk.progress ?? NO_PROGRESS;
  const deadlineMs = Date.parse(chunk.deadline);
  await sleepRest(before.retryAtMs, clock(), sleep);
  if (clock() >= deadlineMs) return { ...chunk, next: 'done' };

  const { unprocessed, failed, settled, ...counts } = await deleteKeys(chunk.keys, send);
  await onSettled(settled);
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
