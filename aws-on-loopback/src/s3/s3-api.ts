import { ApiError, type HttpAnswer, type HttpProtocol } from 'stepfunctions-emulator/loopback';
import { LIST_PARAMETERS, listObjects, xmlDocument } from './list-objects.ts';
import { type ObjectStore, STORE_FULL, type StoredObject } from './object-store.ts';
import { type OperationShape, operationOf, readRequest, type S3Request } from './s3-request.ts';
import { etagOf, readUpload } from './upload.ts';

/** An object that was just written. */
export interface WrittenObject {
  readonly bucket: string;
  readonly key: string;
  readonly bytes: number;
  /** Path of its file; undefined when it is in memory. */
  readonly file: string | undefined;
}

export interface S3ApiOptions {
  readonly store: ObjectStore;
  readonly buckets: ReadonlySet<string>;
  readonly onObject?: ((written: WrittenObject) => void) | undefined;
  /** Called when the store becomes full, once each time. */
  readonly onFull?: ((message: string) => void) | undefined;
}

/** S3 accepts 5 GB in one request; here an upload is held in memory. */
const MAX_UPLOAD_BYTES = 67_108_864;

/** The type of an object whose upload didn't name one. */
const DEFAULT_TYPE = 'binary/octet-stream';

/** The data that the operations work on. */
interface S3Context extends S3ApiOptions {
  /** Puts an object into the store, and reports when the store is full. */
  readonly put: ObjectStore['put'];
}

interface S3Operation extends OperationShape {
  readonly answer: (context: S3Context, request: S3Request) => Promise<HttpAnswer>;
}

/** Supported operations of S3, in REST XML and path style. */
export const S3_OPERATIONS = {
  PutObject: {
    method: 'PUT',
    hasKey: true,
    headers: [
      ...['x-amz-sdk-checksum-algorithm', 'x-amz-trailer', 'x-amz-decoded-content-length'],
      ...['x-amz-storage-class', 'x-amz-meta-*', 'x-amz-checksum-*'],
    ],
    async answer({ put, onObject }, request) {
      const { bucket, key } = request;
      const { body, headers, checksums } = readUpload(request);
      const file = await put(bucket, key, { body, headers, modifiedAt: Date.now() });
      onObject?.({ bucket, key, bytes: body.length, file });
      return ok({ etag: etagOf(body), ...withType(checksums) });
    },
  },
  GetObject: {
    method: 'GET',
    hasKey: true,
    headers: ['x-amz-checksum-mode'],
    async answer({ store }, request) {
      const object = await find(store, request);
      return ok(headersOf(object, request), object.body);
    },
  },
  DeleteObject: {
    method: 'DELETE',
    hasKey: true,
    async answer({ store }, { bucket, key }) {
      await store.delete(bucket, key);
      return { status: 204, headers: {}, body: '' };
    },
  },
  ListObjectsV2: {
    method: 'GET',
    hasKey: false,
    parameters: LIST_PARAMETERS,
    answer: async ({ store }, { bucket, query }) =>
      ok({ 'content-type': 'application/xml' }, await listObjects(store, bucket, query)),
  },
} satisfies Readonly<Record<string, S3Operation>>;

/** S3's API: {@link S3_OPERATIONS}. All other operations are refused by their names. */
export function s3Api(options: S3ApiOptions): HttpProtocol {
  const { store, buckets, onFull } = options;
  let isFull = false;
  const put: ObjectStore['put'] = async (...object) => {
    try {
      const file = await store.put(...object);
      isFull = false;
      return file;
    } catch (error) {
      if (!isFull && error instanceof ApiError && error.name === STORE_FULL) {
        isFull = true;
        onFull?.(error.message);
      }
      throw error;
    }
  };
  const context: S3Context = { ...options, put };
  return {
    maxBytes: MAX_UPLOAD_BYTES,
    errorNames: { internal: 'InternalError', tooLarge: 'EntityTooLarge', otherHost: 'AccessDenied' },
    operationOf: request => operationOf(S3_OPERATIONS, request),
    answer: async request => {
      const { operation, ...read } = readRequest(S3_OPERATIONS, request, buckets);
      return operation.answer(context, read);
    },
    errorAnswer: ({ name: Code, message: Message, status }, RequestId) => ({
      status,
      headers: { 'content-type': 'application/xml', 'x-amz-request-id': RequestId },
      body: xmlDocument('Error', { Code, Message, RequestId }),
    }),
  };
}

async function find(store: ObjectStore, { bucket, key }: S3Request): Promise<StoredObject> {
  const object = await store.get(bucket, key);
  if (object !== undefined) return object;
  throw new ApiError('NoSuchKey', `The specified key does not exist: ${JSON.stringify(key)}`, 404);
}

function headersOf({ body, modifiedAt, headers }: StoredObject, request: S3Request): Record<string, string> {
  const isAsked = String(request.headers['x-amz-checksum-mode'] ?? '').toUpperCase() === 'ENABLED';
  const checksums = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-checksum-'));
  const others = Object.entries(headers).filter(([name]) => !name.startsWith('x-amz-checksum-'));
  return {
    'content-type': DEFAULT_TYPE,
    ...Object.fromEntries(others),
    ...(isAsked ? withType(Object.fromEntries(checksums)) : {}),
    etag: etagOf(body),
    'last-modified': new Date(modifiedAt).toUTCString(),
  };
}

function withType(checksums: Readonly<Record<string, string>>): Record<string, string> {
  return Object.keys(checksums).length === 0 ? {} : { ...checksums, 'x-amz-checksum-type': 'FULL_OBJECT' };
}

function ok(headers: Readonly<Record<string, string | number>>, body: string | Buffer = ''): HttpAnswer {
  return { status: 200, headers, body };
}
