import { ApiError } from 'stepfunctions-emulator/loopback';

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
export function decodeAwsChunked(encoded: Buffer): Decoded {
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
