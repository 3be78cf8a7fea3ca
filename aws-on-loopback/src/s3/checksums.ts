import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { ApiError } from 'stepfunctions-emulator/loopback';

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
export function checkSums(body: Buffer, given: IncomingHttpHeaders): Record<string, string> {
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
