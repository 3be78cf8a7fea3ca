import {
  type Deletion,
  deleteKeys,
  guardedBatch,
  NO_DELETION,
  type SendBatch,
  unguardedBatch,
} from '../../../functions/delete-chunk/deletion.ts';
import { lagOf } from '../../../functions/report/lag.ts';
import type { ExpiredKey } from '../../../statemachine/contract/keys.ts';
import { settingsOf } from '../../support/configs.ts';

const TTL = 1_795_165_200;
const KEYS: ExpiredKey[] = Array.from({ length: 25 }, (_unused, index) => ({
  key: { id: { S: `item-${index}` } },
  ttl: TTL,
}));

const failure = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });

/** Deletes everything, but refuses any batch that holds one of these keys. */
function refusing(...bad: number[]): { send: SendBatch; sizes: number[] } {
  const sizes: number[] = [];
  const send: SendBatch = async keys => {
    sizes.push(keys.length);
    if (keys.some(key => bad.some(index => key === KEYS[index]))) throw failure('ValidationException');
    return { ...NO_DELETION, deleted: keys.length };
  };
  return { send, sizes };
}

test.each([
  ['ProvisionedThroughputExceededException', {}, 25],
  ['ThrottlingException', {}, 25],
  ['RequestLimitExceeded', {}, 25],
  // Without a want of capacity nothing is gained by slowing down.
  ['ReplicatedWriteConflictException', {}, 0],
  ['InternalServerError', {}, 0],
  ['TimeoutError', {}, 0],
  ['Error', { code: 'ECONNRESET' }, 0],
  ['UnknownError', { $metadata: { httpStatusCode: 503 } }, 0],
  ['UnknownError', { $metadata: { httpStatusCode: 429 } }, 0],
])('leaves all keys unprocessed after %s %p, %i of them throttled', async (name, more, throttled) => {
  const send = () => Promise.reject(failure(name, more));
  expect(await deleteKeys(KEYS, send)).toEqual({ ...NO_DELETION, throttled, unprocessed: KEYS });
});

test.each([
  [[], 1],
  [[0], 11],
  [[24], 11],
  [[3, 17], 21],
  [KEYS.map((_key, index) => index), 49],
])(
  'isolates the keys %p that DynamoDB refuses in at most %d calls, and deletes the others',
  async (bad, calls) => {
    const { send, sizes } = refusing(...bad);
    const outcome = await deleteKeys(KEYS, send);
    expect(outcome.deleted).toBe(25 - bad.length);
    expect(outcome.failed).toEqual(bad.map(index => ({ key: KEYS[index]?.key, reason: 'ValidationError' })));
    expect(outcome.unprocessed).toEqual([]);
    expect(sizes.length).toBeLessThanOrEqual(calls);
  },
);

test('a part that is throttled while another is isolated is left unprocessed', async () => {
  const send: SendBatch = async keys => {
    if (keys.length === 25) throw failure('ValidationException');
    if (keys.length === 13) throw failure('ThrottlingException');
    return { ...NO_DELETION, deleted: keys.length };
  };
  const unprocessed = KEYS.slice(0, 13);
  expect(await deleteKeys(KEYS, send)).toEqual({ ...NO_DELETION, deleted: 12, throttled: 13, unprocessed });
});

test.each(['AccessDeniedException', 'ResourceNotFoundException', 'TypeError'])(
  'fails with %s',
  async name => {
    await expect(deleteKeys(KEYS, () => Promise.reject(failure(name)))).rejects.toMatchObject({ name });
  },
);

/** Three keys, of which the second is a minute late, of a table whose DynamoDB answers this, 250 ms after the first was due. */
function answered(batch: typeof guardedBatch | 'unguarded', answer: object): Promise<Deletion> {
  const settings = settingsOf({ tableName: 'Sessions', partitionKey: 'id' });
  const documents = { send: async () => answer } as never;
  const clock = () => TTL * 1000 + 250;
  const keys = KEYS.slice(0, 3).map((key, index) => ({ ...key, ttl: index === 1 ? TTL - 60 : TTL }));
  return batch === 'unguarded'
    ? unguardedBatch(documents, settings, clock)(keys)
    : batch(documents, settings, TTL, clock)(keys);
}

test.each([
  ['ProvisionedThroughputExceeded', 'unprocessed', 1],
  ['ThrottlingError', 'unprocessed', 1],
  ['RequestLimitExceeded', 'unprocessed', 1],
  ['InternalServerError', 'unprocessed', 0],
  ['TransactionConflict', 'unprocessed', 0],
  ['ConditionalCheckFailed', 'renewed', 0],
  ['ItemCollectionSizeLimitExceeded', 'failed', 0],
  ['ValidationError', 'failed', 0],
  ['AccessDenied', 'failed', 0],
  ['ResourceNotFound', 'failed', 0],
  ['DuplicateItem', 'failed', 0],
] as const)('a statement that fails with %s leaves its key %s', async (Code, fate, throttled) => {
  const done = await answered(guardedBatch, { Responses: [{ Item: { id: 'a' } }, { Error: { Code } }, {}] });
  expect(done).toMatchObject({
    ...{ deleted: 1, renewed: fate === 'renewed' ? 1 : 0, notFound: 1, throttled, lagMaxMs: 250 },
    unprocessed: fate === 'unprocessed' ? [{ key: KEYS[1]?.key }] : [],
    failed: fate === 'failed' ? [{ key: KEYS[1]?.key, reason: Code }] : [],
  });
});

test('keys of which an answer says nothing are unprocessed', async () => {
  const { unprocessed } = await answered(guardedBatch, { Responses: [{ Item: { id: 'a' } }] });
  expect(unprocessed).toHaveLength(2);
});

test('a batch has deleted all that DynamoDB did not leave, and says how late', async () => {
  const left = { DeleteRequest: { Key: { id: 'item-2' } } };
  expect(await answered('unguarded', { UnprocessedItems: { Sessions: [left] } })).toEqual({
    ...{ ...NO_DELETION, deleted: 2, throttled: 1, unprocessed: KEYS.slice(2, 3) },
    ...lagOf([TTL, TTL - 60], TTL * 1000 + 250),
  });
});
