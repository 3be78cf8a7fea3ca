import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
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

const BACK: ChildSweep = {
  target: { shards: '0', from: NOW - 100, before: NOW, upcomingFrom: null },
  ...{ dryRun: false, limit: null, endsAfter: 45, part: { tick: iso(NOW), part: 0, parts: 1 } },
  ...{ listedKeysBytes: 2_000, resultBytes: 6_000 },
};
/** The minute that begins now. */
const UPCOMING: ChildSweep = {
  ...BACK,
  ...{ target: { shards: '0', from: NOW, before: NOW + 60, upcomingFrom: NOW }, endsAfter: 195, part: null },
};

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
  readonly model?: Omit<ExpiryModelProps, 'partitionKey'>;
  readonly readIndex?: NextStepOptions['readIndex'];
}

/** A call of QueryExpired, and the spans that it noted. */
async function call({ sweep = BACK, held = [], at = 0, lateMs = 0, ahead = 0, ...more }: Call = {}) {
  const { progress = null, results = [], startedAt = at, settings = {}, idLength = 5 } = more;
  const model = expiryModel({ partitionKey: 'id', ...(more.model ?? { granularityMinutes: 1440 }) });
  const nowMs = (NOW + at) * 1000;
  const table = new MemoryTable(model, () => nowMs + lateMs + ahead * 1000);
  let id = 0;
  for (const [ttl, count = 1] of held) {
    for (let copy = 0; copy < count; copy += 1, id += 1) table.write(`${id}`.padStart(idLength, '0'), ttl, 0);
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
      journal: () => ({ noteSwept: async (_table, { from, to }) => void noted.push([from - NOW, to - NOW]) }),
    },
  );
  return { ...output, noted, planned: plannedOf(output) };
}

/** The second of each chunk's deletes from NOW, and how many it has. */
function plannedOf({ chunks }: QueryExpiredOutput) {
  return chunks.map(({ until, keys }) => [
    until === null ? 'now' : Date.parse(until) / 1000 - NOW,
    keys.length,
  ]);
}

const keys = (...ttls: readonly number[]) =>
  ttls.map((ttl, index) => ({ key: { id: { S: `${index}` } }, ttl }));

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
  const { progress } = await call({ sweep, held: [[sweep.target.from]] });
  return { ...progress, cursor: NOW + cursor, ...more, counts: { ...progress.counts, inFlight: 0 } };
}

describe('a child of the lookback', () => {
  test('deletes in chunks of 25 what its page has, at once', async () => {
    const { next, chunks, planned, progress } = await call({
      held: [[NOW - 90, 30], [NOW - 1, 7], [NOW, 5], [NOW - 101]],
    });
    expect([next, planned]).toEqual([
      'delete',
      [
        ['now', 25],
        ['now', 12],
      ],
    ]);
    expect(chunks[0]).toMatchObject({
      planned: false,
      cutoff: NOW,
      deadline: iso(NOW + 45),
      timeoutSeconds: 15,
      progress: null,
    });
    expect(progress).toMatchObject({ cursor: NOW, counts: { inFlight: 37, deleted: 0 } });
  });

  test('of more than a page has its cursor before what it has not read', async () => {
    const { planned, progress } = await call({
      held: [
        [NOW - 90, 600],
        [NOW - 80, 600],
      ],
    });
    expect(planned).toHaveLength(24);
    expect(progress.cursor).toBe(NOW - 81);
  });

  test('of long keys takes as many as fit into a payload', async () => {
    const { chunks, progress } = await call({
      held: [
        [NOW - 9, 40],
        [NOW - 8, 40],
      ],
      idLength: 2_048,
    });
    const bytes = JSON.stringify(chunks.map(({ keys: own }) => own)).length;
    expect(bytes).toBeGreaterThan(115 * 1024);
    expect(bytes).toBeLessThan(122 * 1024);
    expect(progress.cursor).toBe(NOW - 9);
  });

  test('ends with its target, and notes it', async () => {
    const found = await call({
      progress: await progressed(0),
      results: [chunk([], { deleted: 3, renewed: 1 })],
    });
    expect(found).toMatchObject({
      next: 'end',
      noted: [[-100, 0]],
      result: { found: 4, deleted: 3, renewed: 1 },
    });
    expect(await call()).toMatchObject({ next: 'end', noted: [[-100, 0]], result: { found: 0 } });
  });
});

