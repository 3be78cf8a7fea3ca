import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApiError } from 'stepfunctions-emulator/loopback';

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

/*
 * Maps a key to a path: its parts between slashes become folders and a file. Characters that a file name cannot contain are written as
 * %XX, so no key leaves its bucket's folder, and each key has its own file.
 */

/** An empty part, as in `a//b` and `a/`. Every other % is followed by two digits. */
const EMPTY = '%';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f%\\:*?"<>|]|^\.|[. ]$/g;

/** @returns the names of the folders and of the file */
function pathOfKey(key: string): string[] {
  return key.split('/').map(nameOf);
}

/** @returns undefined for a name that no part of a key has, such as `.DS_Store` */
function partOfName(name: string): string | undefined {
  if (name === EMPTY) return '';
  try {
    const part = decodeURIComponent(name);
    return nameOf(part) === name ? part : undefined;
  } catch {
    return undefined;
  }
}

function nameOf(part: string): string {
  if (part === '') return EMPTY;
  return part.replace(UNSAFE, found => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Folder of unfinished uploads; no bucket's name begins with a dot. */
const UPLOADS = '.precise-ttl-uploads';

/**
 * Stores objects as files: `<folder>/<bucket>/<key>`. The other fields of an upload are kept in memory only. The caller must await one
 * write before the next: a delete may remove a folder that an upload needs.
 */
export class FolderStore implements ObjectStore {
  readonly #folder: string;
  readonly #headers = new Map<string, StoredObject['headers']>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder, and removes unfinished files of a killed process. */
  static async open(folder: string): Promise<FolderStore> {
    await rm(join(folder, UPLOADS), { recursive: true, force: true });
    await mkdir(join(folder, UPLOADS), { recursive: true });
    return new FolderStore(folder);
  }

  async put(bucket: string, key: string, { body, headers }: StoredObject): Promise<string> {
    const file = this.#file(bucket, key);
    const begun = join(this.#folder, UPLOADS, randomUUID());
    try {
      await writeFile(begun, body);
      await mkdir(dirname(file), { recursive: true });
      await rename(begun, file);
    } catch (error) {
      await rm(begun, { force: true });
      throw refusalOf(key, error);
    }
    this.#headers.set(file, headers);
    return file;
  }

  async get(bucket: string, key: string): Promise<StoredObject | undefined> {
    const file = this.#file(bucket, key);
    try {
      const [body, { mtimeMs }] = await Promise.all([readFile(file), stat(file)]);
      return { body, modifiedAt: mtimeMs, headers: this.#headers.get(file) ?? {} };
    } catch (error) {
      if (isNoObject(error)) return undefined;
      throw error;
    }
  }

  async keys(bucket: string, prefix: string): Promise<string[]> {
    const keys: string[] = [];
    const walk = async (folder: string, before: string): Promise<void> => {
      for (const entry of await entriesOf(folder)) {
        const part = partOfName(entry.name);
        if (part === undefined) continue;
        if (entry.isFile()) keys.push(before + part);
        else if (entry.isDirectory()) await walk(join(folder, entry.name), `${before}${part}/`);
      }
    };
    const within = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const folders = within === '' ? [] : pathOfKey(within.slice(0, -1));
    await walk(join(this.#folder, bucket, ...folders), within);
    return keys.filter(key => key.startsWith(prefix));
  }

  async delete(bucket: string, key: string): Promise<void> {
    const file = this.#file(bucket, key);
    try {
      await unlink(file);
    } catch (error) {
      if (isNoObject(error)) return;
      throw error;
    }
    this.#headers.delete(file);
    await this.#removeEmpty(dirname(file), join(this.#folder, bucket));
  }

  /** Removes empty folders. S3 has no folders: a later object may have the folder's name. */
  async #removeEmpty(folder: string, bucket: string): Promise<void> {
    for (let empty = folder; empty !== bucket; empty = dirname(empty)) {
      try {
        await rmdir(empty);
      } catch {
        return; // The folder is not empty, or does not exist.
      }
    }
  }

  #file(bucket: string, key: string): string {
    return join(this.#folder, bucket, ...pathOfKey(key));
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isNoObject(error)) return [];
    throw error;
  }
}

function refusalOf(key: string, error: unknown): unknown {
  const code = codeOf(error);
  const shown = JSON.stringify(key);
  if (code === 'ENAMETOOLONG') {
    return new ApiError(
      'KeyTooLongError',
      `Key: expected parts between slashes that a file can be named by (255 bytes), got ${shown}`,
    );
  }
  if (['ENOSPC', 'EDQUOT'].includes(code)) {
    return new ApiError(STORE_FULL, `There is no room left for ${shown} (${code}): make some`, 503);
  }
  // The first two occur when a part is a file, the others when the key is a folder.
  if (['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EPERM'].includes(code)) {
    return new ApiError(
      'InvalidArgument',
      `Key: expected no object whose name is a folder of another one's, got ${shown} (${code}); S3 has no such limit, but ` +
        'here objects are files: choose other keys',
    );
  }
  return error;
}

/** True also when the key is a folder here, when a part of it is a file, or when no file can have its name. */
function isNoObject(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EPERM'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code);
}
