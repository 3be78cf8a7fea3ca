import type { Chunk, ChunkProgress } from '../../statemachine/contract/chunks.ts';
import { CHUNK_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { NO_LAG } from '../report/lag.ts';
import { type BackoffSettings, backoffMs, waitUntil } from './backoff.ts';

export interface AttemptSettings extends BackoffSettings {
  /** Attempts for one chunk, including the first. */
  readonly deleteAttempts: number;
}

export const NO_PROGRESS: ChunkProgress = {
  attempts: 0,
  ...noCounts(CHUNK_COUNTS),
  ...NO_LAG,
  failed: [],
  retryAtMs: 0,
};

/**
 * The next attempt for a chunk whose function failed; undefined when attempts or time do not allow one. The results of earlier attempts
 * are counted already.
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

/** Counts the attempt that was made. */
export function afterAttempt(before: ChunkProgress): ChunkProgress {
  const again = before.attempts > 0 ? 1 : 0;
  return { ...before, attempts: before.attempts + 1, retries: before.retries + again };
}

/** When the next attempt is due, epoch milliseconds; null when attempts or time run out before it. */
export function retryAt(
  { deadline }: Pick<Chunk, 'deadline'>,
  { attempts }: ChunkProgress,
  nowMs: number,
  settings: AttemptSettings,
  random: () => number,
): number | null {
  const retryAtMs = nowMs + backoffMs(attempts, settings, random);
  return attempts < settings.deleteAttempts && retryAtMs < Date.parse(deadline) ? retryAtMs : null;
}