describe('the results of the deletes', () => {
  const withResults = async (results: readonly Chunk[], more: Call = {}) =>
    call({ progress: await progressed(0), results, ...more });

  test.each<[string, Chunk[], number, Partial<ChildProgress['counts']>]>([
    [
      'left keys set the cursor before the first of them',
      [chunk([NOW - 40, NOW - 50], { deleted: 1 }), chunk([], { deleted: 2 })],
      -51,
      { deleted: 3, retries: 1 },
    ],
    ['of fractions, too', [chunk([NOW - 50.5], { deleted: 1 })], -51, { deleted: 1 }],
    [
      'a chunk without a result leaves all of its keys',
      [chunk([NOW - 9], null), chunk([], { notFound: 1 })],
      -10,
      { notFound: 1 },
    ],
  ])('%s', async (_name, results, cursor, counts) => {
    const { progress, next } = await withResults(results, { held: [[NOW + cursor + 1]] });
    expect(next).toBe('delete');
    expect(progress.counts).toMatchObject(counts);
    expect(progress.left).toEqual([]);
    // What was left is tried again, though no page may have it.
    const { chunks } = await withResults(results, { held: [[NOW + cursor]] });
    const left = results.flatMap(({ keys: own }) => own.map(({ ttl }) => ttl));
    const again = chunks.flatMap(({ keys: own }) => own.map(({ ttl }) => ttl));
    expect(again).toEqual(left.toSorted((one, other) => one - other));
  });

  test('keys that DynamoDB refuses are counted, named and passed', async () => {
    const failed = [{ key: { id: { S: 'a' } }, reason: 'ValidationError' }];
    const ended = await withResults([chunk([], { deleted: 2, failed })]);
    expect(ended).toMatchObject({
      next: 'end',
      noted: [[-100, 0]],
      result: { found: 3, failed: 1, failedKeys: failed },
    });
  });

  test('a call that fails for good is passed, but not noted', async () => {
    const results = [chunk([NOW - 30, NOW - 20.5], null, 'AccessDeniedException'), chunk([], { deleted: 1 })];
    const { next, noted, result, progress } = await withResults(results);
    expect([next, noted, progress.brokenAt]).toEqual(['end', [[-100, -30]], NOW - 30]);
    expect(result).toMatchObject({
      found: 3,
      deleted: 1,
      failed: 2,
      failedKeys: [{ reason: 'AccessDeniedException' }, {}],
    });
  });

  test('a call that fails for good at the first key leaves nothing to note', async () => {
    expect((await withResults([chunk([NOW - 100], null, 'AccessDeniedException')])).noted).toEqual([]);
  });

  test('a page of which nothing was deleted is followed by a wait, which grows', async () => {
    const first = await withResults([chunk([NOW - 50], { throttled: 1 })]);
    expect(first).toMatchObject({
      next: 'wait',
      until: second(NOW),
      progress: { stuck: 1, cursor: NOW - 51 },
    });
    const more = await call({
      progress: { ...first.progress, stuck: 3 },
      results: [chunk([NOW - 50], { throttled: 1 })],
    });
    expect(more).toMatchObject({ next: 'wait', until: second(NOW + 4), progress: { stuck: 4 } });
    const last = await call({ progress: more.progress, held: [[NOW - 50]] });
    expect(last).toMatchObject({ next: 'delete', progress: { stuck: 4 } });
    const through = await call({ progress: last.progress, results: [chunk([NOW - 50], { deleted: 1 })] });
    expect(through.progress.stuck).toBe(0);
  });

  test('a paused table ends the child: what it left is for later', async () => {
    const ended = await withResults([chunk([NOW - 50], null, 'TablePausedError'), chunk([], { deleted: 2 })]);
    expect(ended).toMatchObject({
      next: 'end',
      noted: [[-100, -50]],
      result: { found: 2, deleted: 2, leftForLater: 1 },
    });
    expect(ended.result?.interrupted).toBeUndefined();
  });

  test('a note that cannot be written fails nothing', async () => {
    expect((await withResults([chunk([], { deleted: 1 })])).next).toBe('end');
  });
});

