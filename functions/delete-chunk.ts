import type { DeleteChunkInput, DeleteChunkOutput } from '../statemachine/contract.ts';
import { unguardedBatch } from './lib/delete-batch.ts';
import { guardedBatch } from './lib/delete-guarded.ts';
import { deleteKeys } from './lib/deletion.ts';
import { lambdaRuntime, type Runtime } from './lib/runtime.ts';

/**
 * Deletes the keys of one chunk and says what became of each, and how late that was by `clock` (epoch milliseconds). Calling it again with the same keys is harmless.
 *
 * @throws DynamoDB's error when no key of the table can be deleted (no access, no such table)
 */
export async function deleteChunk(
  { keys, cutoff }: DeleteChunkInput,
  { settings, documents, logger }: Runtime,
  clock: () => number,
): Promise<DeleteChunkOutput> {
  const send =
    settings.deleteMode === 'guarded'
      ? guardedBatch(documents, settings, cutoff, clock)
      : unguardedBatch(documents, settings, clock);
  const outcome = await deleteKeys(keys, send);
  for (const { key, reason } of outcome.failed) logger.error('cannot delete', { key, reason });
  return outcome;
}

const runtime = lambdaRuntime({ maxAttempts: 1 });

export const handler = (event: DeleteChunkInput): Promise<DeleteChunkOutput> =>
  deleteChunk(event, runtime(), Date.now);
