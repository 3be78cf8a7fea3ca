import { PutObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { ArchiveObject } from './archive-object.ts';

/** Puts an object; rejects unless S3 has confirmed that it is stored. */
export type PutObject = (object: ArchiveObject) => Promise<void>;

export interface S3Options {
  /** Attempts per command, including the first one. */
  readonly maxAttempts: number;
  /** Timeout of one attempt, in milliseconds. After it the attempt is repeated. */
  readonly requestTimeoutMs: number;
}

/**
 * Makes a client of S3.
 *
 * @param connection only needed outside of Lambda, whose environment has it
 */
export function createS3(
  { maxAttempts, requestTimeoutMs }: S3Options,
  connection: Pick<S3ClientConfig, 'endpoint' | 'region' | 'credentials'> = {},
): S3Client {
  const ownEndpoint = connection.endpoint ?? process.env['AWS_ENDPOINT_URL_S3'];
  return new S3Client({
    ...connection,
    maxAttempts,
    // An endpoint that is not AWS's seldom has a host name for each bucket.
    forcePathStyle: ownEndpoint !== undefined,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
}

/**
 * Returns a function that puts objects into a bucket. The SDK sends a checksum with each, so S3 refuses an object that was damaged on the
 * way.
 */
export function putInto(bucket: string, client: Pick<S3Client, 'send'>): PutObject {
  return async ({ key, body }) => {
    await client.send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: 'application/gzip' }),
    );
  };
}
