import fc from 'fast-check';
import { keysThatFit, toChunks } from '../../../functions/query-expired/page.ts';
import type { Chunk } from '../../../statemachine/contract/chunks.ts';
import type { ExpiredKey, ItemKey } from '../../../statemachine/contract/keys.ts';
import { CHILD_LISTED_KEYS_BYTES, CHUNK_KEYS, PAGE_KEYS } from '../../../statemachine/contract/limits.ts';
import { anyCharacter } from '../../support/arbitraries.ts';
import { childProgress } from '../../support/sweep-reports.ts';

const expired = (key: ItemKey): ExpiredKey => ({ key, ttl: 1_795_165_200 });
const key = (text: string): ExpiredKey => expired({ id: { S: text } });
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Source: Step Functions quotas, "Maximum input or output size for a task, state, or execution". */
const STATE_PAYLOAD_BYTES = 256 * 1024;

describe('keysThatFit', () => {
  const keys = [key('a'), key('b'), key('c')];
  const one = bytes(keys[0]);

  test.each([
    ['all of them', 3 * one, 3],
    ['one byte too few for the third', 3 * one - 1, 2],
    ['exactly one', one, 1],
    ['not even one: one all the same, or nothing would ever move', one - 1, 1],
  ])('%s', (_name, most, expected) => expect(keysThatFit(keys, most)).toBe(expected));

  test('counts bytes as they stand in JSON, not characters', () => {
    expect(keysThatFit([key('é'), key('\u0000')], bytes(key('é')) + bytes(key('\u0000')) - 1)).toBe(1);
  });
});

describe('a page stays below the payload of a state', () => {
  // The largest keys DynamoDB takes, in characters that JSON writes with six.
  const LARGEST: [string, ItemKey][] = [
    ['short keys', { id: { S: 'alice' } }],
    ['the largest keys', { p: { S: 'x'.repeat(2048) }, s: { S: 'y'.repeat(1024) } }],
    [
      'the largest keys, every character escaped',
      { p: { S: '\u0001'.repeat(2048) }, s: { S: '\u0001'.repeat(1024) } },
    ],
    [
      'the largest bytes',
      { p: { B: Buffer.alloc(2048).toString('base64') }, s: { B: Buffer.alloc(1024).toString('base64') } },
    ],
  ];

  test.each(LARGEST)('with %s', (_name, largest) => {
    const keys = new Array<ExpiredKey>(PAGE_KEYS).fill(expired(largest));
    const page = keys.slice(0, keysThatFit(keys));
    const listed = (reason: string) => ({ key: largest, reason });
    const filling = Math.floor(CHILD_LISTED_KEYS_BYTES / bytes(listed('Unprocessed')));
    const listedFailures = (reason: string) =>
      new Array(Math.max(1, Math.min(20, filling))).fill(listed(reason));
    const progress = childProgress(
      {
        target: {
          windows: new Array(2).fill({ start: 1_795_165_200, shards: '1000' }),
          from: 1_600_000_000,
          before: 1_795_165_200,
          upcomingFrom: null,
        },
        listedKeysBytes: CHILD_LISTED_KEYS_BYTES,
      },
      {
        poll: { position: { indexKey: 1, key: { ...largest, ttl: { N: '1795165200' } } } },
        deferred: { keys: listedFailures('Unprocessed') },
        counts: {
          failedKeys: listedFailures('AccessDeniedException'),
          lagCounts: Object.fromEntries(
            Array.from({ length: 100 }, (_unused, bucket) => [bucket, 1_000_000]),
          ),
        },
      },
    );
    const chunk: Chunk = {
      next: 'delete',
      until: '2026-11-20T09:00:00Z',
      timeoutSeconds: 15,
      deadline: '2026-11-20T09:00:00.000Z',
      cutoff: 1_795_165_200,
      once: false,
      keys: [],
      progress: null,
    };
    const asOutput = {
      next: 'delete',
      until: '2026-11-20T09:00:00Z',
      timeoutSeconds: 10,
      upcoming: [],
      results: [],
      result: null,
      chunks: toChunks(page).map(chunkKeys => ({ ...chunk, keys: chunkKeys })),
      progress,
    };
    const allFailed = {
      ...asOutput,
      chunks: [],
      results: toChunks(page).map(chunkKeys => ({
        ...chunk,
        progress: {
          attempts: 19,
          deleted: 0,
          renewed: 0,
          notFound: 0,
          retryAtMs: 1_795_165_200_000,
          lagCounts: {},
          lagMaxMs: 0,
          failed: chunkKeys.map(each => ({ key: each.key, reason: 'ItemCollectionSizeLimitExceeded' })),
        },
      })),
    };
    expect(bytes(asOutput)).toBeLessThan(STATE_PAYLOAD_BYTES);
    expect(bytes(allFailed)).toBeLessThan(STATE_PAYLOAD_BYTES);
    expect(page.length).toBeGreaterThan(0);
  });

  test('for any keys', () => {
    const anyKey = fc.string({ maxLength: 2048, unit: anyCharacter }).map(key);
    fc.assert(
      fc.property(fc.array(anyKey, { minLength: 1, maxLength: 100 }), keys => {
        const page = keys.slice(0, keysThatFit(keys, 5000));
        expect(page.length === 1 || bytes(page) <= 5000 + page.length + 1).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

test.each([
  [0, []],
  [1, [1]],
  [24, [24]],
  [25, [25]],
  [26, [25, 1]],
  [1000, new Array(40).fill(25)],
])('%d keys make chunks of %p', (count, sizes) => {
  const keys = Array.from({ length: count }, (_unused, index) => key(String(index)));
  const chunks = toChunks(keys);
  expect(chunks.map(chunk => chunk.length)).toEqual(sizes);
  expect(chunks.flat()).toEqual(keys);
  expect(CHUNK_KEYS).toBe(25);
});
