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

/** Longest time for which a call waits for the function's own clock. The state machine does longer waits. */
const OWN_WAIT_MS = 300;

/** Longest time from a chunk's first to its last attempt. Then its place in the Map is free, and a later page has its keys. */
const RETRY_MS = 5_000;

export interface ChunkAttemptOptions extends Pick<Runtime, 'clock' | 'random' | 'sleep'> {
  readonly settings: Pick<SweepSettings, 'marginSeconds'>;
  readonly send: SendBatch;
  readonly isPaused: () => Promise<boolean>;
  readonly onFailed: (failed: FailedKey) => void;
}

/**
 * Makes one attempt at the unprocessed keys of a chunk.
 *
 * 1. The Wait before the attempt ends on a whole second; the attempt begins at the chunk's moment within that second. A planned delete also
 * waits for the function's own clock. So a planned delete can be too early only if both clocks are wrong.
 * 2. No call begins after the deadline: the child must be able to end.
 * 3. Nothing is deleted while the table is paused, or while the journal cannot be read. The function's copy of the pauses may be two
 * seconds old.
 * 4. Unprocessed keys are tried again (`wait`), unless the wait would end after the deadline (`done`). The first attempt sets an earlier
 * deadline ({@link RETRY_MS}).
 *
 * @throws TablePausedError, or any error that neither a retry nor a smaller batch can solve
 */
export async function attemptChunk(
  { chunk, now }: DeleteChunkInput,
  options: ChunkAttemptOptions,
): Promise<Chunk> {
  const { settings, send, clock, random, sleep } = options;
  // Deadlines and waits are times of the state machine's clock, which showed `now`. The function's clock measures the time after `now`.
  const ahead = Date.parse(now) - clock();
  const machineClock = () => clock() + ahead;
  const before = chunk.progress ?? NO_PROGRESS;
  const deadlineMs = Date.parse(chunk.deadline);
  // The pause is read before the wait: a read after the wait would make the delete later.
  const mayDelete = await isKnownNotPaused(options);
  await sleepRest(before.retryAtMs, machineClock(), sleep);
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
