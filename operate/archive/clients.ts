import { S3Client } from '@aws-sdk/client-s3';
import { awsClient } from '../aws/client.ts';
import type { Credentials } from '../aws/client-config.ts';
import { type Environment, isLocal, localEndpoint } from '../aws/endpoint.ts';
import { type ArchiveSource, folderSource, s3Source } from './archive-source.ts';
import type { Location } from './location.ts';

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
  credentials?: Credentials,
): OpenArchive {
  if (location.kind === 'folder') return { source: folderSource(location.folder), destroy() {} };
  const options = {
    // The bucket may be in another region than the table.
    followRegionRedirects: true,
    forcePathStyle: isLocal(environment, 'S3'),
  };
  const make = (config: object) => new S3Client({ ...config, ...options });
  const client = awsClient(make, 'S3', region, environment, { credentials });
  const source = s3Source(client, location, { endpoint: localEndpoint(environment, 'S3'), signal });
  return { source, destroy: () => client.destroy() };
}
