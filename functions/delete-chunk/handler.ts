import type { Chunk, DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import { lambdaJournal } from '../journal/lambda-journal.ts';
import type { Bookkeeping } from '../journal/write-book.ts';
import { keyShower, shownFailure } from '../report/shown-keys.ts';
import { readSettings, type WithSettings } from '../runtime/environment.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { requestTimeoutMs } from '../table/dynamodb.ts';
import { hasLedger, writeSettled } from './book-entries.ts';
import { attemptChunk } from './chunk-attempt.ts';
import { unguardedBatch } from './delete-batch.ts';
import { guardedBatch } from './delete-guarded.ts';
import type { SendBatch } from './deletion.ts';

/** Attempts per call: the state machine does the backoff. */
const ATTEMPTS = 1;

/** Share of the task's time in which the ledger must be written: the rest is for counting the deletes. */
const UP_TO_LEDGER = 0.9;

/** Minimum time for the ledger's write, even when it is late, in milliseconds. */
const MIN_LEDGER_MS = 50;

/**
 * Deletes the keys of one chunk. Returns the result of each key, the lag by the clock, and whether and when the unprocessed keys are tried
 * again. A second call with the same keys is harmless.
 *
 * @param journal journal whose ledger gets the deleted keys, and for a proof also those that were not deleted; undefined: none
 * @throws DynamoDB's error when no key of the table can be deleted (no access, no such table)
 */
export async function deleteChunk(
  { chunk, now }: DeleteChunkInput,
  runtime: Runtime,
  journal?: Bookkeeping['journal'],
): Promise<Chunk> {
  const { settings, logger, clock } = runtime;
  const ledgerUntilMs = clock() + chunk.timeoutSeconds * 1000 * UP_TO_LEDGER;
  // Deadlines and waits use the machine's clock, counted on from the moment that it passed.
  const ahead = Date.parse(now) - clock();
  const showKey = keyShower(settings);
  return attemptChunk(chunk, {
    ...runtime,
    clock: () => clock() + ahead,
    settings,
    send: batchOf(chunk, runtime),
    onFailed: failed => logger.error('cannot delete', { ...shownFailure(failed, showKey) }),
    onSettled: async settled => {
      if (journal === undefined) return;
      const atMs = clock();
      const withinMs = Math.max(MIN_LEDGER_MS, ledgerUntilMs - atMs);
      await writeSettled({ journal, logger }, settled, settings, { atMs, withinMs });
    },
  });
}

function batchOf({ timeoutSeconds, cutoff, guarded = false }: Chunk, runtime: Runtime): SendBatch {
  const { settings, documents, clock } = runtime;
  const options = { requestTimeout: requestTimeoutMs(timeoutSeconds, ATTEMPTS) };
  return guarded || settings.deleteMode === 'guarded'
    ? guardedBatch(documents, settings, cutoff, clock, options)
    : unguardedBatch(documents, settings, clock, options);
}

const runtime = lambdaRuntime({ maxAttempts: ATTEMPTS });

export const handler = async (event: WithSettings<DeleteChunkInput>): Promise<Chunk> => {
  const settings = readSettings(event.settings);
  const journal = hasLedger(settings) ? lambdaJournal() : undefined;
  return deleteChunk(event, runtime(settings), journal);
};
