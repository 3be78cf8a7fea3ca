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

/** Time for which a chunk is retried after its first attempt. Then a later page has its keys, and its place in the Map is free. */
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
 * 1. The attempt begins at the chunk's moment within the second in which its wait ended. A planned delete also waits for the function's own
 *    clock: two clocks must be wrong for a delete to come too early.
 * 2. No call begins after the deadline: the child must be able to end.
 * 3. Nothing is deleted while the table is paused, or while it is unknown whether it is paused. What the function knows of the pause may be
 *    two seconds old.
 * 4. Keys that are unprocessed after the call are tried again (`wait`), unless the wait would end after the deadline (`done`). The first
 *    attempt brings the deadline near.
 *
 * @throws TablePausedError, or any error that neither a retry nor a smaller batch can solve
 */
export async function attemptChunk(
  { chunk, now }: DeleteChunkInput,
  options: ChunkAttemptOptions,
): Promise<Chunk> {
  const { settings, send, clock, random, sleep } = options;
  // Deadlines and waits are times of the machine's clock. It has passed `now`, and this function's clock counts on from there.
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
