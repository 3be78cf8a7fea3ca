import { expiryModel } from '../../../expiry/model.ts';
import type { PollPace } from '../../../functions/child/poll.ts';
import { queryTimeoutSeconds } from '../../../functions/child/query-timeout.ts';
import { nextStep } from '../../../functions/query-expired/next-step.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import { requestTimeoutMs } from '../../../functions/table/dynamodb.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { QueryExpiredOutput } from '../../../statemachine/contract/child.ts';
import type { Chunk, ChunkProgress } from '../../../statemachine/contract/chunks.ts';
import type { ExpiredKey } from '../../../statemachine/contract/keys.ts';
import { MAX_CHILD_SECONDS } from '../../../statemachine/contract/limits.ts';
import {
  FUNCTION_TIMEOUT_SECONDS,
  PRECISE_TIMEOUT_SECONDS,
} from '../../../statemachine/contract/machines.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';
import { childProgress, type Progressed } from '../../support/sweep-reports.ts';
import { windowKeysOf } from '../../support/sweep-settings.ts';

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
  /** TTLs, seconds after the minute's start, of the one window or by window; 'busy' for a DynamoDB that throttles. */
  readonly index?: readonly number[] | Readonly<Record<string, readonly number[]>> | 'busy';
  readonly idOf?: (offset: number) => string;
  readonly random?: number;
  /** How far DynamoDB's clock is ahead of the machine's, seconds. */
  readonly dynamoDbAhead?: number;
  /** How long a query takes, seconds. */
  readonly queryTakes?: number;
  /** The function's clock against the machine's when it begins, seconds. @default far behind */
  readonly functionAhead?: number;
  readonly pace?: Partial<PollPace>;
  /** @default 'batch', in which nothing is planned */
  readonly deleteMode?: 'guarded' | 'batch';
}

async function decide({
  target = UPCOMING,
  progress = {},
  results = [],
  now,
  startedAt = -60,
  index = [],
  idOf = offset => `at${offset}`,
  random = 0.5,
  dynamoDbAhead = 0,
  queryTakes = 0,
  functionAhead,
  pace = {},
  deleteMode = 'batch',
}: Given) {
  let clock = functionAhead === undefined ? 0 : (MINUTE + now + functionAhead) * 1000;
  const slept: number[] = [];
  let queries = 0;
  const readIndex: ReadIndex = async ({ value }, { from, upTo }, startKey, limit) => {
    queries += 1;
    clock += queryTakes * 1000;
    if (index === 'busy') throw new DynamoDbBusyError('throttled');
    const window = Array.isArray(index) ? index : ((index as Record<string, readonly number[]>)[value] ?? []);
    const all = window
      .map((offset: number) => keyAt(offset, idOf(offset)))
      .filter(({ ttl }) => ttl >= from && ttl <= upTo);
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
        deleteMode,
        ...pace,
      },
      layout: indexLayout(expiryModel({ partitionKey: 'id' })),
      readIndex,
      showKey: key => key,
      random: () => random,
      sleep: async ms => void slept.push(ms),
      clock: () => clock,
    },
  );
  return { ...answer, slept, queries };
}

const offsets = ({ chunks }: { chunks: readonly Chunk[] }) =>
  chunks.flatMap(({ keys }) => keys.map(({ ttl }) => ttl - MINUTE));

