import { ApiError } from 'stepfunctions-emulator/loopback';
import type { ObjectStore } from './object-store.ts';
import { etagOf } from './upload.ts';

/** A document of S3: element names with a text, a number, child elements, or a list of them. */
interface XmlContent {
  readonly [name: string]: XmlValue | readonly XmlContent[] | undefined;
}
type XmlValue = string | number | boolean | XmlContent;

export function xmlDocument(root: string, content: XmlContent): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${inner(content)}</${root}>`;
}

function inner(content: XmlContent): string {
  return Object.entries(content)
    .flatMap(([name, value]) => {
      const values = value === undefined ? [] : Array.isArray(value) ? value : [value];
      return values.map(
        each => `<${name}>${typeof each === 'object' ? inner(each) : escaped(each)}</${name}>`,
      );
    })
    .join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SPECIAL = /[&<>"\u0000-\u001f\u007f]/g;

function escaped(value: string | number | boolean): string {
  return String(value).replace(SPECIAL, found => `&#${found.charCodeAt(0)};`);
}

/** Default and largest number of keys in S3. Source: API reference, ListObjectsV2. */
const MAX_KEYS = 1000;

export const LIST_PARAMETERS = [
  ...['list-type', 'prefix', 'delimiter', 'max-keys', 'continuation-token', 'start-after', 'encoding-type'],
];

/** An entry of a list: an object, or the prefix that several keys share. */
type Listed = { readonly key: string } | { readonly group: string };

/** Answers ListObjectsV2. */
export async function listObjects(
  store: ObjectStore,
  bucket: string,
  query: URLSearchParams,
): Promise<string> {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after');
  const maxKeys = maxKeysOf(query);
  const encode = encoderOf(query);
  const all = listed(inOrder(await store.keys(bucket, prefix)), prefix, delimiter);
  const after = token === null ? startAfter : keyOfToken(token);
  const left = after === null ? all : all.filter(each => isAfter(nameOf(each), after));
  const page = left.slice(0, maxKeys);
  const last = page.at(-1);
  const isTruncated = maxKeys > 0 && left.length > page.length;
  const contents = await Promise.all(
    page.flatMap(each => ('key' in each ? [contentOf(store, bucket, each.key, encode)] : [])),
  );
  return xmlDocument('ListBucketResult', {
    Name: bucket,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    StartAfter: startAfter === null ? undefined : encode(startAfter),
    ContinuationToken: token ?? undefined,
    NextContinuationToken: isTruncated && last !== undefined ? tokenOf(nameOf(last)) : undefined,
    KeyCount: page.length,
    MaxKeys: maxKeys,
    EncodingType: query.get('encoding-type') ?? undefined,
    IsTruncated: isTruncated,
    // An object that was deleted meanwhile is left out.
    Contents: contents.filter(content => content !== undefined),
    CommonPrefixes: page.flatMap(each => ('group' in each ? [{ Prefix: encode(each.group) }] : [])),
  });
}

async function contentOf(
  store: ObjectStore,
  bucket: string,
  key: string,
  encode: (text: string) => string,
): Promise<XmlContent | undefined> {
  const object = await store.get(bucket, key);
  if (object === undefined) return undefined;
  return {
    Key: encode(key),
    LastModified: new Date(object.modifiedAt).toISOString(),
    ETag: etagOf(object.body),
    Size: object.body.length,
    StorageClass: object.headers['x-amz-storage-class'] ?? 'STANDARD',
  };
}

function listed(keys: readonly string[], prefix: string, delimiter: string): Listed[] {
  if (delimiter === '') return keys.map(key => ({ key }));
  const found: Listed[] = [];
  let group: string | undefined;
  for (const key of keys) {
    if (group !== undefined && key.startsWith(group)) continue;
    const end = key.indexOf(delimiter, prefix.length);
    group = end < 0 ? undefined : key.slice(0, end + delimiter.length);
    found.push(group === undefined ? { key } : { group });
  }
  return found;
}

const nameOf = (each: Listed): string => ('key' in each ? each.key : each.group);

/** S3 lists by the bytes of UTF-8; JavaScript compares the units of UTF-16. */
function inOrder(keys: readonly string[]): string[] {
  return keys
    .map(key => Buffer.from(key))
    .sort(Buffer.compare)
    .map(key => key.toString());
}

const isAfter = (name: string, after: string): boolean =>
  Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0;

function maxKeysOf(query: URLSearchParams): number {
  const given = query.get('max-keys') ?? String(MAX_KEYS);
  if (!/^\d{1,9}$/.test(given)) {
    throw new ApiError(
      'InvalidArgument',
      `max-keys: expected a whole number from 0 to ${MAX_KEYS}, got ${JSON.stringify(given)}`,
    );
  }
  return Math.min(Number(given), MAX_KEYS);
}

function encoderOf(query: URLSearchParams): (text: string) => string {
  const type = query.get('encoding-type');
  if (type === null) return text => text;
  if (type === 'url') return text => encodeURIComponent(text).replaceAll('%2F', '/');
  throw new ApiError('InvalidArgument', `encoding-type: expected url, got ${JSON.stringify(type)}`);
}

const tokenOf = (name: string): string => Buffer.from(JSON.stringify([name])).toString('base64url');

function keyOfToken(token: string): string {
  try {
    const [name] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    if (typeof name === 'string') return name;
  } catch {}
  throw new ApiError('InvalidArgument', 'The continuation token provided is incorrect');
}
