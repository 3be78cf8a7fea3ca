import { expiryModel } from '../../../expiry/model.ts';
import { NO_PROGRESS } from '../../../functions/child/plan-chunks.ts';
import { queryExpiredWith } from '../../../functions/query-expired/handler.ts';
import type { NextStepOptions } from '../../../functions/query-expired/next-step.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { ChildProgress, ChildSweep, QueryExpiredOutput } from '../../../statemachine/contract/child.ts';
import type { Chunk, ChunkProgress } from '../../../statemachine/contract/chunks.ts';
import { MemoryTable } from '../../support/simulation/memory-table.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z') / 1000;
const iso = (epochSeconds: number) => new Date(epochSeconds * 1000).toISOString();
const second = (epochSeconds: number) => iso(epochSeconds).replace('.000', '');

const NOTE = { before: NOW, part: { tick: iso(NOW), part: 0, parts: 1 } };
const BACK: ChildSweep = {
  target: { shards: '0', from: NOW - 100, before: NOW, upcomingFrom: null },
  ...{ dryRun: false, limit: null, endsAfter: 45, note: NOTE },
  ...{ listedKeysBytes: 2_000, resultBytes: 6_000 },
};
/** The minute that begins now. */
const UPCOMING: ChildSweep = {
  ...BACK,
  ...{ target: { shards: '0', from: NOW, before: NOW + 60, upcomingFrom: NOW }, endsAfter: 195, note: null },
};

/** TTLs in seconds from NOW. */
type Held = readonly (readonly [ttl: number, count?: number])[];

interface Call {
  readonly sweep?: ChildSweep;
  readonly held?: Held;
  /** Characters of an id. */
  readonly idLength?: number;
  readonly progress?: ChildProgress | null;
  readonly results?: readonly Chunk[];
  /** Seconds from NOW: when the execution began, and when the state was entered. */
  readonly startedAt?: number;
  readonly at?: number;
  /** How much later the function began, milliseconds. */
  readonly lateMs?: number;
  /** How far DynamoDB's clock is ahead, seconds. */
  readonly ahead?: number;
  readonly settings?: Partial<NextStepOptions['settings']>;
  readonly readIndex?: NextStepOptions['readIndex'];
  /** Whether the journal takes notes. */
  readonly isNoted?: boolean;
}

/** A call of QueryExpired, and the spans that it noted. */
async function call({ sweep = BACK, held = [], at = 0, lateMs = 0, ahead = 0, ...more }: Call = {}) {
  const { progress = null, results = [], startedAt = at, settings = {}, idLength = 5, isNoted = true } = more;
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440 });
  const nowMs = (NOW + at) * 1000;
  const table = new MemoryTable(model, () => nowMs + lateMs + ahead * 1000);
  let id = 0;
  for (const [ttl, count = 1] of held) {
    for (let copy = 0; copy < count; copy += 1, id += 1)
      table.write(`${id}`.padStart(idLength, '0'), NOW + ttl, 0);
  }
  const noted: (readonly [from: number, to: number])[] = [];
  const output = await queryExpiredWith(
    { sweep, progress, results, startedAt: iso(NOW + startedAt), now: iso(NOW + at) },
    {
      settings: { deleteMode: 'guarded', pollSeconds: 0, marginSeconds: 0, ...settings },
      layout: indexLayout(model),
      ...{ readIndex: more.readIndex ?? table.readIndex, countIndex: table.countIndex },
      ...{ showKey: key => key, random: () => 0.5, clock: () => nowMs + lateMs },
    },
    {
      tableName: 'simulated',
      logger: { warn: () => undefined },
      journal: () => ({
        noteSwept: async (_table, { from, to }) => {
          if (!isNoted) throw new Error('no journal');
          noted.push([from - NOW, to - NOW]);
        },
      }),
    },
  );
  return { ...output, noted, planned: plannedOf(output) };
}

/** `SECOND: KEYS` of each chunk: the second of its deletes from NOW, and how many it has. */
const plannedOf = ({ chunks }: QueryExpiredOutput) =>
  chunks
    .map(
      ({ until, keys: own }) => `${until === null ? 'now' : Date.parse(until) / 1000 - NOW}: ${own.length}`,
    )
    .join(', ');

/** Seconds from NOW. */
const fromNow = (ttl: number | null | undefined) => (ttl ?? Number.NaN) - NOW;

const keys = (...ttls: readonly number[]) =>
  ttls.map((ttl, index) => ({ key: { id: { S: `${index}` } }, ttl: NOW + ttl }));

