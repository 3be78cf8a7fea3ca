import type { DeletionCounts } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey, FailedKey } from '../../statemachine/contract/keys.ts';
import { addCounts, CALL_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { addLags, NO_LAG } from '../report/lag.ts';
import { failedKey } from '../report/listed-keys.ts';
import { isBusy, isInvalid, isThrottling } from '../table/dynamodb-errors.ts';

/** The results of some keys of a chunk. */
export interface Deletion extends DeletionCounts {
  /** Only these keys are tried again. */
  readonly unprocessed: readonly ExpiredKey[];
  readonly failed: readonly FailedKey[];
}

/** Sends one batch of deletes; throws when the call as a whole fails. */
export type SendBatch = (keys: readonly ExpiredKey[]) => Promise<Deletion>;

export const NO_DELETION: Deletion = {
  ...noCounts(CALL_COUNTS),
  unprocessed: [],
  failed: [],
  ...NO_LAG,
};

/**
 * Deletes a chunk and gives each key exactly one result.
 *
 * If DynamoDB is too busy for a call, all its keys are unprocessed. If it refuses a call as invalid, the call is cut in half until the
 * invalid key stands alone, so that one such key does not keep the others from being deleted.
 *
 * @throws any other error of the call (no access, no such table): neither a retry nor a smaller batch can solve it
 */
export async function deleteKeys(keys: readonly ExpiredKey[], send: SendBatch): Promise<Deletion> {
  if (keys.length === 0) return NO_DELETION;
  try {
    return await send(keys);
  } catch (error) {
    if (isBusy(error)) {
      return { ...NO_DELETION, throttled: isThrottling(error) ? keys.length : 0, unprocessed: keys };
    }
    if (!isInvalid(error)) throw error;
    if (keys.length === 1)
      return { ...NO_DELETION, failed: keys.map(key => failedKey(key, 'ValidationError')) };
    const middle = Math.ceil(keys.length / 2);
    return addDeletions(
      await deleteKeys(keys.slice(0, middle), send),
      await deleteKeys(keys.slice(middle), send),
    );
  }
}

/** Adds two deletions. */
export function addDeletions(one: Deletion, other: Deletion): Deletion {
  return {
    ...addCounts(CALL_COUNTS, one, other),
    unprocessed: [...one.unprocessed, ...other.unprocessed],
    failed: [...one.failed, ...other.failed],
    ...addLags(one, other),
  };
}
