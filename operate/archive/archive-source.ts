import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { PreciseTtlError } from '../../expiry/errors.ts';
import { awsClient } from '../aws/client.ts';
import { type ConfiguredEndpoint, type Environment, isLocal, localEndpoint } from '../aws/endpoint.ts';
import { describeSdkError, permitted } from '../aws/errors.ts';
import { ArchiveUnreadableError } from '../errors.ts';
import type { Location } from './location.ts';

/** The objects of an archive. Paths are relative to its root; the path of a folder ends with a slash. */
export interface ArchiveSource {
  /** The full name of a path, for messages. */
  readonly name: (path: string) => string;
  /** Names of the folders directly in a folder, without slashes; empty if the folder does not exist. */
  readonly folders: (path: string) => Promise<string[]>;
  /** Paths of the objects directly in a folder. */
  readonly objects: (path: string) => Promise<string[]>;
  readonly read: (path: string) => Promise<Uint8Array>;
}

export function folderSource(root: string): ArchiveSource {
  const entries = async (path: string) => {
    try {
      return await readdir(join(root, path), { withFileTypes: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };
  return {
    name: path => join(root, path),
    folders: async path => (await entries(path)).filter(entry => entry.isDirectory()).map(({ name }) => name),
    objects: async path =>
      (await entries(path)).filter(entry => entry.isFile()).map(({ name }) => `${path}${name}`),
    read: path => readFile(join(root, path)),
  };
}

export interface S3SourceOptions {
  /** The endpoint of S3, if it is on this machine. */
  readonly endpoint: ConfiguredEndpoint | undefined;
  /** Aborts a running request. */
  readonly signal: AbortSignal;
}

/**
 * Opens an archive in S3. Its calls reject with {@link ArchiveUnreadableError} or MissingPermissionError for faults that the user
 * can mend.
 */
export function s3Source(
  client: S3Client,
  { bucket, prefix }: Extract<Location, { kind: 's3' }>,
  { endpoint, signal: abortSignal }: S3SourceOptions,
): ArchiveSource {
  const name = (path: string) => `s3://${bucket}/${prefix}${path}`;
  const list = (path: string) =>
    asked('s3:ListBucket', `arn:aws:s3:::${bucket}`, endpoint, async () => {
      const listed = { folders: [] as string[], objects: [] as string[] };
      const given = { Bucket: bucket, Prefix: `${prefix}${path}`, Delimiter: '/' };
      for await (const page of paginateListObjectsV2({ client }, given, { abortSignal })) {
        for (const { Prefix = '' } of page.CommonPrefixes ?? [])
          listed.folders.push(Prefix.slice(given.Prefix.length, -1));
        for (const { Key = '' } of page.Contents ?? []) listed.objects.push(Key.slice(prefix.length));
      }
      return listed;
    });
  return {
    name,
    folders: async path => (await list(path)).folders,
    objects: async path => (await list(path)).objects,
    read: path =>
      asked('s3:GetObject', `arn:aws:s3:::${bucket}/${prefix}${path}`, endpoint, async () => {
        const command = new GetObjectCommand({ Bucket: bucket, Key: `${prefix}${path}` });
        const { Body } = await client.send(command, { abortSignal });
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      }),
  };
}

async function asked<Result>(
  action: string,
  resource: string,
  endpoint: ConfiguredEndpoint | undefined,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await permitted(action, resource, call);
  } catch (error) {
    const message = describeSdkError(error, endpoint, 'S3');
    if (message === undefined || error instanceof PreciseTtlError) throw error;
    throw new ArchiveUnreadableError(`${message} (${resource})`);
  }
}

export interface OpenArchive {
  readonly source: ArchiveSource;
  destroy(): void;
}

/**
 * Opens an archive for reading.
 *
 * @throws {InputError} when the environment names an invalid endpoint
 */
export function openArchive(
  region: string,
  location: Location,
  environment: Environment,
  signal: AbortSignal,
): OpenArchive {
  if (location.kind === 'folder') return { source: folderSource(location.folder), destroy() {} };
  const options = {
    // The bucket may be in another region than the table.
    followRegionRedirects: true,
    forcePathStyle: isLocal(environment, 'S3'),
  };
  const make = (config: object) => new S3Client({ ...config, ...options });
  const client = awsClient(make, 'S3', region, environment);
  const source = s3Source(client, location, { endpoint: localEndpoint(environment, 'S3'), signal });
  return { source, destroy: () => client.destroy() };
}
