import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from '../errors.ts';

/** The place of an archive: a bucket, or a folder with the same files. */
export type Location =
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'folder'; readonly folder: string };

/**
 * Reads the place of an archive: `s3://bucket/prefix`, or a folder on this machine.
 *
 * @throws {InputError}
 */
export function readLocation(given: string | undefined): Location {
  const remedy = 'write s3://BUCKET, with the prefix of the archive behind it if it has one, or a folder';
  if (given === undefined)
    throw new InputError('fromArchive', `expected the place of an archive, got none; ${remedy}`);
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(given) ?? [];
  if (bucket !== undefined) {
    // The prefix ends with a slash, as in the prop.
    return { kind: 's3', bucket, prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/` };
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(given))
    throw new InputError('fromArchive', `expected s3://BUCKET or a folder, got "${given}"; ${remedy}`);
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new InputError(
      'fromArchive',
      `expected a folder that is there, got "${given}"; check the path, or ${remedy}`,
    );
  return { kind: 'folder', folder };
}
