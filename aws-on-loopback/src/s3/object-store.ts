/** An object as it is stored. */
export interface StoredObject {
  readonly body: Buffer;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  /** Headers of the upload that a download repeats: `content-type`, `x-amz-meta-…`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Error name of a store without free space. S3 has no such error; clients retry after this one. */
export const STORE_FULL = 'ServiceUnavailable';

/** Storage for objects. */
export interface ObjectStore {
  /** Replaces the object as a whole, or leaves it unchanged. @returns its path, if it is a file */
  put(bucket: string, key: string, object: StoredObject): Promise<string | undefined>;
  get(bucket: string, key: string): Promise<StoredObject | undefined>;
  /** @returns the keys that begin with the prefix, in no order */
  keys(bucket: string, prefix: string): Promise<string[]>;
  /** Does nothing when the object does not exist. */
  delete(bucket: string, key: string): Promise<void>;
}

/** Stores objects in memory, until the process ends. */
export class MemoryStore implements ObjectStore {
  readonly #objects = new Map<string, Map<string, StoredObject>>();

  async put(bucket: string, key: string, object: StoredObject): Promise<undefined> {
    this.#in(bucket).set(key, object);
  }

  async get(bucket: string, key: string): Promise<StoredObject | undefined> {
    return this.#in(bucket).get(key);
  }

  async keys(bucket: string, prefix: string): Promise<string[]> {
    return [...this.#in(bucket).keys()].filter(key => key.startsWith(prefix));
  }

  async delete(bucket: string, key: string): Promise<void> {
    this.#in(bucket).delete(key);
  }

  #in(bucket: string): Map<string, StoredObject> {
    const objects = this.#objects.get(bucket) ?? new Map<string, StoredObject>();
    this.#objects.set(bucket, objects);
    return objects;
  }
}
