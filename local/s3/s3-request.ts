import { ApiRequestError, type HttpRequest } from '../http-server.ts';
import { LOCAL_ACCOUNT } from '../stack/synthesized.ts';
import { LIST_PARAMETERS } from './list-objects.ts';

/** A request to S3 that is understood. */
export interface S3Request extends HttpRequest {
  readonly operation: S3Operation;
  readonly bucket: string;
  /** Empty for operations on a bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
}

export type S3Operation = keyof typeof OPERATIONS;

interface OperationShape {
  readonly method: string;
  readonly hasKey: boolean;
  readonly parameters: readonly string[];
  /** Of those that could change what is done. */
  readonly headers: readonly string[];
}

const OPERATIONS = {
  PutObject: {
    method: 'PUT',
    hasKey: true,
    parameters: [],
    headers: [
      ...['x-amz-sdk-checksum-algorithm', 'x-amz-trailer', 'x-amz-decoded-content-length'],
      ...['x-amz-storage-class', 'if-none-match', 'if-match'],
    ],
  },
  GetObject: { method: 'GET', hasKey: true, parameters: [], headers: ['x-amz-checksum-mode'] },
  HeadObject: { method: 'HEAD', hasKey: true, parameters: [], headers: ['x-amz-checksum-mode'] },
  DeleteObject: { method: 'DELETE', hasKey: true, parameters: [], headers: [] },
  ListObjectsV2: { method: 'GET', hasKey: false, parameters: LIST_PARAMETERS, headers: [] },
  HeadBucket: { method: 'HEAD', hasKey: false, parameters: [], headers: [] },
} as const satisfies Record<string, OperationShape>;

/** They say who asks, when and by what, and change nothing. */
const HARMLESS_HEADERS = [
  ...['x-amz-date', 'x-amz-content-sha256', 'x-amz-user-agent', 'x-amz-security-token'],
  'x-amz-expected-bucket-owner',
];

/** Source: Amazon S3 User Guide, "Naming Amazon S3 objects": UTF-8 bytes. */
const LONGEST_KEY = 1024;

/** The name of what is asked for, of requests that are refused as well. */
export function operationOf({ method, target }: HttpRequest): string {
  try {
    const { key, query } = partsOf(target);
    return find(method, key, query) ?? method;
  } catch {
    return method;
  }
}

/**
 * @param buckets those that there are
 * @throws {ApiRequestError} for what isn't answered, by its name
 */
export function readRequest(request: HttpRequest, buckets: ReadonlySet<string>): S3Request {
  requirePathStyle(request);
  const { bucket, key, query } = partsOf(request.target);
  const operation = find(request.method, key, query);
  if (operation === undefined) {
    throw notImplemented(
      `expected one of ${Object.keys(OPERATIONS).join(', ')}, got ${request.method} ${request.target.slice(0, 200)}`,
    );
  }
  requireKnown(request, operation, query);
  const owner = request.headers['x-amz-expected-bucket-owner'] ?? LOCAL_ACCOUNT;
  if (owner !== LOCAL_ACCOUNT) {
    throw new ApiRequestError(
      'AccessDenied',
      `x-amz-expected-bucket-owner: expected ${LOCAL_ACCOUNT}, got ${owner}`,
      403,
    );
  }
  if (!buckets.has(bucket)) {
    throw new ApiRequestError(
      'NoSuchBucket',
      `The specified bucket does not exist: ${JSON.stringify(bucket)}; here are ${[...buckets].join(', ') || 'none'}`,
      404,
    );
  }
  if (Buffer.byteLength(key) > LONGEST_KEY) {
    throw new ApiRequestError(
      'KeyTooLongError',
      `Your key is too long: ${Buffer.byteLength(key)} bytes of at most ${LONGEST_KEY}`,
    );
  }
  return { ...request, operation, bucket, key, query };
}

function find(method: string, key: string, query: URLSearchParams): S3Operation | undefined {
  const isList = query.get('list-type') === '2';
  return (Object.keys(OPERATIONS) as S3Operation[]).find(
    name =>
      OPERATIONS[name].method === method &&
      OPERATIONS[name].hasKey === (key !== '') &&
      (name === 'ListObjectsV2') === (isList && key === ''),
  );
}

function partsOf(target: string): { bucket: string; key: string; query: URLSearchParams } {
  const [path = '', query = ''] = target.split(/\?(.*)/s, 2);
  try {
    // Not by URL, which takes `..` for the folder above; it is a part of a key like any other.
    const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
    return {
      bucket: decodeURIComponent(bucket),
      key: decodeURIComponent(key),
      query: new URLSearchParams(query),
    };
  } catch {
    throw new ApiRequestError('InvalidURI', `Couldn't parse the specified URI: ${path.slice(0, 200)}`);
  }
}

function requirePathStyle({ headers: { host = '' } }: HttpRequest): void {
  if (!/\.localhost(:\d+)?$/i.test(host)) return;
  throw notImplemented(
    `Host: expected the bucket in the path, got ${host}; use the endpoint with 127.0.0.1, or forcePathStyle: true for the client`,
  );
}

function requireKnown({ headers }: HttpRequest, operation: S3Operation, query: URLSearchParams): void {
  const shape: OperationShape = OPERATIONS[operation];
  const parameter = [...query.keys()].find(name => name !== 'x-id' && !shape.parameters.includes(name));
  if (parameter !== undefined) {
    throw notImplemented(`${operation} with the parameter ${parameter}`);
  }
  const known = [...HARMLESS_HEADERS, ...shape.headers];
  const header = Object.keys(headers).find(
    name => /^(x-amz-|if-|range$)/.test(name) && !known.includes(name) && !isOfUpload(name, operation),
  );
  if (header !== undefined) throw notImplemented(`${operation} with the header ${header}`);
}

const isOfUpload = (name: string, operation: S3Operation): boolean =>
  operation === 'PutObject' && /^x-amz-(meta-|checksum-)/.test(name);

function notImplemented(what: string): ApiRequestError {
  return new ApiRequestError('NotImplemented', `${what}: not answered by the local S3`, 501);
}
