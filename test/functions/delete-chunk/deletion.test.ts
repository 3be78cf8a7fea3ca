import {
  type Deletion,
  deleteKeys,
  NO_DELETION,
  type SendBatch,
} from '../../../functions/delete-chunk/deletion.ts';
import type { ExpiredKey } from '../../../statemachine/contract/keys.ts';

const KEYS: ExpiredKey[] = Array.from({ length: 25 }, (_unused, index) => ({
  key: { id: { S: `item-${index}` } },
  ttl: 1_795_165_200,
}));

function failure(name: string, more: object = {}): Error {
  return Object.assign(new Error(name), { name }, more);
}

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

test('sends one batch when nothing is wrong', async () => {
  const { send, sizes } = refusing();
  expect(await deleteKeys(KEYS, send)).toEqual({ ...NO_DELETION, deleted: 25 });
  expect(sizes).toEqual([25]);
});

test('sends nothing for no keys', async () => {
  const { send, sizes } = refusing();
  expect(await deleteKeys([], send)).toEqual(NO_DELETION);
  expect(sizes).toEqual([]);
});

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
  const send = async (): Promise<Deletion> => {
    throw failure(name, more);
  };
  expect(await deleteKeys(KEYS, send)).toEqual({ ...NO_DELETION, throttled, unprocessed: KEYS });
});

test.each([
  [[0]],
  [[24]],
  [[3, 17]],
  [[0, 1, 2, 3]],
  [Array.from({ length: 25 }, (_unused, index) => index)],
])('isolates the keys %p that DynamoDB refuses, and deletes the others', async bad => {
  const { send } = refusing(...bad);
  const outcome = await deleteKeys(KEYS, send);
  expect(outcome.deleted).toBe(25 - bad.length);
  expect(outcome.failed).toEqual(bad.map(index => ({ key: KEYS[index]?.key, reason: 'ValidationError' })));
  expect(outcome.unprocessed).toEqual([]);
});

test('isolating one key takes few calls', async () => {
  const { send, sizes } = refusing(7);
  await deleteKeys(KEYS, send);
  expect(sizes.length).toBeLessThanOrEqual(11);
});

test('a part that is throttled while another is isolated is left unprocessed', async () => {
  const send: SendBatch = async keys => {
    if (keys.length === 25) throw failure('ValidationException');
    if (keys.length === 13) throw failure('ThrottlingException');
    return { ...NO_DELETION, deleted: keys.length };
  };
  expect(await deleteKeys(KEYS, send)).toEqual({
    ...NO_DELETION,
    deleted: 12,
    throttled: 13,
    unprocessed: KEYS.slice(0, 13),
  });
});

test.each(['AccessDeniedException', 'ResourceNotFoundException', 'TypeError'])(
  'fails with %s',
  async name => {
    const send = async (): Promise<Deletion> => {
      throw failure(name);
    };
    await expect(deleteKeys(KEYS, send)).rejects.toMatchObject({ name });
  },
);
