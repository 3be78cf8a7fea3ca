import type { PutObject, PutOptions } from '../archive/s3.ts';
import { isRefusedByS3 } from '../archive/s3-errors.ts';
import type { Copy, Mark, PartitionObject, StoredKey } from './copies.ts';

/** The lines that S3 has stored, each with the key of its object, and the error of those that it has not stored. */
export interface Stored {
  readonly keyOf: ReadonlyMap<Copy | Mark, StoredKey>;
  readonly errors: readonly unknown[];
}

/**
 * Puts objects concurrently.
 * @throws S3's error when no retry can mend it (no access, no such bucket)
 */
export async function putAll(
  objects: readonly PartitionObject[],
  put: PutObject,
  options: PutOptions,
): Promise<Stored> {
  const keyOf = new Map<Copy | Mark, StoredKey>();
  const errors: unknown[] = [];
  const putOne = async ({ of, object }: PartitionObject) => {
    try {
      await put(object, options);
    } catch (error) {
      errors.push(error);
      return;
    }
    for (const line of of) keyOf.set(line, object.key as StoredKey);
  };
  await Promise.all(objects.map(putOne));
  const refusal = errors.find(isRefusedByS3);
  if (refusal !== undefined) throw refusal;
  return { keyOf, errors };
}