test.each([
  [1, 0, 500],
  [3, 2_000, 2_000],
])('a query that is busy is a wait, after %d of them', async stuck => {
  const readIndex = () => Promise.reject(new DynamoDbBusyError('throttled'));
  const progress = await progressed(-50, BACK, { stuck: stuck - 1 });
  const busy = await call({ readIndex, progress });
  expect(busy).toMatchObject({ next: 'wait', progress: { stuck, cursor: NOW - 50 } });
  expect(Date.parse(busy.until ?? '')).toBe((NOW + Math.floor(0.5 * 2 ** (stuck - 1))) * 1000);
});

describe('a child whose time is over', () => {
  const end = async (more: Call) => call({ startedAt: -45, ...more });

  test('and got on ends with what is left, and notes what is gone', async () => {
    const ended = await end({
      progress: await progressed(-30),
      results: [chunk([NOW - 40], { deleted: 1 })],
    });
    expect(ended).toMatchObject({
      ...{ next: 'end', noted: [[-100, -40]] },
      result: { found: 1, resume: { ...BACK.target, from: NOW - 41 } },
    });
    expect(ended.result).not.toHaveProperty('failed');
  });

  test('and got nowhere has failed to delete what it tried', async () => {
    const progress = await progressed(-30, BACK, { stuck: 7 });
    const ended = await end({ progress, results: [chunk([NOW - 100, NOW - 99], { throttled: 2 })] });
    expect(ended).toMatchObject({
      noted: [],
      result: { found: 2, failed: 2, failedKeys: [{ reason: 'Unprocessed' }, {}] },
    });
  });

  test('and has come only to its first key, of which it deleted none, got nowhere', async () => {
    const progress = await progressed(-30);
    const left = chunk([NOW - 99.5], { throttled: 1 });
    expect((await end({ progress, results: [left] })).result).toMatchObject({ failed: 1 });
  });

  test('and could not read was interrupted', async () => {
    const ended = await end({ progress: await progressed(-101) });
    expect(ended).toMatchObject({ next: 'end', noted: [], result: { found: 0, interrupted: true } });
  });

  test('a second before is at work', async () => {
    expect(await call({ startedAt: -44, held: [[NOW - 9]] })).toMatchObject({ next: 'delete' });
    expect((await call({ startedAt: -44, held: [[NOW - 9]] })).chunks[0]?.deadline).toBe(iso(NOW + 1));
  });
});

describe('a child of an upcoming minute', () => {
  const minute = (more: Call = {}) => call({ sweep: UPCOMING, ...more });

  test('gives each key its second, and reads a minute ahead', async () => {
    const { next, chunks, planned, progress } = await minute({
      held: [[NOW], [NOW + 3, 26], [NOW + 59], [NOW + 60]],
    });
    expect([next, planned]).toEqual([
      'delete',
      [
        ['now', 1],
        [3, 25],
        [3, 1],
        [59, 1],
      ],
    ]);
    expect(chunks.map(({ planned: isPlanned, cutoff }) => [isPlanned, cutoff - NOW])).toEqual([
      [false, 0],
      [true, 3],
      [true, 3],
      [true, 59],
    ]);
    // The last try of each is 0.6 s after the page's last second.
    expect(new Set(chunks.map(({ deadline }) => Date.parse(deadline) - NOW * 1000))).toEqual(
      new Set([59_600]),
    );
    expect(progress.cursor).toBe(NOW + 60);
  });

  test('in which nothing is ends at once, and notes nothing', async () => {
    expect(await minute()).toMatchObject({ next: 'end', noted: [] });
  });

  test('that notes what it swept waits for its end: something may still be written', async () => {
    const sweep = { ...UPCOMING, part: BACK.part };
    expect(await minute({ sweep })).toMatchObject({ next: 'wait', noted: [], progress: { cursor: NOW } });
  });

  test('gives a fraction the second in which it has expired', async () => {
    const { planned, chunks } = await minute({ held: [[NOW + 3.5]] });
    expect([planned, chunks[0]?.cutoff]).toEqual([[[4, 1]], NOW + 4]);
  });

  test.each<[string, Call]>([
    ['began late', { lateMs: 201 }],
    ['does not know DynamoDB’s clock', { ahead: -1 }],
    ['may not check its deletes', { settings: { deleteMode: 'batch' } }],
  ])('that %s plans nothing: it waits for the next second', async (_name, more) => {
    const { next, planned, until } = await minute({ held: [[NOW + 3]], ...more });
    expect([next, planned]).toEqual(['wait', []]);
    expect(Date.parse(until ?? '')).toBeLessThanOrEqual((NOW + 1) * 1000);
  });

  test('with a margin everything is as much later', async () => {
    const settings = { marginSeconds: 30 };
    const { planned, chunks } = await minute({ held: [[NOW], [NOW + 3]], at: 30, settings });
    expect([planned, chunks.map(({ cutoff }) => cutoff - NOW)]).toEqual([
      [
        ['now', 1],
        [33, 1],
      ],
      [0, 3],
    ]);
  });

  test('with pollSeconds reads only as far ahead, and then waits', async () => {
    const settings = { pollSeconds: 5 };
    const { planned, progress } = await minute({ held: [[NOW + 3], [NOW + 6]], settings });
    expect([planned, progress.cursor - NOW]).toEqual([[[3, 1]], 0]);
    expect(await minute({ settings })).toMatchObject({ next: 'wait', until: second(NOW + 5) });
  });
});

