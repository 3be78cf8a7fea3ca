import type { Chunk, DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import { keyShower, shownFailure } from '../report/shown-keys.ts';
import { readSettings, type WithSettings } from '../runtime/environment.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { requestTimeoutMs } from '../table/dynamodb.ts';
import { attemptChunk } from './chunk-attempt.ts';
import { unguardedBatch } from './delete-batch.ts';
import { guardedBatch } from './delete-guarded.ts';
import type { SendBatch } from './deletion.ts';

/** Attempts per call: the state machine does the backoff. */
const ATTEMPTS = 1;

/**
 * Deletes the keys of one chunk. Returns the result of each key, the lag by the clock, and whether and when the unprocessed keys are tried
 * again. A second call with the same keys is harmless.
 *
 * @throws DynamoDB's error when no key of the table can be deleted (no access, no such table)
 */
export async function deleteChunk({ chunk, now }: DeleteChunkInput, runtime: Runtime): Promise<Chunk> {
  const { settings, logger, clock } = runtime;
  // Deadlines and waits use the machine's clock, counted on from the moment that it passed.
  const ahead = Date.parse(now) - clock();
  const showKey = keyShower(settings);
  return attemptChunk(chunk, {
    ...runtime,
    clock: () => clock() + ahead,
    settings,
    send: batchOf(chunk, runtime),
    onFailed: failed => logger.error('cannot delete', { ...shownFailure(failed, showKey) }),
  });
}

function batchOf({ timeoutSeconds, cutoff }: Chunk, runtime: Runtime): SendBatch {
  const { settings, documents, clock } = runtime;
  const options = { requestTimeout: requestTimeoutMs(timeoutSeconds, ATTEMPTS) };
  return settings.deleteMode === 'guarded'
    ? guardedBatch(documents, settings, cutoff, clock, options)
    : unguardedBatch(documents, settings, clock, options);
}

const runtime = lambdaRuntime({ maxAttempts: ATTEMPTS });

export const handler = (event: WithSettings<DeleteChunkInput>): Promise<Chunk> =>
  deleteChunk(event, runtime(readSettings(event.settings)));
