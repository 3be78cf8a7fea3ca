import { expiryModel } from '../../../expiry/model.ts';
import { queryTimeoutSeconds } from '../../../functions/child/query-timeout.ts';
import { nextStep } from '../../../functions/query-expired/next-step.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import { requestTimeoutMs } from '../../../functions/table/dynamodb.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import {
  type Chunk,
  type ChunkProgress,
  type ExpiredKey,
  FUNCTION_TIMEOUT_SECONDS,
  MAX_CHILD_SECONDS,
  type SweepTarget,
} from '../../../statemachine/contract.ts';
import { childProgress, type Progressed } from '../../support/child-progress.ts';

const MINUTE = Date.parse('2026-11-20T09:01:00Z') / 1000;
const iso = (offset: number) => new Date((MINUTE + offset) * 1000).toISOString();
const second = (offset: number) => iso(Math.floor(offset)).replace('.000', '');

const UPCOMING: SweepTarget = {
  windows: [{ start: MINUTE, shards: '0' }],
  from: MINUTE - 100_000,
  before: MINUTE + 60,
  upcomingFrom: MINUTE,
};
const BACK: SweepTarget = { ...UPCOMING, before: MINUTE - 29, upcomingFrom: null };

const keyAt = (offset: number, id = `at${offset}`): ExpiredKey => ({
  key: { id: { S: id } },
  ttl: MINUTE + offset,
});

/** What an attempt at a chunk came to that deleted all it was given but these keys. */
function result(
  keys: readonly ExpiredKey[],
  more: Partial<Chunk> = {},
  counts: Partial<ChunkProgress> = {},
): Chunk {
  return {
    next: 'done',
    until: null,
    timeoutSeconds: 2,
    deadline: iso(300),
    cutoff: MINUTE,
    once: true,
    keys,
    progress: {
      attempts: 1,
      retries: 0,
      deleted: 0,
      renewed: 0,
      held: 0,
      notFound: 0,
      throttled: 0,
      failed: [],
      lagCounts: {},
      lagMaxMs: 0,
      retryAtMs: 0,
      ...counts,
    },
    ...more,
  };
}

interface Given {
  readonly target?: SweepTarget;
  readonly progress?: Progressed;
  readonly results?: readonly Chunk[];
  /** Seconds after the minute's start. */
  readonly now: number;
  readonly startedAt?: number;
  /** TTLs, seconds after the minute's start; 'busy' for a DynamoDB that throttles. */
  readonly index?: readonly number[] | 'busy';
  readonly random?: number;
  /** How far DynamoDB's clock is ahead of the machine's, seconds. */
  readonly dynamoDbAhead?: number;
}

async function decide({
  target = UPCOMING,
  progress = {},
  results = [],
  now,
  startedAt = -60,
  index = [],
  random = 0.5,
  dynamoDbAhead = 0,
}: Given) {
  const slept: number[] = [];
  let queries = 0;
  const readIndex: ReadIndex = async (_window, { from, upTo }, startKey, limit) => {
    queries += 1;
    if (index === 'busy') throw new DynamoDbBusyError('throttled');
    const all = index.map(offset => keyAt(offset)).filter(({ ttl }) => ttl >= from && ttl <= upTo);
    const behind =
      startKey === null ? -1 : all.findIndex(({ key }) => JSON.stringify(key) === JSON.stringify(startKey));
    const entries = all.slice(behind + 1, behind + 1 + limit);
    return {
      entries,
      positions: entries.map(({ key }) => key),
      more: behind + 1 + limit < all.length,
      readAt: MINUTE + Math.floor(now + dynamoDbAhead),
    };
  };
  const answer = await nextStep(
    {
      progress: childProgress({ target }, progress),
      results,
      startedAt: iso(startedAt),
      now: iso(now),
    },
    {
      pace: {
        precisionSeconds: 1,
        pollSeconds: 0,
        deleteAttempts: 5,
        backoffBaseSeconds: 1,
        backoffCapSeconds: 20,
        graceSeconds: 0,
      },
      layout: indexLayout(expiryModel({ partitionKey: 'id' })),
      readIndex,
      showKey: key => key,
      random: () => random,
      sleep: async ms => void slept.push(ms),
      clock: () => 0,
    },
  );
  return { ...answer, slept, queries };
}

