import { attemptChunk, type ChunkAttemptOptions } from '../../../functions/delete-chunk/chunk-attempt.ts';
import { type Deletion, NO_DELETION } from '../../../functions/delete-chunk/deletion.ts';
import { backoffMs, sleepRest, waitUntil } from '../../../functions/retry/backoff.ts';
import { JournalUnreadableError } from '../../../functions/runtime/errors.ts';
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
    planned: false,
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
  /** When the state was entered, by the machine's clock. */
  readonly now?: number;
  /** The function's own clock. @default the machine's */
  readonly own?: number;
  readonly isPaused?: () => Promise<boolean>;
  readonly marginSeconds?: number;
}

/** One attempt with waits of half of what they may be: 0.5, 1, 2, 4, 4 … seconds. */
async function attempt({ given, outcome = {}, now = NOW, own = now, isPaused, marginSeconds = 0 }: Attempt) {
  const sent: (readonly ExpiredKey[])[] = [];
  const slept: number[] = [];
  let time = own;
  const options: ChunkAttemptOptions = {
    settings: { marginSeconds },
    isPaused: isPaused ?? (async () => false),
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
  return {
    answer: await attemptChunk({ chunk: given, now: new Date(now).toISOString() }, options),
    sent,
    slept,
  };
}

const throttled = { deleted: 1, unprocessed: KEYS.slice(1) };

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
  ['many attempts', chunk({ progress: tried(40) }), 'wait'],
  // The wait after a first attempt is half a second here.
  ['a wait that ends before the deadline', chunk({ deadline: new Date(NOW + 501).toISOString() }), 'wait'],
  ['a wait that does not', chunk({ deadline: new Date(NOW + 500).toISOString() }), 'done'],
] as const)('after %s is %s', async (_name, given, next) => {
  expect((await attempt({ given, outcome: throttled })).answer).toMatchObject({ next, keys: KEYS.slice(1) });
});

test.each([
  ['five seconds after it began', chunk(), NOW + 5_000],
  ['no later than it was', chunk({ deadline: new Date(NOW + 4_000).toISOString() }), NOW + 4_000],
  ['left alone by another one', chunk({ progress: tried(1) }), NOW + 60_000],
] as const)('the deadline after a first attempt is %s', async (_name, given, deadline) => {
  const { answer } = await attempt({ given, outcome: throttled });
  expect(answer).toMatchObject({ next: 'wait', deadline: new Date(deadline).toISOString() });
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
  ['a millisecond before', -1, 0, 1],
  // The machine's clock decides whether there is time, not the function's own.
  ['a millisecond before, by a clock that is a day ahead,', -1, 86_400_000, 1],
  ['at', 0, 0, 0],
  ['at, by a clock that is a day behind,', 0, -86_400_000, 0],
])(
  '%s its deadline (%d ms, own clock %d ms ahead) it makes %d calls',
  async (_name, lateMs, aheadMs, calls) => {
    const given = chunk({ deadline: new Date(NOW).toISOString() });
    const now = NOW + lateMs;
    const { answer, sent, slept } = await attempt({
      given,
      now,
      own: now + aheadMs,
      outcome: { deleted: 3 },
    });
    expect([sent.length, slept]).toEqual([calls, []]);
    expect(answer).toMatchObject({ next: 'done', until: calls === 0 ? given.until : null });
    expect(answer.keys).toEqual(calls === 0 ? KEYS : []);
    expect(answer.progress?.deleted).toBe(calls === 0 ? undefined : 3);
  },
);

describe('a planned chunk', () => {
  const planned = (cutoff: number, more: Partial<Chunk> = {}) =>
    chunk({ planned: true, cutoff: NOW / 1000 + cutoff, ...more });

  test.each<[string, number, Chunk, Partial<Attempt>, number[], number]>([
    ['whose second has come by both clocks deletes', 0, planned(0), {}, [], 1],
    ['sleeps a little until its own clock is there', -300, planned(0), {}, [300], 1],
    ['leaves a longer wait to the machine', -301, planned(0), {}, [], 0],
    ['waits for the margin, too', 0, planned(-30), { marginSeconds: 30.2 }, [200], 1],
    ['does not wait if its own clock is ahead', 5_000, planned(0), {}, [], 1],
  ])('%s', async (_name, ownAhead, given, more, slept, calls) => {
    const done = await attempt({ given, own: NOW + ownAhead, ...more });
    expect([done.slept.map(Math.round), done.sent.length]).toEqual([slept, calls]);
  });

  test('that waits longer has made no attempt, and keeps its moment by the machine’s clock', async () => {
    const { answer } = await attempt({ given: planned(0), own: NOW - 5_000 });
    expect(answer).toMatchObject({ next: 'wait', until: '2026-11-20T09:00:15Z', keys: KEYS });
    expect(answer.progress).toMatchObject({ attempts: 0, retries: 0, retryAtMs: NOW + 5_000 });
  });

  test('whose wait would end after its deadline is done', async () => {
    const given = planned(0, { deadline: new Date(NOW + 600).toISOString() });
    const { answer, sent } = await attempt({ given, own: NOW - 5_000 });
    expect([answer.next, answer.keys, sent]).toEqual(['done', KEYS, []]);
  });
});

test.each<[string, () => Promise<boolean>]>([
  ['TablePausedError', async () => true],
  ['TypeError', () => Promise.reject(new TypeError('broken'))],
])('a pause is an error of the call, and nothing is deleted: %s', async (name, isPaused) => {
  const attempted = attempt({ given: chunk(), isPaused });
  await expect(attempted).rejects.toMatchObject({ name });
});

test('a pause that cannot be read is asked for again: nothing is deleted', async () => {
  const isPaused = () => Promise.reject(new JournalUnreadableError('no answer'));
  const { answer, sent } = await attempt({ given: chunk(), isPaused });
  expect(sent).toEqual([]);
  expect(answer).toMatchObject({ next: 'wait', keys: KEYS, progress: { attempts: 1, deleted: 0 } });
});

test.each([
  [1, 0, 0],
  [1, 0.5, 500],
  [1, 0.9999, 1000],
  [2, 0.5, 1000],
  [4, 0.5, 4000],
  [5, 0.5, 4000],
  [2000, 0.5, 4000],
])('after attempt %d, by chance %d, waits %d ms', (attempts, random, expected) => {
  expect(backoffMs(attempts, () => random)).toBe(expected);
});

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [1_795_165_200, '2026-11-20T09:00:00Z'],
  [1_795_165_200.999, '2026-11-20T09:00:00Z'],
])('waits until %d as %s', (epochSeconds, expected) => expect(waitUntil(epochSeconds)).toBe(expected));

test.each([
  [1000, 1000, []],
  [1000, 1500, []],
  [1000, 300, [700]],
  [5000, 1000, [999]], // never longer than what a Wait can leave
])('until %d, at %d, sleeps %p', async (untilMs, nowMs, expected) => {
  const slept: number[] = [];
  await sleepRest(untilMs, nowMs, async ms => void slept.push(ms));
  expect(slept).toEqual(expected);
});