describe('a poll that is due', () => {
  test('deletes what is expired, then waits for what expires next', async () => {
    const answer = await decide({ now: 0.1, index: [-1, 0, 7] });
    expect(answer).toMatchObject({ next: 'delete', upcoming: [{ until: second(7), chunks: [] }] });
    expect(answer.progress).toMatchObject({
      poll: { seen: MINUTE, nextAt: MINUTE + 7, lastDue: 2 },
      counts: { inFlight: 2 },
    });
    expect(offsets(answer)).toEqual([-1, 0]);
    expect(answer.chunks[0]).toMatchObject({ next: 'delete', once: true, timeoutSeconds: 2, cutoff: MINUTE });
  });

  test('with nothing behind it is followed by a call that adds up', async () => {
    expect(await decide({ now: 0, index: [0] })).toMatchObject({ next: 'delete', upcoming: [] });
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
      expect(answer).toMatchObject({ next: 'delete', upcoming: [], queries: 0 });
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
    expect(answer).toMatchObject({ upcoming: [{ until: second(30), chunks: [] }] });
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
    expect(answer).toMatchObject({ upcoming: [{ until: second(25), chunks: [] }] });
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

describe('what expires next', () => {
  const guarded = { deleteMode: 'guarded' } as const;
  const plannedAt = ({ upcoming }: Pick<QueryExpiredOutput, 'upcoming'>) =>
    upcoming.map(step => [step.until, offsets(step)]);
  const LATER = (offset: number) => [second(offset), []];

  test('is handed on with what is due, each with its moment', async () => {
    const answer = await decide({ ...guarded, now: 0.05, index: [-1, 0, 7, 7, 9, 40] });
    expect(answer.next).toBe('delete');
    expect(offsets(answer)).toEqual([-1, 0]);
    expect(plannedAt(answer)).toEqual([[second(7), [7, 7]], [second(9), [9]], LATER(40)]);
    expect(answer.upcoming[1]?.chunks).toEqual([
      {
        next: 'delete',
        until: null,
        timeoutSeconds: PRECISE_TIMEOUT_SECONDS.DeleteChunk,
        deadline: answer.chunks[0]?.deadline,
        cutoff: MINUTE + 9,
        once: true,
        keys: [keyAt(9)],
        // DynamoDB's second 9 has begun by then: it had begun second 0 when its answer was there.
        progress: {
          ...answer.upcoming[1]?.chunks[0]?.progress,
          attempts: 0,
          retryAtMs: (MINUTE + 9) * 1000 + 50,
        },
      },
    ]);
    expect(answer.progress).toMatchObject({
      poll: {
        nextAt: MINUTE + 40,
        seen: MINUTE,
        known: [{ places: '0', seen: MINUTE, next: MINUTE + 40, planned: [keyAt(7), keyAt(7), keyAt(9)] }],
      },
      counts: { inFlight: 5 },
    });
  });

  test('is waited for where nothing is due, with room for what the deletes leave', async () => {
    const answer = await decide({ ...guarded, now: 0, index: [7, 9] });
    expect(answer).toMatchObject({ next: 'wait', until: second(7), timeoutSeconds: 4 });
    expect(offsets(answer)).toEqual([7]);
    expect(answer.upcoming).toMatchObject([{ until: second(9), chunks: [{ keys: [keyAt(9)] }] }]);
  });

  test('after which the child ends, once that is added up, when nothing more is known', async () => {
    const planned = await decide({ ...guarded, now: 0, index: [7, 9] });
    expect(planned.upcoming).toHaveLength(1);
    const results = [7, 9].map(offset => result([], { cutoff: MINUTE + offset }, { deleted: 1 }));
    const { progress } = planned;
    const { next, result: end } = await decide({ ...guarded, now: 9.1, progress, results, index: [] });
    expect(next).toBe('end');
    expect(end).toMatchObject({ found: 2, deleted: 2, failed: 0, complete: true });
  });

  test.each<[string, Partial<Given>]>([
    ['in batch mode, which does not ask again', { deleteMode: 'batch' }],
    ['in a dry run', { progress: { dryRun: true } }],
    [
      'of a child with a limit',
      { progress: { brake: { limit: { perSecond: 900, credit: 900, before: null }, creditAt: MINUTE - 1 } } },
    ],
    ['of a child that is braked', { progress: { brake: { rate: 500, credit: 500, creditAt: MINUTE - 1 } } }],
    [
      'while keys wait for another try',
      { progress: { deferred: { count: 1, retryAtMs: (MINUTE + 5) * 1000 }, poll: { nextAt: MINUTE } } },
    ],
    [
      'of a poll for those',
      {
        progress: {
          deferred: { count: 1, retryAtMs: MINUTE * 1000 },
          poll: { nextAt: MINUTE + 5, seen: MINUTE - 1 },
        },
      },
    ],
    [
      'of a further page of a poll',
      { progress: { poll: { position: { indexKey: 0, key: keyAt(-1).key }, nextAt: MINUTE } } },
    ],
    ["where an answer took long: DynamoDB's clock is not known well enough", { queryTakes: 0.25 }],
    ['where the function took long to begin, the same', { functionAhead: 0.25 }],
    ['that polls would find in time anyway', { pace: { pollSeconds: 5 } }],
    ['that expires after the minute', { target: { ...UPCOMING, before: MINUTE + 7 } }],
    ['that expires in more than half a minute', { index: [-1, 0, 31, 33] }],
  ])('is not planned %s', async (_when, given) => {
    const answer = await decide({ ...guarded, now: 0, index: [-1, 0, 7, 9], ...given });
    expect(answer.upcoming.flatMap(({ chunks }) => chunks)).toEqual([]);
    expect(answer.next === 'wait' ? offsets(answer) : []).toEqual([]);
    expect(JSON.stringify(answer.progress)).not.toContain('planned');
  });

  test('is planned up to the next poll that looks for what is written meanwhile', async () => {
    const pace = { pollSeconds: 5 };
    const answer = await decide({ ...guarded, now: 0, index: [0, 3, 4, 5, 9], pace });
    expect(plannedAt(answer)).toEqual([[second(3), [3]], [second(4), [4]], LATER(5)]);
  });

  test('is planned at the moments that polls would have', async () => {
    const pace = { precisionSeconds: 5 };
    const index = [0, 1, 4, 5, 11, 12, 17, 40];
    const answer = await decide({ ...guarded, now: 0, index, pace });
    const moments = [
      [second(5), [1, 4, 5]],
      [second(11), [11]],
      [second(16), [12]],
      [second(21), [17]],
    ];
    expect(plannedAt(answer)).toEqual([...moments, LATER(40)]);
  });

  test.each([
    [5, 2],
    [-5, 12],
    [-0.1, 8],
    [0.1, 7],
  ])("is waited for by DynamoDB's clock, %d s ahead", async (dynamoDbAhead, until) => {
    const { upcoming } = await decide({ ...guarded, now: 0.05, index: [-9, 7], dynamoDbAhead });
    expect(upcoming[0]).toMatchObject({
      until: second(until),
      chunks: [{ cutoff: MINUTE + 7, progress: { retryAtMs: (MINUTE + until) * 1000 + 50 } }],
    });
  });

  test('is planned as far as a query has shown all of it', async () => {
    const index = Array.from({ length: 60 }, (_unused, item) => Math.floor(item / 3));
    const { upcoming, progress, queries } = await decide({ ...guarded, now: 0, index });
    const planned = upcoming.flatMap(step => offsets(step));
    expect(queries).toBe(1);
    const last = Math.max(...planned);
    expect(planned).toEqual(index.filter(offset => offset > 0 && offset <= last));
    expect(progress.poll.nextAt).toBe(MINUTE + last + 1);
  });

  test('is planned as far as the state has room for its keys', async () => {
    const long = (offset: number) => `at${offset}-${'x'.repeat(2000)}`;
    const index = [1, 2, 3, 4, 5, 6, 7];
    const { upcoming, chunks, progress } = await decide({ ...guarded, now: 0, index, idOf: long });
    const planned = [...chunks, ...upcoming.flatMap(step => step.chunks)];
    expect(planned.map(({ cutoff }) => cutoff - MINUTE)).toEqual([1, 2, 3, 4]);
    expect(progress.poll.nextAt).toBe(MINUTE + 5);
  });

  test('is not taken again by the next poll, which takes what was written meanwhile', async () => {
    const { progress } = await decide({ ...guarded, now: 0, index: [0, 7, 9, 40] });
    const results = [0, 7, 9].map(offset => result([], { cutoff: MINUTE + offset }, { renewed: 1 }));
    const answer = await decide({ ...guarded, now: 40, progress, results, index: [7, 8, 9, 40] });
    expect(offsets(answer)).toEqual([8, 40]);
    expect(answer.progress.counts).toMatchObject({ renewed: 3, inFlight: 2 });
    expect(JSON.stringify(answer.progress)).not.toContain('planned');
  });

  test('is polled again when the plan ended before its time: what was left of it, not what was done', async () => {
    const { progress } = await decide({ ...guarded, now: 0, index: [0, 5, 7, 9, 40] });
    const results = [
      result([], { cutoff: MINUTE }, { deleted: 1 }),
      result([], { cutoff: MINUTE + 5 }, { renewed: 1 }),
      result([keyAt(7)], { cutoff: MINUTE + 7 }),
    ];
    const cut = await decide({ ...guarded, now: 7.6, progress, results });
    expect(cut).toMatchObject({ next: 'wait', until: second(8), queries: 0 });
    expect(cut.progress).toMatchObject({
      poll: { nextAt: MINUTE + 9, known: [{ places: '0', next: MINUTE + 9, planned: [keyAt(5), keyAt(7)] }] },
      deferred: { count: 1 },
      counts: { deleted: 1, renewed: 1, inFlight: 0 },
    });
    const { deferred: _none, ...undisturbed } = cut.progress;
    const again = await decide({ ...guarded, now: 9, progress: undisturbed, index: [5, 7, 9, 40] });
    expect(offsets(again)).toEqual([9]);
  });

  test('of the other shards is read with what is due, so that one poll plans for all', async () => {
    const target = { ...UPCOMING, windows: [{ start: MINUTE, shards: '0-2' }] };
    const [one = '', two = '', three = ''] = windowKeysOf(target, 86_400);
    const windows = { [one]: [0, 20, 33], [two]: [10, 50], [three]: [45] };
    const first = await decide({ ...guarded, target, now: 0, index: windows });
    expect(first.queries).toBe(3);
    expect(plannedAt(first)).toEqual([[second(10), [10]], [second(20), [20]], LATER(33)]);
    const results = [0, 10, 20].map(offset => result([], { cutoff: MINUTE + offset }, { deleted: 1 }));
    const { progress } = first;
    const next = await decide({ ...guarded, target, now: 33, progress, results, index: windows });
    expect(offsets(next)).toEqual([33]);
    expect(plannedAt(next)).toEqual([
      [second(45), [45]],
      [second(50), [50]],
    ]);
  });
});