const offsets = ({ chunks }: { chunks: readonly Chunk[] }) =>
  chunks.flatMap(({ keys }) => keys.map(({ ttl }) => ttl - MINUTE));

describe('a poll that is due', () => {
  test('deletes what is expired, then waits for what expires next', async () => {
    const answer = await decide({ now: 0.1, index: [-1, 0, 7] });
    expect(answer).toMatchObject({ next: 'delete', afterwards: 'wait', until: second(7) });
    expect(answer.progress).toMatchObject({
      poll: { seen: MINUTE, nextAt: MINUTE + 7, lastDue: 2 },
      counts: { inFlight: 2 },
    });
    expect(offsets(answer)).toEqual([-1, 0]);
    expect(answer.chunks[0]).toMatchObject({ next: 'delete', once: true, timeoutSeconds: 2, cutoff: MINUTE });
  });

  test('with nothing behind it is followed by a call that adds up', async () => {
    expect(await decide({ now: 0, index: [0] })).toMatchObject({ next: 'delete', afterwards: 'query' });
  });

  test('that finds nothing waits for what expires next', async () => {
    expect(await decide({ now: 0, index: [30] })).toMatchObject({ next: 'wait', until: second(30) });
  });

  test('that finds nothing, with nothing behind it, ends the child', async () => {
    const { next, result: end } = await decide({ now: 0 });
    expect(next).toBe('end');
    expect(end).toMatchObject({ complete: true, interrupted: false, found: 0 });
  });

  test.each([
    ['while the minute is on', UPCOMING, 59, { once: true, timeoutSeconds: 2 }],
    ['at its end', UPCOMING, 60, { once: false, timeoutSeconds: 15 }],
    ['of a target that lies back', BACK, 59, { once: false, timeoutSeconds: 15 }],
  ])('%s makes chunks of %p', async (_name, target, now, expected) => {
    const { chunks } = await decide({ target, now, index: [-40, 20] });
    expect(chunks[0]).toMatchObject(expected);
  });

  test('gives each chunk the deadline that the child has', async () => {
    const { chunks } = await decide({ now: 0, startedAt: -33, index: [0] });
    expect(chunks[0]?.deadline).toBe(iso(MAX_CHILD_SECONDS - 33));
  });

  test('before its time waits on', async () => {
    const answer = await decide({ now: 4.9, progress: { poll: { nextAt: MINUTE + 5 } }, index: [5] });
    expect(answer).toMatchObject({ next: 'wait', until: second(5), queries: 0 });
  });
});