describe('a limit', () => {
  const limited = (perSecond: number, credit = 1, target = UPCOMING.target): ChildSweep => ({
    ...UPCOMING,
    target,
    limit: { perSecond, credit, before: NOW + 60 },
  });

  test.each<[string, number, number, Held, [number | 'now', number][]]>([
    [
      'spreads what is due',
      2,
      2,
      [[NOW, 5]],
      [
        ['now', 2],
        [1, 2],
        [2, 1],
      ],
    ],
    [
      'leaves what expires by itself slowly enough',
      1,
      1,
      [[NOW + 3], [NOW + 9]],
      [
        [3, 1],
        [9, 1],
      ],
    ],
    [
      'of half a delete a second takes two seconds each',
      0.5,
      1,
      [[NOW, 3]],
      [
        ['now', 1],
        [2, 1],
        [4, 1],
      ],
    ],
    [
      'of a tenth, though ten tenths are a little less than one',
      0.1,
      1,
      [[NOW, 2]],
      [
        ['now', 1],
        [10, 1],
      ],
    ],
    [
      'does not save up',
      2,
      2,
      [[NOW + 30, 5]],
      [
        [30, 2],
        [31, 2],
        [32, 1],
      ],
    ],
    [
      'ends with its share',
      1,
      1,
      [[NOW + 57, 9]],
      [
        [57, 1],
        [58, 1],
        [59, 1],
      ],
    ],
  ])('%s', async (_name, perSecond, credit, held, planned) => {
    expect((await call({ sweep: limited(perSecond, credit), held })).planned).toEqual(planned);
  });

  test('leaves the cursor before a second of which some are left', async () => {
    const { planned, progress } = await call({ sweep: limited(1), held: [[NOW, 99]] });
    expect([planned.length, progress.cursor]).toEqual([60, NOW - 1]);
  });

  test('goes on from page to page', async () => {
    const { progress } = await call({ sweep: limited(2, 2), held: [[NOW, 5]] });
    expect(progress.credit).toEqual({ at: NOW + 2, keys: 1 });
    expect(
      (
        await call({
          sweep: limited(2, 2),
          held: [[NOW, 3]],
          at: 2,
          startedAt: 0,
          progress: { ...progress, cursor: NOW - 1 },
        })
      ).planned,
    ).toEqual([
      ['now', 1],
      [3, 2],
    ]);
  });

  test('whose minute is over leaves the rest for later, and that is no failure', async () => {
    const sweep = { ...limited(1), part: BACK.part };
    const progress = await progressed(20, sweep);
    const ended = await call({
      sweep,
      at: 60,
      startedAt: -60,
      progress,
      results: [chunk([NOW + 10], { deleted: 1 })],
    });
    expect(ended).toMatchObject({ next: 'end', noted: [[0, 10]], result: { found: 1, leftForLater: 1 } });
  });
});

describe('a dry run', () => {
  const dry = { ...BACK, dryRun: true, part: null };

  test('counts, lists some, and deletes nothing', async () => {
    const { next, chunks, result } = await call({ sweep: dry, held: [[NOW - 9, 30], [NOW]] });
    expect([next, chunks, result?.found, result?.sampleKeys?.length]).toEqual(['end', [], 30, 20]);
  });
});
