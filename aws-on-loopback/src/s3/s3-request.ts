import { ApiError, type HttpRequest } from 'stepfunctions-emulator/loopback';
import { LOCAL_ACCOUNT } from '../service-variables.ts';

/** A parsed request to S3. */
export interface S3Request extends HttpRequest {
  readonly bucket: string;
  /** Empty for operations on a bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
}

/** The form of the requests for an operation. */
export interface OperationShape {
  readonly method: string;
  readonly hasKey: boolean;
  /** Query parameters that the operation reads; `list-type` also identifies it. @default none */
  readonly parameters?: readonly string[];
  /** Headers that the operation reads, among those that could change it; `*` stands for any ending. @default none */
  readonly headers?: readonly string[];
}

type Operations<Shape extends OperationShape> = Readonly<Record<string, Shape>>;

/** Headers that only identify the client and the time, and do not change the result. */
const HARMLESS_HEADERS = [
  ...['x-amz-date', 'x-amz-content-sha256', 'x-amz-user-agent', 'x-amz-security-token'],
  'x-amz-expected-bucket-owner',
];

/** Source: Amazon S3 User Guide, "Naming Amazon S3 objects": UTF-8 bytes. */
const MAX_KEY_LENGTH = 1024;

/** Name of the requested operation, also of requests that are refused. */
export function operationOf(operations: Operations<OperationShape>, { method, target }: HttpRequest): string {
  try {
    return find(operations, method, partsOf(target))?.[0] ?? method;
  } catch {
    return method;
  }
}

/**
 * @param buckets those that there are
 * @throws {ApiError} for what isn't answered, by its name
 */
export function readRequest<Shape extends OperationShape>(
  operations: Operations<Shape>,
  request: HttpRequest,
  buckets: ReadonlySet<string>,
): S3Request & { readonly operation: Shape } {
  requirePathStyle(request);
  const parts = partsOf(request.target);
  const { bucket, key } = parts;
  const found = find(operations, request.method, parts);
  if (found === undefined) {
    throw notImplemented(
      `expected one of ${Object.keys(operations).join(', ')}, got ${request.method} ${request.target.slice(0, 200)}`,
    );
  }
  requireKnown(request, found, parts.query);
  const owner = request.headers['x-amz-expected-bucket-owner'] ?? LOCAL_ACCOUNT;
  if (owner !== LOCAL_ACCOUNT) {
    throw new ApiError(
      'AccessDenied',
      `x-amz-expected-bucket-owner: expected ${LOCAL_ACCOUNT}, got ${owner}`,
      403,
    );
  }
  if (!buckets.has(bucket)) {
    throw new ApiError(
      'NoSuchBucket',
      `The specified bucket does not exist: ${JSON.stringify(bucket)}; here are ${[...buckets].join(', ') || 'none'}`,
      404,
    );
  }
  if (Buffer.byteLength(key) > MAX_KEY_LENGTH) {
    throw new ApiError(
      'KeyTooLongError',
      `Your key is too long: ${Buffer.byteLength(key)} bytes of at most ${MAX_KEY_LENGTH}`,
    );
  }
  return { ...request, ...parts, operation: found[1] };
}

type Parts = Pick<S3Request, 'bucket' | 'key' | 'query'>;

function find<Shape extends OperationShape>(
  operations: Operations<Shape>,
  method: string,
  { key, query }: Parts,
): readonly [name: string, operation: Shape] | undefined {
  const isList = query.get('list-type') === '2' && key === '';
  return Object.entries(operations).find(
    ([, shape]) =>
      shape.method === method &&
      shape.hasKey === (key !== '') &&
      (shape.parameters ?? []).includes('list-type') === isList,
  );
}

function partsOf(target: string): Parts {
  const [path = '', query = ''] = target.split(/\?(.*)/s, 2);
  try {
    // The URL class is not used: it would resolve `..`, which is an ordinary part of a key.
    const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
    return {
      bucket: decodeURIComponent(bucket),
      key: decodeURIComponent(key),
      query: new URLSearchParams(query),
    };
  } catch {
    throw new ApiError('InvalidURI', `Couldn't parse the specified URI: ${path.slice(0, 200)}`);
  }
}

function requirePathStyle({ headers: { host = '' } }: HttpRequest): void {
  if (!/\.localhost(:\d+)?$/i.test(host)) return;
  throw notImplemented(
    `Host: expected the bucket in the path, got ${host}; use the endpoint with 127.0.0.1, or forcePathStyle: true for the client`,
  );
}

function requireKnown(
  { headers }: HttpRequest,
  [name, { parameters = [], headers: read = [] }]: readonly [string, OperationShape],
  query: URLSearchParams,
): void {
  const parameter = [...query.keys()].find(each => each !== 'x-id' && !parameters.includes(each));
  if (parameter !== undefined) throw notImplemented(`${name} with the parameter ${parameter}`);
  const isKnown = (header: string) =>
    [...HARMLESS_HEADERS, ...read].some(known =>
      known.endsWith('*') ? header.startsWith(known.slice(0, -1)) : header === known,
    );
  const header = Object.keys(headers).find(each => /^(x-amz-|if-|range$)/.test(each) && !isKnown(each));
  if (header !== undefined) throw notImplemented(`${name} with the header ${header}`);
}

function notImplemented(what: string): ApiError {
  return new ApiError('NotImplemented', `${what}: not answered on this machine`, 501);
}