/** The result of a chunk: what was deleted, and what it left. */
function chunk(left: readonly number[], done: Partial<ChunkProgress> | null, error?: string): Chunk {
  return {
    ...{ next: 'done', until: null, timeoutSeconds: 15, deadline: iso(NOW + 5), cutoff: NOW, planned: false },
    ...{ keys: keys(...left), progress: done && { ...NO_PROGRESS, attempts: 1, ...done } },
    ...(error !== undefined && { error }),
  };
}

/** The progress of a child whose cursor is this, in seconds from NOW. */
async function progressed(
  cursor: number,
  sweep = BACK,
  more: Partial<ChildProgress> = {},
): Promise<ChildProgress> {
  const { progress } = await call({ sweep, held: [[fromNow(sweep.target.from)]] });
  return { ...progress, cursor: NOW + cursor, ...more, counts: { ...progress.counts, inFlight: 0 } };
}

describe('a child of the lookback', () => {
  test('deletes in chunks of 25 what its page has, at once', async () => {
    const { next, chunks, planned, progress } = await call({ held: [[-90, 30], [-1, 7], [0, 5], [-101]] });
    expect([next, planned]).toEqual(['delete', 'now: 25, now: 12']);
    expect(chunks[0]).toMatchObject({
      ...{ planned: false, cutoff: NOW, deadline: iso(NOW + 45), timeoutSeconds: 15, progress: null },
    });
    expect(progress).toMatchObject({ cursor: NOW, counts: { inFlight: 37, deleted: 0 } });
  });

  test.each<[string, Call, chunks: number, cursor: number]>([
    [
      'of more than a page has its cursor before what it has not read',
      {
        held: [
          [-90, 600],
          [-80, 600],
        ],
      },
      24,
      -81,
    ],
    [
      'of long keys takes as many as fit into a payload',
      {
        held: [
          [-9, 40],
          [-8, 40],
        ],
        idLength: 2_048,
      },
      3,
      -9,
    ],
  ])('%s', async (_name, more, count, cursor) => {
    const { chunks, progress } = await call(more);
    expect([chunks.length, fromNow(progress.cursor)]).toEqual([count, cursor]);
    expect(JSON.stringify(chunks.map(({ keys: own }) => own)).length).toBeLessThan(122 * 1024);
  });

  test('ends with its target, and notes it', async () => {
    const results = [chunk([], { deleted: 3, renewed: 1 })];
    const found = { next: 'end', noted: [[-100, 0]], result: { found: 4, deleted: 3, renewed: 1 } };
    expect(await call({ progress: await progressed(0), results })).toMatchObject(found);
    expect(await call()).toMatchObject({ next: 'end', noted: [[-100, 0]], result: { found: 0 } });
  });
});

describe('the results of the deletes', () => {
  const withResults = async (results: readonly Chunk[], more: Call = {}) =>
    call({ progress: await progressed(0), results, ...more });

  test.each<[string, Chunk[], number, Partial<ChildProgress['counts']>]>([
    [
      'left keys set the cursor before the first of them',
      [chunk([-40, -50.5], { deleted: 1 }), chunk([], { deleted: 2 })],
      -51,
      { deleted: 3, retries: 1 },
    ],
    [
      'a chunk without a result leaves all of its keys',
      [chunk([-9], null), chunk([], { notFound: 1 })],
      -10,
      { notFound: 1 },
    ],
  ])('%s', async (_name, results, cursor, counts) => {
    const { progress, next } = await withResults(results, { held: [[cursor + 1]] });
    expect([next, progress.left]).toEqual(['delete', []]);
    expect(progress.counts).toMatchObject(counts);
    // What was left is tried again, though no page may have it.
    const { chunks } = await withResults(results, { held: [[cursor]] });
    const ttls = (all: readonly Chunk[]) => all.flatMap(({ keys: own }) => own.map(({ ttl }) => ttl));
    expect(ttls(chunks)).toEqual(ttls(results).toSorted((one, other) => one - other));
  });

  test.each<[error: string, number[], [number, number][], object]>([
    ['AccessDeniedException', [-30, -20.5], [[-100, -30]], { found: 3, failed: 2 }],
    ['AccessDeniedException', [-29.5], [[-100, -30]], { found: 2, failed: 1 }],
    ['AccessDeniedException', [-100], [], { found: 2, failed: 1 }],
    ['TablePausedError', [-50], [[-100, -51]], { found: 1, leftForLater: 1 }],
    // In the last second of the target, another child's span may follow.
    ['TablePausedError', [-0.5], [[-100, -1]], { found: 1, leftForLater: 1 }],
  ])('%s ends the child: what is left %j is not noted', async (error, ttls, notes, told) => {
    const { next, noted, result } = await withResults([chunk(ttls, null, error), chunk([], { deleted: 1 })]);
    expect([next, noted]).toEqual(['end', notes]);
    expect(result).toMatchObject({ deleted: 1, ...told });
    for (const { reason } of result?.failedKeys ?? []) expect(reason).toBe(error);
    expect(result?.interrupted).toBeUndefined();
  });

  test('a page of which nothing was deleted is followed by a wait, which grows', async () => {
    const results = [chunk([-50], { throttled: 1 })];
    const first = await withResults(results);
    expect(first).toMatchObject({
      next: 'wait',
      until: second(NOW),
      progress: { stuck: 1, cursor: NOW - 51 },
    });
    const more = await call({ progress: { ...first.progress, stuck: 3 }, results });
    expect(more).toMatchObject({ next: 'wait', until: second(NOW + 4), progress: { stuck: 4 } });
    const last = await call({ progress: more.progress, held: [[-50]] });
    expect(last).toMatchObject({ next: 'delete', progress: { stuck: 4 } });
    const through = await call({ progress: last.progress, results: [chunk([-50], { deleted: 1 })] });
    expect(through.progress.stuck).toBe(0);
  });
});

