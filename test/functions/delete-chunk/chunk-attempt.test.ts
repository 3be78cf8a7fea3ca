import { attemptChunk, type ChunkAttemptOptions } from '../../../functions/delete-chunk/chunk-attempt.ts';
import { type Deletion, NO_DELETION } from '../../../functions/delete-chunk/deletion.ts';
import type { Chunk, ChunkProgress } from '../../../statemachine/contract/chunks.ts';
import type { ExpiredKey } from '../../../statemachine/contract/keys.ts';

const NOW = Date.parse('2026-11-20T09:00:10.400Z');
const KEYS: ExpiredKey[] = ['a', 'b', 'c'].map(id => ({ key: { id: { S: id } }, ttl: NOW / 1000 }));

function chunk(overrides: Partial<Chunk> = {}): Chunk {
  return {
    next: 'delete',
    until: null,
    timeoutSeconds: 15,
    deadline: new Date(NOW + 60_000).toISOString(),
    cutoff: NOW / 1000,
    once: false,
    keys: KEYS,
    progress: null,
    ...overrides,
  };
}

const tried = (attempts: number, more: Partial<ChunkProgress> = {}): ChunkProgress => ({
  attempts,
  retries: attempts - 1,
  deleted: 1,
  renewed: 1,
  notFound: 1,
  throttled: 0,
  failed: [{ key: { id: { S: 'x' } }, reason: 'ValidationError' }],
  lagCounts: { 3: 1 },
  lagMaxMs: 30,
  retryAtMs: 0,
  ...more,
});

interface Attempt {
  readonly given: Chunk;
  readonly outcome?: Partial<Deletion>;
  readonly now?: number;
}

/** One attempt with waits of half of what they may be: 0.5, 1, 2 … 10 seconds. */
async function attempt({ given, outcome = {}, now = NOW }: Attempt) {
  const sent: (readonly ExpiredKey[])[] = [];
  const slept: number[] = [];
  let time = now;
  const options: ChunkAttemptOptions = {
    settings: { deleteAttempts: 5, backoffBaseSeconds: 1, backoffCapSeconds: 20 },
    send: async keys => {
      sent.push(keys);
      return { ...NO_DELETION, ...outcome };
    },
    onFailed: () => undefined,
    clock: () => time,
    random: () => 0.5,
    sleep: async ms => {
      slept.push(ms);
      time += ms;
    },
  };
  return { answer: await attemptChunk(given, options), sent, slept };
}

const throttled = { deleted: 1, unprocessed: KEYS.slice(1) };

test('is done when no key is left', async () => {
  const { answer, sent, slept } = await attempt({ given: chunk(), outcome: { deleted: 3 } });
  expect(answer).toMatchObject({
    next: 'done',
    until: null,
    keys: [],
    progress: { attempts: 1, deleted: 3 },
  });
  expect([sent, slept]).toEqual([[KEYS], []]);
});

test('waits until a whole second with the unprocessed keys and no others, and keeps its own moment', async () => {
  const { answer } = await attempt({ given: chunk(), outcome: throttled });
  expect(answer).toMatchObject({
    next: 'wait',
    until: '2026-11-20T09:00:10Z',
    keys: KEYS.slice(1),
    progress: { attempts: 1, deleted: 1, retryAtMs: NOW + 500 },
  });
});

test.each([
  ['one attempt only', chunk({ once: true }), 'done'],
  ['the last but one attempt', chunk({ progress: tried(3) }), 'wait'],
  ['the last attempt', chunk({ progress: tried(4) }), 'done'],
  // The wait after a first attempt is half a second here.
  ['a wait that ends before the deadline', chunk({ deadline: new Date(NOW + 501).toISOString() }), 'wait'],
  ['a wait that does not', chunk({ deadline: new Date(NOW + 500).toISOString() }), 'done'],
] as const)('after %s is %s', async (_name, given, next) => {
  expect((await attempt({ given, outcome: throttled })).answer).toMatchObject({ next, keys: KEYS.slice(1) });
});

test('adds to what earlier attempts came to', async () => {
  const failed = [{ key: { id: { S: 'y' } }, reason: 'AccessDenied' }];
  const outcome = { deleted: 1, renewed: 1, notFound: 1, failed, lagCounts: { 3: 1, 9: 1 }, lagMaxMs: 90 };
  const { answer } = await attempt({ given: chunk({ progress: tried(2) }), outcome });
  expect(answer.progress).toMatchObject({
    attempts: 3,
    retries: 2,
    deleted: 2,
    renewed: 2,
    notFound: 2,
    lagCounts: { 3: 2, 9: 1 },
    lagMaxMs: 90,
  });
  expect(answer.progress?.failed.map(({ reason }) => reason)).toEqual(['ValidationError', 'AccessDenied']);
});

test('sleeps what the wait has left of its second, and no more', async () => {
  const progress = tried(1, { retryAtMs: NOW + 300 });
  expect((await attempt({ given: chunk({ progress }) })).slept).toEqual([300]);
});

test.each([
  ['a millisecond before', -1, 1],
  ['at', 0, 0],
  ['after', 5000, 0],
])('%s its deadline makes %p more calls', async (_name, lateMs, calls) => {
  const given = chunk({ deadline: new Date(NOW).toISOString() });
  const { answer, sent } = await attempt({ given, now: NOW + lateMs, outcome: { deleted: 3 } });
  expect(sent).toHaveLength(calls);
  expect(answer).toMatchObject({ next: 'done', keys: calls === 0 ? KEYS : [] });
});