describe('what DeleteChunks came to', () => {
  test('is added up, every key once', async () => {
    const results = [
      result(
        [],
        {},
        {
          deleted: 20,
          renewed: 2,
          notFound: 1,
          attempts: 3,
          retries: 2,
          lagCounts: { 1: 20 },
          lagMaxMs: 18,
        },
      ),
      result([], {}, { failed: [{ key: keyAt(1).key, reason: 'ValidationError' }] }),
    ];
    const { result: end } = await decide({
      now: 1,
      progress: { poll: { nextAt: null }, counts: { deleted: 5, inFlight: 24 } },
      results,
    });
    expect(end).toMatchObject({
      found: 29,
      deleted: 25,
      renewed: 2,
      notFound: 1,
      failed: 1,
      retries: 2,
      lagCounts: { 1: 20 },
      lagMaxMs: 18,
      complete: false,
      interrupted: false,
    });
    expect(end?.failedKeys).toEqual([{ key: keyAt(1).key, reason: 'ValidationError' }]);
  });

  test('of a function that failed for good is failed keys, with its error', async () => {
    const results = [result([keyAt(1)], { error: 'AccessDeniedException', progress: null })];
    const { result: end } = await decide({ now: 1, progress: { poll: { nextAt: null } }, results });
    expect(end).toMatchObject({ found: 1, failed: 1, failedKeys: [{ reason: 'AccessDeniedException' }] });
  });

  const TRANSIENT = ['States.Timeout', 'Lambda.TooManyRequestsException', 'Sandbox.Timedout'];

  test.each(TRANSIENT)(
    'of a function that ended with %s is a chunk to try again after a wait',
    async error => {
      const failed = result(
        [keyAt(-40)],
        { error, once: false, next: 'delete' },
        { attempts: 2, retries: 1, deleted: 3 },
      );
      const done = result([], { once: false }, { deleted: 25 });
      const progress = { poll: { nextAt: null, seen: MINUTE - 30 } };
      const answer = await decide({ target: BACK, now: 1, progress, results: [failed, done] });
      expect(answer).toMatchObject({ next: 'delete', afterwards: 'query', queries: 0 });
      expect(answer.progress).toMatchObject({
        deferred: { count: 0 },
        counts: { deleted: 28, retries: 2, inFlight: 1 },
      });
      expect(answer.chunks).toHaveLength(1);
      expect(answer.chunks[0]).toMatchObject({
        next: 'wait',
        until: second(3),
        keys: [keyAt(-40)],
        progress: { attempts: 3, retries: 0, deleted: 0, retryAtMs: (MINUTE + 3) * 1000 },
      });
      expect(answer.chunks[0]).not.toHaveProperty('error');
    },
  );

  test.each(TRANSIENT)('of a function that ended with %s in an upcoming minute is deferred', async error => {
    const results = [result([keyAt(1)], { error, progress: null, next: 'delete' })];
    const answer = await decide({
      now: 1.6,
      progress: { poll: { nextAt: MINUTE + 30, seen: MINUTE + 1 } },
      results,
    });
    expect(answer).toMatchObject({
      next: 'wait',
      until: second(2),
      progress: { deferred: { count: 1 }, counts: { retries: 1 } },
    });
  });

  test('of a function that failed as often as it may ends the child, and loses no other chunk', async () => {
    const error = 'Runtime.ExitError';
    const results = [
      result([keyAt(-40, 'last')], { error, once: false }, { attempts: 4 }),
      result([keyAt(-40, 'first')], { error, once: false, progress: null }),
    ];
    const { next, result: end } = await decide({
      target: BACK,
      now: 1,
      progress: { poll: { nextAt: null } },
      results,
    });
    expect(next).toBe('end');
    expect(end).toMatchObject({ found: 2, failed: 2, interrupted: false });
  });
});

describe('deferred keys', () => {
  const SEEN = { poll: { nextAt: MINUTE + 30, seen: MINUTE + 10 } };

  test('get a poll of their own, within a second', async () => {
    const answer = await decide({ now: 10.8, progress: SEEN, results: [result([keyAt(10)])], index: [10] });
    expect(answer).toMatchObject({ next: 'wait', until: second(11), queries: 0, slept: [] });
    expect(answer.progress.deferred).toMatchObject({
      count: 1,
      polls: 1,
      retryAtMs: (MINUTE + 11.3) * 1000,
    });
  });

  test('get it from the same call when it is due in the same second: a Wait cannot end there', async () => {
    const answer = await decide({ now: 10.2, progress: SEEN, results: [result([keyAt(10)])], index: [10] });
    expect(answer).toMatchObject({ next: 'delete', queries: 1, slept: [500] });
    expect(offsets(answer)).toEqual([10]);
  });

  const PENDING = { ...SEEN, deferred: { count: 1, polls: 1, retryAtMs: (MINUTE + 10.7) * 1000 } };

  test('are found by it from the start of the windows, at a moment of their own', async () => {
    const answer = await decide({ now: 10.25, progress: PENDING, index: [9, 10, 30] });
    expect(answer.slept).toEqual([450]);
    expect(offsets(answer)).toEqual([9, 10]);
    expect(answer.progress.deferred).toMatchObject({ count: 0, retryAtMs: null, retriedUpTo: MINUTE + 10 });
    expect(answer).toMatchObject({ afterwards: 'wait', until: second(30) });
  });

  test('do not make a poll for what expires right then wait', async () => {
    const progress = { ...PENDING, poll: { ...SEEN.poll, nextAt: MINUTE + 10 } };
    const answer = await decide({ now: 10.1, progress, index: [9, 10] });
    expect(answer.slept).toEqual([]);
    expect(offsets(answer)).toEqual([9, 10]);
  });

  test('are left alone by a poll before theirs', async () => {
    const progress = {
      poll: { ...SEEN.poll, nextAt: MINUTE + 11 },
      deferred: { ...PENDING.deferred, retryAtMs: (MINUTE + 25) * 1000 },
    };
    const answer = await decide({ now: 11, progress, index: [10, 11, 40] });
    expect(offsets(answer)).toEqual([11]);
    expect(answer).toMatchObject({ until: second(25) });
  });

  test.each([
    [1, 1000],
    [2, 2000],
    [3, 4000],
    [9, 10_000],
  ])('that their poll left again, for the %dth time, wait %d ms', async (polls, waitMs) => {
    const progress = { ...SEEN, deferred: { polls, retriedUpTo: MINUTE + 10 } };
    const answer = await decide({ now: 12, progress, results: [result([keyAt(10)])] });
    expect(answer.progress.deferred).toMatchObject({
      polls: polls + 1,
      retryAtMs: (MINUTE + 12) * 1000 + waitMs,
    });
  });

  test.each([
    ['in a poll before theirs', { retriedUpTo: null, retryAtMs: (MINUTE + 28) * 1000, count: 1 }],
    ['in their own poll', { retriedUpTo: MINUTE + 10, retryAtMs: null }],
  ])('that were not before, %s, do not wait for those that were', async (_name, more) => {
    const progress = { ...SEEN, deferred: { polls: 6, ...more } };
    const results = [result([keyAt(12, 'new')])];
    const answer = await decide({ now: 12.7, progress, results });
    expect(answer.progress.deferred).toMatchObject({ retryAtMs: (MINUTE + 13.2) * 1000, polls: 6 });
  });

  test('that are gone take the waits back to their beginning', async () => {
    const progress = { ...SEEN, deferred: { polls: 6, retriedUpTo: MINUTE + 10 } };
    const { progress: after } = await decide({
      now: 12,
      progress,
      results: [result([], {}, { deleted: 1 })],
    });
    expect(after.deferred.polls).toBe(0);
  });

  test('do not begin a poll in the middle of another', async () => {
    const position = { indexKey: 0, key: keyAt(10).key };
    const answer = await decide({
      now: 10.9,
      progress: { ...PENDING, poll: { ...SEEN.poll, position, seen: null } },
      index: [9, 10, 10.5],
    });
    expect(offsets(answer)).toEqual([]);
    expect(answer.progress.deferred.count).toBe(1);
  });

  test('failed ones are counted by the poll that finds them again, not twice', async () => {
    const failedKeys = [{ key: keyAt(9).key, reason: 'ValidationError' }];
    const answer = await decide({
      now: 10.9,
      progress: { ...PENDING, counts: { failed: 1, failedKeys } },
      index: [9, 10],
    });
    expect(answer.progress.counts).toMatchObject({ failed: 0, failedKeys: [], inFlight: 2 });
  });
});