test('a note that cannot be written fails nothing', async () => {
  expect((await call({ isNoted: false })).next).toBe('end');
});

test.each([1, 3])('a query that is busy is a wait, after %d of them', async stuck => {
  const readIndex = () => Promise.reject(new DynamoDbBusyError('throttled'));
  const progress = await progressed(-50, BACK, { stuck: stuck - 1 });
  const busy = await call({ readIndex, progress });
  expect(busy).toMatchObject({ next: 'wait', progress: { stuck, cursor: NOW - 50 } });
  expect(Date.parse(busy.until ?? '')).toBe((NOW + Math.floor(0.5 * 2 ** (stuck - 1))) * 1000);
});

describe('a child whose time is over', () => {
  const end = async (cursor: number, left?: readonly number[], more: Partial<ChildProgress> = {}) => {
    const progress = await progressed(cursor, BACK, more);
    const results = left === undefined ? [] : [chunk(left, { throttled: left.length })];
    return call({ startedAt: -45, progress, results });
  };

  test('and got on ends with what is left, and notes what is gone', async () => {
    const { next, noted, result } = await end(-30, [-40]);
    expect([next, noted]).toEqual(['end', [[-100, -41]]]);
    expect(result).toEqual({
      found: 0,
      retries: 1,
      throttled: 1,
      resume: { ...BACK.target, from: NOW - 41 },
    });
  });

  test.each<[string, Parameters<typeof end>, object]>([
    [
      'and got nowhere has failed to delete what it tried',
      [-30, [-100, -99], { stuck: 7 }],
      { found: 2, failed: 2 },
    ],
    [
      'and has come only to its first key, of which it deleted none, got nowhere',
      [-30, [-99.5]],
      { failed: 1 },
    ],
    ['and could not read was interrupted', [-101], { found: 0, interrupted: true }],
  ])('%s', async (_name, args, result) => {
    const ended = await end(...args);
    expect(ended).toMatchObject({ next: 'end', result });
    for (const { reason } of ended.result?.failedKeys ?? []) expect(reason).toBe('Unprocessed');
  });

  test.each([
    ['without a limit', null],
    ['with one', { perSecond: 0.5, credit: 1, before: null }],
  ])(
    'and failed to delete all that it tried was interrupted: the next would try the same, %s',
    async (_name, limit) => {
      const results = [chunk([], { failed: keys(-100).map(({ key }) => ({ key, reason: 'AccessDenied' })) })];
      const { next, result } = await call({
        ...{ sweep: { ...BACK, limit }, startedAt: -45, results },
        progress: await progressed(-101, { ...BACK, limit }),
      });
      expect([next, result?.failed, result?.interrupted, result?.resume]).toEqual([
        'end',
        1,
        true,
        undefined,
      ]);
    },
  );

  test('a second before is at work', async () => {
    const { next, chunks } = await call({ startedAt: -44, held: [[-9]] });
    expect([next, chunks[0]?.deadline]).toEqual(['delete', iso(NOW + 1)]);
  });
});

