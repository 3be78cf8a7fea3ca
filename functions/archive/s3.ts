import { PutObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { ArchiveObject } from './archive-object.ts';

/** Puts an object; rejects unless S3 has answered that it is stored. */
export type PutObject = (object: ArchiveObject, options?: PutOptions) => Promise<void>;

export interface PutOptions {
  /** How long this call may take in all, milliseconds. @default the client's own limit */
  readonly timeoutMs?: number;
}

export interface S3Options {
  /** Calls in all per command. */
  readonly maxAttempts: number;
  /** How long one call may take, milliseconds. A hanging one is then tried again. */
  readonly requestTimeoutMs: number;
}

/** @param connection only where it is not Lambda's environment that says it */
export function createS3(
  { maxAttempts, requestTimeoutMs }: S3Options,
  connection: Pick<S3ClientConfig, 'endpoint' | 'region' | 'credentials'> = {},
): S3Client {
  const ownEndpoint = connection.endpoint ?? process.env['AWS_ENDPOINT_URL_S3'];
  return new S3Client({
    ...connection,
    maxAttempts,
    // An endpoint other than AWS's seldom has a host name for each bucket.
    forcePathStyle: ownEndpoint !== undefined,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
}

/** Puts objects into a bucket. The SDK sends a checksum with each, by which S3 refuses what was damaged on the way. */
export function putInto(bucket: string, client: Pick<S3Client, 'send'>): PutObject {
  return async ({ key, body }, { timeoutMs } = {}) => {
    await client.send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: 'application/gzip' }),
      timeoutMs === undefined ? {} : { abortSignal: AbortSignal.timeout(timeoutMs) },
    );
  };
}
