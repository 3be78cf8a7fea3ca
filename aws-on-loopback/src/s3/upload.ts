import { createHash } from 'node:crypto';
import { ApiError, type HttpRequest } from 'stepfunctions-emulator/loopback';
import { decodeAwsChunked } from './aws-chunked.ts';
import { checkSums } from './checksums.ts';
import type { StoredObject } from './object-store.ts';

/** Headers that are returned with the object unchanged. */
const KEPT_HEADERS = ['cache-control', 'content-disposition', 'content-language', 'content-type', 'expires'];

/** Storage classes whose objects can be read immediately. Source: Amazon S3 User Guide, "Understanding storage classes". */
const STORAGE_CLASSES = ['STANDARD', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR'];

/** Source: Amazon S3 User Guide, "Working with object metadata": names and values of `x-amz-meta-…` together. */
const MAX_METADATA_BYTES = 2_048;

/** The object of a PutObject. */
export interface Upload {
  readonly body: Buffer;
  readonly headers: StoredObject['headers'];
  /** Checksums, as the answer returns them. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** @throws {ApiError} for a body that isn't whole or isn't what its sums say */
export function readUpload(request: HttpRequest): Upload {
  const { body, trailers } = bodyOf(request);
  const checksums = checkSums(body, { ...request.headers, ...trailers });
  return { body, checksums, headers: { ...keptHeaders(request), ...checksums } };
}

function bodyOf({ headers, body }: HttpRequest): {
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string>>;
} {
  const sha256 = String(headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD');
  if (sha256.startsWith('STREAMING-')) {
    const decoded = decodeAwsChunked(body);
    requireLength(headers['x-amz-decoded-content-length'], decoded.body.length);
    return decoded;
  }
  if (encodingsOf(headers['content-encoding']).includes('aws-chunked')) {
    throw new ApiError(
      'InvalidRequest',
      `x-amz-content-sha256: expected STREAMING-… with aws-chunked, got ${JSON.stringify(sha256)}`,
    );
  }
  if (headers['content-length'] === undefined) throw noLength('Content-Length');
  if (sha256 !== 'UNSIGNED-PAYLOAD' && sha256 !== createHash('sha256').update(body).digest('hex')) {
    throw new ApiError(
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  }
  return { body, trailers: {} };
}

function requireLength(announced: string | string[] | undefined, got: number): void {
  if (announced === undefined) throw noLength('x-amz-decoded-content-length');
  if (announced === String(got)) return;
  throw new ApiError(
    'IncompleteBody',
    `x-amz-decoded-content-length: expected ${announced} bytes, got ${got}`,
  );
}

function noLength(header: string): ApiError {
  return new ApiError('MissingContentLength', `You must provide the ${header} HTTP header.`, 411);
}

function keptHeaders({ headers }: HttpRequest): Record<string, string> {
  const kept: Record<string, string> = {};
  let metadata = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const isMetadata = name.startsWith('x-amz-meta-');
    if (isMetadata) metadata += Buffer.byteLength(name.slice('x-amz-meta-'.length) + value);
    if (isMetadata || KEPT_HEADERS.includes(name)) kept[name] = String(value);
  }
  if (metadata > MAX_METADATA_BYTES) {
    throw new ApiError(
      'MetadataTooLarge',
      `Your metadata headers exceed the maximum allowed metadata size: ${metadata} bytes of at most ${MAX_METADATA_BYTES}`,
    );
  }
  const encodings = encodingsOf(headers['content-encoding']).filter(each => each !== 'aws-chunked');
  if (encodings.length > 0) kept['content-encoding'] = encodings.join(',');
  const storageClass = String(headers['x-amz-storage-class'] ?? 'STANDARD');
  if (!STORAGE_CLASSES.includes(storageClass)) {
    throw new ApiError(
      'InvalidStorageClass',
      `x-amz-storage-class: expected one of ${STORAGE_CLASSES.join(', ')}, got ${storageClass}; the local S3 has no others`,
    );
  }
  // S3 does not return the default class.
  if (storageClass !== 'STANDARD') kept['x-amz-storage-class'] = storageClass;
  return kept;
}

function encodingsOf(header: string | undefined): string[] {
  return (header ?? '').split(',').flatMap(each => (each.trim() === '' ? [] : [each.trim()]));
}
