import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { ApiError, type HttpRequest } from 'stepfunctions-emulator/loopback';
import type { StoredObject } from './object-store.ts';

/** The decoded body. */
export interface Decoded {
  readonly body: Buffer;
  /** Trailers by their names in lower case. */
  readonly trailers: Readonly<Record<string, string>>;
}

/** Largest size of all trailers together: one checksum and a signature. */
const MAX_TRAILER_BYTES = 8_192;

/**
 * Decodes `aws-chunked`: chunks of `<size in hex>[;chunk-signature=…]\r\n<bytes>\r\n`, one of size 0, then trailers. The SDK sends streams
 * in this format, with their checksum as a trailer. Signatures are not verified here, as in all requests.
 *
 * Source: Amazon S3 API reference, "Signature calculations … multiple chunks" and "… including trailing headers".
 *
 * @throws {ApiError} for a body that ends early or is something else
 */
function decodeAwsChunked(encoded: Buffer): Decoded {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = encoded.indexOf('\r\n', at);
    const line = lineEnd < 0 ? '' : encoded.toString('latin1', at, lineEnd);
    const size = /^([0-9a-f]{1,8})(;[\x20-\x7e]*)?$/i.exec(line)?.[1];
    if (size === undefined) throw incomplete(`a chunk's size in hex and CRLF at byte ${at}`);
    const bytes = Number.parseInt(size, 16);
    const start = lineEnd + 2;
    if (bytes === 0) return { body: Buffer.concat(parts), trailers: trailersOf(encoded.subarray(start)) };
    const end = start + bytes;
    if (encoded.toString('latin1', end, end + 2) !== '\r\n') {
      throw incomplete(`CRLF after the ${bytes} bytes of the chunk at byte ${at}`);
    }
    parts.push(encoded.subarray(start, end));
    at = end + 2;
  }
}

function trailersOf(rest: Buffer): Record<string, string> {
  const text = rest.toString('latin1');
  if (rest.length > MAX_TRAILER_BYTES || !(text === '\r\n' || text.endsWith('\r\n\r\n') || text === '')) {
    throw incomplete('trailers and an empty line after the last chunk');
  }
  const lines = text.split('\r\n').filter(line => line !== '');
  return Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':');
      if (colon < 1) throw incomplete(`name:value as a trailer, got ${JSON.stringify(line.slice(0, 100))}`);
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

function incomplete(expected: string): ApiError {
  return new ApiError('IncompleteBody', `the body in aws-chunked: expected ${expected}`);
}

const PREFIX = 'x-amz-checksum-';

const ALGORITHMS: Readonly<Record<string, (body: Buffer) => string>> = {
  crc32: body => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(body));
    return bytes.toString('base64');
  },
  sha1: body => createHash('sha1').update(body).digest('base64'),
  sha256: body => createHash('sha256').update(body).digest('base64'),
};

/** The entity tag of an object that was uploaded in one piece. */
export function etagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

/**
 * Compares an upload with every checksum in its request.
 * @param given the headers, and the trailers where there are any
 * @returns the checksums as headers, as they are given back with the object
 * @throws {ApiError} for a sum that is another, and for a checksum that isn't computed here
 */
function checkSums(body: Buffer, given: IncomingHttpHeaders): Record<string, string> {
  const md5 = given['content-md5'];
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) {
    throw new ApiError('BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  const announced = String(
    given['x-amz-trailer'] ?? given['x-amz-sdk-checksum-algorithm'] ?? '',
  ).toLowerCase();
  const algorithm = announced.startsWith(PREFIX) ? announced.slice(PREFIX.length) : announced;
  if (algorithm !== '' && given[PREFIX + algorithm] === undefined) {
    throw new ApiError(
      given['x-amz-trailer'] === undefined ? 'InvalidRequest' : 'MalformedTrailerError',
      `expected ${PREFIX}${algorithm}, which the request announces, got none`,
    );
  }
  const checksums: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!name.startsWith(PREFIX)) continue;
    const compute = ALGORITHMS[name.slice(PREFIX.length)];
    if (compute === undefined) {
      throw new ApiError(
        'NotImplemented',
        `${name}: expected one of ${Object.keys(ALGORITHMS)
          .map(each => PREFIX + each)
          .join(', ')}; others are not computed locally`,
        501,
      );
    }
    if (compute(body) !== value) {
      const shown = name.slice(PREFIX.length).toUpperCase();
      throw new ApiError('BadDigest', `The ${shown} you specified did not match the calculated checksum.`);
    }
    checksums[name] = String(value);
  }
  return checksums;
}

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
