import type { PutObject } from '../archive/s3.ts';
import type { BatchObject } from './batch-objects.ts';
import { PUTS_AT_ONCE } from './limits.ts';

export interface PutOptions {
  readonly put: PutObject;
  /** Called with each object that could not be put. */
  readonly onFailed: (key: string, error: unknown) => void;
  /** Whether there is time to start another put. */
  readonly hasTime: () => boolean;
}

/**
 * Puts objects in their order, several at the same time. After a failed put no other one starts: the stream delivers the first record that
 * is not archived again, and all records that follow it.
 *
 * @returns the objects that are not stored, in their order
 */
export async function putObjects(
  objects: readonly BatchObject[],
  { put, onFailed, hasTime }: PutOptions,
): Promise<BatchObject[]> {
  const left = new Set(objects);
  const waiting = objects.values();
  let failed = false;
  const putWaiting = async () => {
    for (const object of waiting) {
      if (failed || !hasTime()) return;
      const made = object.make();
      try {
        await put(made);
        left.delete(object);
      } catch (error) {
        failed = true;
        onFailed(made.key, error);
      }
    }
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, putWaiting));
  return [...left];
}
