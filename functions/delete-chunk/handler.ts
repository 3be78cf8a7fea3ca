import type { Chunk, DeleteChunkInput } from '../../statemachine/contract.ts';
import { keyShower, shownFailure } from '../report/shown-keys.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { requestTimeoutMs } from '../table/dynamodb.ts';
import { attemptChunk } from './chunk-attempt.ts';
import { unguardedBatch } from './delete-batch.ts';
import { guardedBatch } from './delete-guarded.ts';

/** There the state machine backs off. */
const ATTEMPTS = 1;

/**
 * Deletes the keys of one chunk, and says what became of each, how late that was by the clock, and whether and when the
 * unprocessed ones are to be tried again. Calling it again with the same keys is harmless.
 *
 * @throws DynamoDB's error when no key of the table can be deleted (no access, no such table)
 */
export async function deleteChunk({ chunk, now }: DeleteChunkInput, runtime: Runtime): Promise<Chunk> {
  const { settings, documents, logger, clock } = runtime;
  // Deadlines and waits are the machine's: its clock decides about them, and goes on from the moment that it gave.
  const ahead = Date.parse(now) - clock();
  const showKey = keyShower(settings);
  const options = { requestTimeout: requestTimeoutMs(chunk.timeoutSeconds, ATTEMPTS) };
  // An item is late from the end of its grace on.
  const lagClock = () => clock() - settings.graceSeconds * 1000;
  const send =
    settings.deleteMode === 'guarded'
      ? guardedBatch(documents, settings, chunk.cutoff, lagClock, options)
      : unguardedBatch(documents, settings, lagClock, options);
  return attemptChunk(chunk, {
    ...runtime,
    clock: () => clock() + ahead,
    settings,
    send,
    onFailed: failed => logger.error('cannot delete', { ...shownFailure(failed, showKey) }),
  });
}

const runtime = lambdaRuntime({ maxAttempts: ATTEMPTS });

export const handler = (event: DeleteChunkInput): Promise<Chunk> => deleteChunk(event, runtime());
