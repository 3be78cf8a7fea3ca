import type { Chunk, DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import type { FailedKey } from '../../statemachine/contract/keys.ts';
import { addCounts, CALL_COUNTS } from '../../statemachine/counts.ts';
import { NO_PROGRESS } from '../child/plan-chunks.ts';
import { addLags } from '../report/lag.ts';
import { backoffMs, sleepRest, waitUntil } from '../retry/backoff.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { JournalUnreadableError, TablePausedError } from '../runtime/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { deleteKeys, NO_DELETION, type SendBatch } from './deletion.ts';

/** Longest sleep of the function before a planned delete that is early by the function's clock. The state machine does longer waits. */
const OWN_WAIT_MS = 300;

/** Longest time from a chunk's first to its last attempt. Later, the child plans the unprocessed keys again, together with other keys. */
const RETRY_MS = 5_000;

export interface ChunkAttemptOptions extends Pick<Runtime, 'clock' | 'random' | 'sleep'> {
  readonly settings: Pick<SweepSettings, 'marginSeconds'>;
  readonly send: SendBatch;
  readonly isPaused: () => Promise<boolean>;
  readonly onFailed: (failed: FailedKey) => void;
}

/**
 * Tries once to delete a chunk's keys. If the journal cannot be read, nothing is deleted, because the table may be paused.
 * @throws TablePausedError; DynamoDB's error if no retry can succeed
 */
export async function attemptChunk(
  { chunk, now }: DeleteChunkInput,
  options: ChunkAttemptOptions,
): Promise<Chunk> {
  const { settings, send, clock, random, sleep } = options;
  // Deadlines are times of the state machine's clock, which showed `now` before the call. `machineClock` estimates the time on that clock.
  const ahead = Date.parse(now) - clock();
  const machineClock = () => clock() + ahead;
  const before = chunk.progress ?? NO_PROGRESS;
  const deadlineMs = Date.parse(chunk.deadline);
  // The journal is read before the sleep, because a read after the sleep would delay the delete.
  const mayDelete = await isKnownNotPaused(options);
  await sleepRest(before.retryAtMs, machineClock(), sleep);
  // A planned delete waits for the state machine's clock and for the function's own, so one clock that is fast causes no early delete.
  const earlyMs = chunk.planned ? (chunk.cutoff + settings.marginSeconds) * 1000 - clock() : 0;
  if (earlyMs > OWN_WAIT_MS) return again(chunk, before, machineClock() + earlyMs);
  if (earlyMs > 0) await sleep(earlyMs);
  const beginMs = machineClock();
  if (beginMs >= deadlineMs) return { ...chunk, next: 'done' };

  const { unprocessed, failed, ...counts } = mayDelete
    ? await deleteKeys(chunk.keys, send)
    : { ...NO_DELETION, unprocessed: chunk.keys };
  for (const key of failed) options.onFailed(key);
  const attempts = before.attempts + 1;
  const after = {
    ...addCounts(CALL_COUNTS, before, counts),
    ...addLags(before, counts),
    attempts,
    retries: before.retries + (before.attempts > 0 ? 1 : 0),
    failed: [...before.failed, ...failed],
    retryAtMs: 0,
  };
  const retriedUntil = before.attempts > 0 ? deadlineMs : Math.min(deadlineMs, beginMs + RETRY_MS);
  const left = { ...chunk, deadline: new Date(retriedUntil).toISOString(), keys: unprocessed };
  if (unprocessed.length === 0) return { ...left, next: 'done', until: null, progress: after };
  return again(left, after, machineClock() + backoffMs(attempts, random));
}

async function isKnownNotPaused({ isPaused }: Pick<ChunkAttemptOptions, 'isPaused'>): Promise<boolean> {
  try {
    if (await isPaused()) throw new TablePausedError('The table is paused: nothing was deleted.');
    return true;
  } catch (error) {
    if (!(error instanceof JournalUnreadableError)) throw error;
    return false;
  }
}

function again(chunk: Chunk, progress: NonNullable<Chunk['progress']>, retryAtMs: number): Chunk {
  return retryAtMs < Date.parse(chunk.deadline)
    ? { ...chunk, next: 'wait', until: waitUntil(retryAtMs / 1000), progress: { ...progress, retryAtMs } }
    : { ...chunk, next: 'done', until: null, progress };
}