describe('a child of an upcoming minute', () => {
  const minute = (more: Call = {}) => call({ sweep: UPCOMING, ...more });

  test('gives each key its second, and reads a minute ahead', async () => {
    const { next, chunks, planned, progress } = await minute({ held: [[0], [3, 26], [59], [60]] });
    expect([next, planned]).toEqual(['delete', 'now: 1, 3: 25, 3: 1, 59: 1']);
    expect(chunks.map(own => [own.planned, fromNow(own.cutoff)])).toEqual([
      [false, 0],
      [true, 3],
      [true, 3],
      [true, 59],
    ]);
    // The last try of each is 0.6 s after the page's last second.
    for (const { deadline } of chunks) expect(Date.parse(deadline) - NOW * 1000).toBe(59_600);
    expect(fromNow(progress.cursor)).toBe(60);
  });

  test('in which nothing is ends at once, and notes nothing', async () => {
    expect(await minute()).toMatchObject({ next: 'end', noted: [] });
  });

  test.each<[string, Call]>([
    ['began late', { lateMs: 201 }],
    ['does not know DynamoDB’s clock', { ahead: -1 }],
    ['may not check its deletes', { settings: { deleteMode: 'batch' } }],
  ])('that %s plans nothing: it waits for the next second', async (_name, more) => {
    const { next, planned, until } = await minute({ held: [[3]], ...more });
    expect([next, planned]).toEqual(['wait', '']);
    expect(Date.parse(until ?? '')).toBeLessThanOrEqual((NOW + 1) * 1000);
  });

  test.each<[string, Call, planned: string, cutoffs: number[], cursor: number]>([
    ['gives a fraction the second in which it has expired', { held: [[3.5]] }, '4: 1', [4], 60],
    [
      'has everything as much later with a margin',
      { held: [[0], [3]], at: 30, settings: { marginSeconds: 30 } },
      'now: 1, 33: 1',
      [0, 3],
      60,
    ],
    ['reads only as far as pollSeconds', { held: [[3], [6]], settings: { pollSeconds: 5 } }, '3: 1', [3], 0],
  ])('%s', async (_name, more, planned, cutoffs, cursor) => {
    const minuteOf = await minute(more);
    expect([minuteOf.planned, fromNow(minuteOf.progress.cursor)]).toEqual([planned, cursor]);
    expect(minuteOf.chunks.map(own => fromNow(own.cutoff))).toEqual(cutoffs);
  });

  test('with pollSeconds waits for its next read', async () => {
    const settings = { pollSeconds: 5 };
    expect(await minute({ settings })).toMatchObject({ next: 'wait', until: second(NOW + 5) });
    expect(await minute({ settings, at: 56 })).toMatchObject({ next: 'wait', until: second(NOW + 60) });
  });
});

describe('a limit', () => {
  const limited = (perSecond: number, credit = 1): ChildSweep => ({
    ...UPCOMING,
    limit: { perSecond, credit, before: NOW + 60 },
  });

  test.each<[string, number, number, Held, string]>([
    ['spreads what is due', 2, 2, [[0, 5]], 'now: 2, 1: 2, 2: 1'],
    ['leaves what expires by itself slowly enough', 1, 1, [[3], [9]], '3: 1, 9: 1'],
    ['of half a delete a second takes two seconds each', 0.5, 1, [[0, 3]], 'now: 1, 2: 1, 4: 1'],
    ['of a tenth, though ten tenths are a little less than one', 0.1, 1, [[0, 2]], 'now: 1, 10: 1'],
    ['does not save up', 2, 2, [[30, 5]], '30: 2, 31: 2, 32: 1'],
    ['ends with its share', 1, 1, [[57, 9]], '57: 1, 58: 1, 59: 1'],
  ])('%s', async (_name, perSecond, credit, held, planned) => {
    expect((await call({ sweep: limited(perSecond, credit), held })).planned).toBe(planned);
  });

  test('of a minute in which nothing is ends at once', async () => {
    expect((await call({ sweep: { ...limited(1), note: NOTE } })).next).toBe('end');
  });

  test('leaves the cursor before a second of which some are left', async () => {
    const { chunks, progress } = await call({ sweep: limited(1), held: [[0, 99]] });
    expect([chunks.length, fromNow(progress.cursor)]).toEqual([60, -1]);
  });

  test('whose minute is over leaves the rest for later, and that is no failure', async () => {
    const sweep = { ...limited(1), target: { ...UPCOMING.target, from: NOW - 99 }, note: NOTE };
    const progress = await progressed(20, sweep);
    const results = [chunk([-10], { deleted: 1 })];
    const ended = await call({ sweep, at: 60, startedAt: -60, progress, results });
    expect(ended).toMatchObject({ next: 'end', noted: [[-99, -11]], result: { found: 1, leftForLater: 1 } });
  });

  test.each<[string, number, [number, number][]]>([
    ['notes only the lookback: an upcoming entry may be late in the index', -99, [[-99, -60]]],
    ['that has the upcoming minute only notes nothing', 0, []],
  ])('%s', async (_name, from, noted) => {
    const target = { ...UPCOMING.target, from: NOW + from };
    const sweep = { ...limited(1), target, note: { ...NOTE, before: NOW - 60 } };
    const ended = await call({ sweep, at: 60, startedAt: -60, progress: await progressed(59, sweep) });
    expect(ended).toMatchObject({ next: 'end', noted });
  });
});