describe('a DynamoDB that is too busy for a query', () => {
  test.each([
    [0, 500],
    [1, 1000],
    [4, 8000],
    [7, 10_000],
  ])('for the time after %d is given %d ms', async (polls, waitMs) => {
    const { next, progress } = await decide({ now: 0, progress: { busy: { polls } }, index: 'busy' });
    expect(next).toBe('wait');
    expect(progress.busy).toEqual({ polls: polls + 1, untilMs: MINUTE * 1000 + waitMs });
  });

  test.each<[string, Given]>([
    ['a busy one, in an upcoming minute', { now: 0, index: 'busy' }],
    ['a busy one, in a window looked back to', { now: 0, target: BACK, index: 'busy' }],
    ['deletes, which may leave keys', { now: 0, index: [0, 9] }],
    [
      'a retry that is not due',
      {
        now: 0,
        progress: { poll: { nextAt: MINUTE + 9 }, deferred: { retryAtMs: (MINUTE + 3) * 1000 } },
      },
    ],
  ])('that hangs can be told of by a call that slept before, after %s', async (_name, given) => {
    const { progress, timeoutSeconds } = await decide(given);
    const attempts = 2;
    const hangs = attempts * requestTimeoutMs(queryTimeoutSeconds(progress), attempts);
    expect(timeoutSeconds * 1000).toBeGreaterThan(999 + hangs + 300);
    expect(timeoutSeconds).toBeLessThanOrEqual(FUNCTION_TIMEOUT_SECONDS.QueryExpired);
  });

  test('is not asked before that, whatever is due', async () => {
    const progress = {
      busy: { polls: 3, untilMs: (MINUTE + 8.5) * 1000 },
      deferred: { count: 1, retryAtMs: 1 },
    };
    expect(await decide({ now: 7.9, progress })).toMatchObject({
      next: 'wait',
      until: second(8),
      queries: 0,
    });
    expect((await decide({ now: 8, progress, index: [1] })).slept).toEqual([500]);
  });

  test('and then is not any more begins anew', async () => {
    const { progress } = await decide({ now: 0, progress: { busy: { polls: 5 } }, index: [30] });
    expect(progress.busy).toEqual({ polls: 0, untilMs: null });
  });

  test('leaves what is deferred as it is', async () => {
    const deferred = { count: 3, retryAtMs: MINUTE * 1000 };
    const { progress } = await decide({
      now: 0,
      progress: { poll: { seen: MINUTE }, deferred, counts: { failed: 2 } },
      index: 'busy',
    });
    expect(progress).toMatchObject({ deferred, counts: { failed: 2 } });
  });
});

