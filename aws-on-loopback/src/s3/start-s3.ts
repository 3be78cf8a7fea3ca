import { requireNames } from '../errors.ts';
import { type LocalService, type ServiceOptions, startServer } from '../service.ts';
import { FolderStore, MemoryStore, type ObjectStore } from './object-store.ts';
import { type S3ApiOptions, s3Api, type WrittenObject } from './s3-api.ts';

export interface S3Options extends ServiceOptions {
  /** Existing buckets: a deployment creates them. */
  readonly buckets: readonly string[];
  /** Folder for the objects, as files `<folder>/<bucket>/<key>`; objects of earlier runs are found again. @default in memory */
  readonly folder?: string | undefined;
  /** Called for every object after it is written. */
  readonly onObject?: ((written: WrittenObject) => void) | undefined;
  /** See {@link S3ApiOptions}. */
  readonly onFull?: S3ApiOptions['onFull'];
}

/** Source: Amazon S3 User Guide, "General purpose bucket naming rules". */
const NAMES = {
  pattern: /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  expected: '3 to 63 small letters, digits, dots and hyphens',
};

/**
 * Starts an S3 for this machine.
 *
 * @throws {LoopbackError} for a bucket with a name that S3 refuses; rejects with the system's error when the folder
 *   can't be made or the port is taken
 */
export async function startS3({ buckets, folder, onObject, onFull, ...server }: S3Options): Promise<LocalS3> {
  requireNames('buckets', buckets, NAMES);
  const store = folder === undefined ? new MemoryStore() : await FolderStore.open(folder);
  const protocol = s3Api({ store, buckets: new Set(buckets), onObject, onFull });
  return new LocalS3(await startServer(protocol, server), store);
}

/** An S3 on this machine. */
export class LocalS3 {
  readonly endpoint: string;
  readonly #server: LocalService;
  readonly #store: ObjectStore;

  constructor(server: LocalService, store: ObjectStore) {
    this.endpoint = server.endpoint;
    this.#server = server;
    this.#store = store;
  }

  /** @returns the keys that begin with the prefix, sorted */
  async keys(bucket: string, prefix = ''): Promise<string[]> {
    return (await this.#store.keys(bucket, prefix)).sort();
  }

  /** @returns the content of an object; undefined when there is none */
  async read(bucket: string, key: string): Promise<Buffer | undefined> {
    return (await this.#store.get(bucket, key))?.body;
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
