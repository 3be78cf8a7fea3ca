import { isObject } from '../json.ts';

/** A function's answer to its batch. */
export type BatchAnswer =
  | { readonly kind: 'done' }
  /** All records before `index` are done. */
  | { readonly kind: 'failed'; readonly index: number };

const DONE: BatchAnswer = { kind: 'done' };
const ALL_FAILED: BatchAnswer = { kind: 'failed', index: 0 };

/**
 * Reads the answer of a function with `ReportBatchItemFailures`.
 *
 * 1. No answer, an empty one, and one without failures: all is done. So is an object with other fields alone, which Lambda does not read.
 * 2. Failures: everything before the lowest sequence number is done, the rest is tried again.
 * 3. A failure without an id, with an empty id, or with one that is not of the batch: all has failed. So has an answer that is no object,
 *    and a list of failures that is none.
 *
 * @param sequenceNumbers of the batch, in order
 * @see Lambda Developer Guide, "Configuring partial batch response with DynamoDB and Lambda", success and failure conditions
 */
export function readBatchAnswer(answer: unknown, sequenceNumbers: readonly string[]): BatchAnswer {
  if (answer === undefined || answer === null || answer === '') return DONE;
  if (!isObject(answer)) return ALL_FAILED;
  const failures: unknown = answer['batchItemFailures'];
  if (failures === undefined || failures === null) return DONE;
  if (!Array.isArray(failures)) return ALL_FAILED;
  if (failures.length === 0) return DONE;
  const indexes = failures.map((failure: unknown) => {
    const id: unknown = isObject(failure) ? failure['itemIdentifier'] : undefined;
    return typeof id === 'string' ? sequenceNumbers.indexOf(id) : -1;
  });
  return { kind: 'failed', index: Math.max(0, Math.min(...indexes)) };
}