describe('a child', () => {
  const LATE = MAX_CHILD_SECONDS - 60;

  test.each([
    ['a millisecond before its time is up goes on', LATE - 0.001, 'delete'],
    ['whose time is up ends', LATE, 'end'],
  ])('%s', async (_name, now, next) => {
    const progress = { poll: { nextAt: MINUTE + 1 }, counts: { deleted: 1 } };
    expect(await decide({ now, progress, index: [1] })).toMatchObject({ next });
  });

  test('waits for nothing beyond that time', async () => {
    const progress = { poll: { nextAt: null }, deferred: { polls: 9, retriedUpTo: MINUTE + 90 } };
    const answer = await decide({ now: LATE - 1, progress, results: [result([keyAt(50)])], random: 0.99 });
    expect(answer).toMatchObject({ next: 'wait', until: second(LATE) });
  });

  test('does not ask again and again within the second in which its time is up', async () => {
    const progress = { poll: { nextAt: null }, deferred: { polls: 9, retriedUpTo: MINUTE + 90 } };
    const left = { progress, startedAt: -60.1, random: 0.99 };
    const first = await decide({ ...left, now: LATE - 1, results: [result([keyAt(50)])] });
    expect(first).toMatchObject({ next: 'wait', until: second(LATE) });
    expect(await decide({ ...left, now: LATE, progress: first.progress })).toMatchObject({ next: 'end' });
  });

  test.each(['deleted', 'renewed', 'notFound'] as const)(
    'out of time that made progress (%s) hands its target on, without what it did not finish',
    async fate => {
      const progress = {
        poll: { nextAt: MINUTE + 1 },
        deferred: { count: 3 },
        counts: { [fate]: 7, failed: 2 },
      };
      const { result: end } = await decide({ now: LATE, progress });
      expect(end).toMatchObject({
        found: 7,
        [fate]: 7,
        failed: 0,
        complete: false,
        interrupted: false,
        resume: UPCOMING,
      });
    },
  );

  describe('out of time in the middle of what is held', () => {
    const position = { indexKey: 0, key: keyAt(1).key };
    const HELD = { poll: { nextAt: MINUTE + 1, position }, counts: { held: 700 } };

    test('hands on what lies behind it, as often as that gets further', async () => {
      const { result: end } = await decide({ now: LATE, progress: HELD });
      expect(end).toMatchObject({
        found: 700,
        held: 700,
        interrupted: false,
        resume: { ...UPCOMING, position },
      });
    });

    test('begins anew where something else is left before it, and does not count it twice', async () => {
      const progress = { ...HELD, deferred: { count: 1 }, counts: { ...HELD.counts, deleted: 5 } };
      const { result: end } = await decide({ now: LATE, progress });
      expect(end).toMatchObject({ found: 5, deleted: 5, held: 0, resume: UPCOMING });
    });

    test('made no progress by what the next child would find again', async () => {
      const { result: end } = await decide({ now: LATE, progress: { ...HELD, deferred: { count: 1 } } });
      expect(end).toMatchObject({ found: 701, held: 700, failed: 1, interrupted: true });
    });
  });

  test('counts what is held once when a poll for deferred keys finds it again', async () => {
    const { progress } = await decide({
      now: 5,
      progress: {
        poll: { seen: MINUTE + 4 },
        deferred: { count: 1, retryAtMs: (MINUTE + 4) * 1000 },
        counts: { held: 3 },
      },
      index: [1],
    });
    expect(progress.counts.held).toBe(0);
  });

  test('out of time that made none fails what is deferred, and is interrupted when it has more to read', async () => {
    const deferred = { count: 3, keys: [{ key: keyAt(1).key, reason: 'Unprocessed' }] };
    const left = { deferred, counts: { failed: 2 } };
    const unread = await decide({ now: LATE, progress: { ...left, poll: { nextAt: MINUTE + 1 } } });
    expect(unread.result).toMatchObject({ found: 5, failed: 5, interrupted: true, complete: false });
    const read = await decide({ now: LATE, progress: { ...left, poll: { nextAt: null } } });
    expect(read.result).toMatchObject({ found: 5, failed: 5, interrupted: false, complete: false });
    expect(read.result?.failedKeys).toEqual(deferred.keys);
    expect(read.result).not.toHaveProperty('resume');
  });

  test('out of time with nothing left is complete', async () => {
    const { result: end } = await decide({
      now: LATE,
      progress: { poll: { nextAt: null }, counts: { deleted: 7 } },
    });
    expect(end).toMatchObject({ found: 7, complete: true });
  });

  test.each([
    [1, { resume: BACK, found: 1, failed: 0 }],
    [0, { found: 1, failed: 1, failedKeys: [{ key: keyAt(-40).key, reason: 'Unprocessed' }] }],
  ])('whose chunk gave up, with %d deleted, ends with %p', async (deleted, expected) => {
    const results = [result([keyAt(-40)], { once: false }, { deleted, attempts: 5 })];
    const { next, result: end } = await decide({
      target: BACK,
      now: 5,
      progress: { poll: { nextAt: null } },
      results,
    });
    expect(next).toBe('end');
    expect(end).toMatchObject(expected);
  });
});

