import type { Chunk, DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import { type Journal, lambdaJournal } from '../journal/lambda-journal.ts';
import { keyShower, shownFailure } from '../report/shown-keys.ts';
import { readSettings, type WithSettings } from '../runtime/environment.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { requestTimeoutMs } from '../table/dynamodb.ts';
import { attemptChunk } from './chunk-attempt.ts';
import { guardedBatch, unguardedBatch } from './deletion.ts';

const ATTEMPTS = 1;

/** Makes at most one attempt to delete the items of a chunk. @throws TablePausedError; DynamoDB's error if no retry can succeed */
export function deleteChunk(
  input: DeleteChunkInput,
  runtime: Runtime,
  journal: () => Pick<Journal, 'isPaused'> = lambdaJournal,
): Promise<Chunk> {
  const { settings, documents, logger, clock } = runtime;
  const { timeoutSeconds, cutoff } = input.chunk;
  const showKey = keyShower(settings);
  const options = { requestTimeout: requestTimeoutMs(timeoutSeconds, ATTEMPTS) };
  return attemptChunk(input, {
    ...runtime,
    send:
      settings.deleteMode === 'guarded'
        ? guardedBatch(documents, settings, cutoff, clock, options)
        : unguardedBatch(documents, settings, clock, options),
    isPaused: () => journal().isPaused(settings.tableName),
    onFailed: failed => logger.error('cannot delete', { ...shownFailure(failed, showKey) }),
  });
}

const runtime = lambdaRuntime({ maxAttempts: ATTEMPTS });

export const handler = (event: WithSettings<DeleteChunkInput>): Promise<Chunk> =>
  deleteChunk(event, runtime(readSettings(event.settings)));
