import type { Chunk, ChunkProgress, FailedKey } from '../../statemachine/contract.ts';
import { type BackoffSettings, backoffMs, sleepRest, waitUntil } from './backoff.ts';
import { deleteKeys, NO_DELETION, type SendBatch } from './deletion.ts';
import { addLags } from './lag.ts';

export interface AttemptSettings extends BackoffSettings {
  /** Calls for one chunk, the first included. */
  readonly deleteAttempts: number;
}

export interface ChunkAttemptOptions {
  readonly settings: AttemptSettings;
  readonly send: SendBatch;
  /** Told of each key that DynamoDB will not delete. */
  readonly onFailed: (failed: FailedKey) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const NO_PROGRESS: ChunkProgress = {
  attempts: 0,
  retries: 0,
  deleted: NO_DELETION.deleted,
  renewed: NO_DELETION.renewed,
  notFound: NO_DELETION.notFound,
  lagCounts: NO_DELETION.lagCounts,
  lagMaxMs: NO_DELETION.lagMaxMs,
  failed: [],
  retryAtMs: 0,
};

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
      deleted: before.deleted + counts.deleted,
      renewed: before.renewed + counts.renewed,
      notFound: before.notFound + counts.notFound,
      failed: [...before.failed, ...failed],
      ...addLags(before, counts),
      retryAtMs: retryAtMs ?? 0,
    },
  };
}

/**
 * A chunk whose function failed, to be tried again; undefined when attempts or time do not allow that. What its earlier
 * attempts came to is counted already.
 */
export function retryChunk(
  { error: _error, ...chunk }: Chunk,
  nowMs: number,
  settings: AttemptSettings,
  random: () => number,
): Chunk | undefined {
  const { attempts } = afterAttempt(chunk.progress ?? NO_PROGRESS);
  const progress = { ...NO_PROGRESS, attempts };
  const retryAtMs = retryAt(chunk, progress, nowMs, settings, random);
  if (retryAtMs === null) return undefined;
  return { ...chunk, next: 'wait', until: waitUntil(retryAtMs / 1000), progress: { ...progress, retryAtMs } };
}

function afterAttempt(before: ChunkProgress): ChunkProgress {
  const again = before.attempts > 0 ? 1 : 0;
  return { ...before, attempts: before.attempts + 1, retries: before.retries + again };
}

/** When the next attempt is due, epoch milliseconds; null when attempts or time run out before. */
function retryAt(
  { deadline }: Pick<Chunk, 'deadline'>,
  { attempts }: ChunkProgress,
  nowMs: number,
  settings: AttemptSettings,
  random: () => number,
): number | null {
  const retryAtMs = nowMs + backoffMs(attempts, settings, random);
  return attempts < settings.deleteAttempts && retryAtMs < Date.parse(deadline) ? retryAtMs : null;
}