describe('a child whose part of a limit has ended', () => {
  const limit = { perSecond: 10, credit: 10, before: MINUTE + 60 };
  const position = { indexKey: 0, key: keyAt(-40).key };

  test.each<[string, Progressed, number]>([
    ['a page that it has not read', { poll: { position, nextAt: null } }, 1],
    ['a poll that was due', { poll: { nextAt: MINUTE + 30 } }, 1],
    ['keys that wait for another try', { poll: { nextAt: null }, deferred: { count: 2 } }, 1],
    ['nothing', { poll: { nextAt: null } }, 0],
  ])('leaves %s for later, and is complete', async (_what, progress, leftForLater) => {
    const { next, result: end } = await decide({ now: 62, progress: { ...progress, brake: { limit } } });
    expect([next, end]).toMatchObject(['end', { leftForLater, failed: 0, complete: true }]);
  });
});

describe('a dry run', () => {
  const DRY = { dryRun: true, poll: { nextAt: MINUTE - 100 } };

  test('counts, lists and ends', async () => {
    const answer = await decide({ target: BACK, now: 0, progress: DRY, index: [-40, -35] });
    expect(answer.result).toMatchObject({
      found: 2,
      deleted: 0,
      failed: 0,
      sampleKeys: [keyAt(-40).key, keyAt(-35).key],
      complete: true,
    });
  });

  test('out of time goes on where it was', async () => {
    const position = { indexKey: 0, key: keyAt(-40).key };
    const progress = { ...DRY, poll: { ...DRY.poll, position }, counts: { found: 1000 } };
    const { result: end } = await decide({ target: BACK, now: MAX_CHILD_SECONDS, progress, startedAt: 0 });
    expect(end).toMatchObject({ found: 1000, resume: { ...BACK, position } });
  });
});

describe("the machine waits by its own clock for DynamoDB's", () => {
  test.each([
    ['goes with it', 0, 7],
    ['is five seconds ahead', 5, 2],
    ['is five seconds behind', -5, 12],
    ['is a little behind, in the second before', -0.1, 8],
    ['is a little ahead', 0.1, 7],
  ])('that %s', async (_name, dynamoDbAhead, wait) => {
    const answer = await decide({ now: 0.05, index: [7], dynamoDbAhead });
    expect(answer).toMatchObject({ next: 'wait', until: second(wait), queries: 1 });
  });

  test('a minute goes on until DynamoDB has come to its end', async () => {
    const progress = { poll: { nextAt: MINUTE + 60 } };
    const behind = await decide({ now: 60.05, progress, index: [59], dynamoDbAhead: -5 });
    expect(behind).toMatchObject({ next: 'wait', until: second(64) });
    const together = await decide({ now: 60.05, progress, index: [59] });
    expect(together).toMatchObject({ next: 'delete', progress: { poll: { nextAt: null } } });
  });
});
