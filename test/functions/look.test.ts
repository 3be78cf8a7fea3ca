import { type Look, look } from '../../functions/lib/look.ts';
import type { ReadWindow } from '../../functions/lib/window-query.ts';
import {
  type ExpiredKey,
  PAGE_KEYS,
  type PagePosition,
  type SweepTarget,
} from '../../statemachine/contract.ts';

const START = Date.parse('2026-11-20T09:01:00Z') / 1000;
const at = (offset: number) => new Date((START + offset) * 1000).toISOString();

const AHEAD: SweepTarget = {
  windowKeys: ['before', 'span'],
  from: START - 100_000,
  before: START + 60,
  cutoff: null,
  lookAt: START,
};
const BACK: SweepTarget = { ...AHEAD, windowKeys: ['span'], cutoff: START + 30, lookAt: null };
const EVERY_SECOND = { precisionSeconds: 1, pollSeconds: 0 };

/** Windows by name, each a list of TTLs (offsets from START); pages as DynamoDB gives them. */
function windows(contents: Record<string, number[]>): { read: ReadWindow; asked: string[] } {
  const asked: string[] = [];
  const read: ReadWindow = async (windowKey, { from, upTo }, startKey, limit) => {
    asked.push(windowKey);
    const all = (contents[windowKey] ?? [])
      .toSorted((one, other) => one - other)
      .map(
        (offset, index): ExpiredKey => ({ key: { id: { S: `${windowKey}-${index}` } }, ttl: START + offset }),
      )
      .filter(({ ttl }) => ttl >= from && ttl <= upTo);
    const behind =
      startKey === null ? -1 : all.findIndex(({ key }) => JSON.stringify(key) === JSON.stringify(startKey));
    const entries = all.slice(behind + 1, behind + 1 + limit);
    return { entries, positions: entries.map(({ key }) => key), more: behind + 1 + limit < all.length };
  };
  return { read, asked };
}

interface LookAround {
  target?: SweepTarget;
  now: number;
  contents: Record<string, number[]>;
  seen?: number | null;
  pace?: typeof EVERY_SECOND;
}

/** All pages of one look. */
async function lookAround({ target = AHEAD, now, contents, seen = null, pace = EVERY_SECOND }: LookAround) {
  const { read } = windows(contents);
  const pages: Look[] = [];
  let position: PagePosition | null = null;
  do {
    const page: Look = await look({ target, now: at(now), position, seen }, pace, read);
    pages.push(page);
    position = page.position;
  } while (position && pages.length < 100);
  const last = pages.at(-1);
  return {
    due: pages.flatMap(({ due }) => due.map(({ ttl }) => ttl - START)),
    lookAt: last?.lookAt === null || last === undefined ? null : last.lookAt - START,
    cutoff: (last?.cutoff ?? Number.NaN) - START,
    pages: pages.length,
  };
}

describe('a span ahead', () => {
  test.each<[string, LookAround, { due: number[]; lookAt: number | null }]>([
    [
      'takes what expires in this second',
      { now: 5.9, contents: { span: [4, 5, 6] } },
      { due: [4, 5], lookAt: 6 },
    ],
    ['looks again when the next item expires', { now: 5, contents: { span: [17] } }, { due: [], lookAt: 17 }],
    ['but never twice in a second', { now: 5.95, contents: { span: [5, 6] } }, { due: [5], lookAt: 6 }],
    [
      'an item with a fraction waits for the next whole second',
      { now: 5, contents: { span: [5.5] } },
      { due: [], lookAt: 6 },
    ],
    [
      'an item with a fraction in the last second waits for the end',
      { now: 59, contents: { span: [59.5] } },
      { due: [], lookAt: 60 },
    ],
    ['which takes it', { now: 60, contents: { span: [59.5] } }, { due: [59.5], lookAt: null }],
    ['leaves what expires after it', { now: 61, contents: { span: [59, 60] } }, { due: [59], lookAt: null }],
    ['has nothing more to wait for', { now: 5, contents: { span: [5] } }, { due: [5], lookAt: null }],
    ['is over', { now: 60, contents: { span: [] } }, { due: [], lookAt: null }],
    [
      'begins with what is left in the window before it',
      { now: 0, contents: { before: [-30, 0], span: [3] } },
      { due: [-30, 0], lookAt: 0 },
    ],
    [
      'an item of the edge, stamped the older way, is waited for',
      { now: -0.5, contents: { before: [0], span: [3] } },
      { due: [], lookAt: 0 },
    ],
    [
      'leaves out what an earlier look has seen',
      { now: 7, seen: START + 5, contents: { span: [4, 5, 6, 9] } },
      { due: [6], lookAt: 9 },
    ],
    [
      'late: takes everything that is due at once',
      { now: 40, contents: { span: [1, 20, 40, 41] } },
      { due: [1, 20, 40], lookAt: 41 },
    ],
  ])('%s', async (_name, given, expected) => expect(await lookAround(given)).toMatchObject(expected));

  test.each([
    [1, 5.2, [6, 7], 6],
    [5, 5.2, [6, 7], 10],
    [5, 58, [59], 60],
    [30, 5, [6], 35],
  ])('%d s apart: at %d with items at %p looks again at %d', async (precisionSeconds, now, span, lookAt) => {
    const pace = { precisionSeconds, pollSeconds: 0 };
    expect((await lookAround({ now, contents: { span }, pace })).lookAt).toBe(lookAt);
  });

  test.each([
    ['nothing known', 5, [], 10],
    ['an item sooner than the poll', 5, [7], 7],
    ['an item later than the poll', 5, [17], 10],
    ['the end sooner than the poll', 58, [], 60],
    ['the end', 60, [], null],
  ])('polling every 5 s with %s', async (_name, now, span, lookAt) => {
    const pace = { precisionSeconds: 1, pollSeconds: 5 };
    expect((await lookAround({ now, contents: { span }, pace })).lookAt).toBe(lookAt);
  });

  test('a look of several pages takes all of them and is followed by another at once', async () => {
    const contents = { before: new Array(1500).fill(-1), span: [...new Array(1200).fill(0), 9] };
    const { due, lookAt, pages } = await lookAround({ now: 0.2, contents });
    expect(due).toHaveLength(2700);
    expect(pages).toBeGreaterThan(3);
    expect(lookAt).toBe(0);
  });

  test('what failed for good does not hide what is due behind it', async () => {
    const stuck = new Array(PAGE_KEYS + 100).fill(5);
    expect(
      await lookAround({ now: 7, seen: START + 5, contents: { span: [...stuck, 6, 7, 9] } }),
    ).toMatchObject({
      due: [6, 7],
      lookAt: 9,
    });
  });
});

describe('a look back', () => {
  test('takes what is expired at its own cutoff, whatever the time, and never looks again', async () => {
    const given = { target: BACK, now: 500, contents: { span: [-10, 29, 30, 31] } };
    expect(await lookAround(given)).toEqual({ due: [-10, 29, 30], lookAt: null, cutoff: 30, pages: 1 });
  });

  test('reads no further than its end, however much expires right then', async () => {
    const { read, asked } = windows({ before: [], span: [10, ...new Array(5 * PAGE_KEYS).fill(60)] });
    const page = await look({ target: AHEAD, now: at(10), position: null, seen: null }, EVERY_SECOND, read);
    expect(page.due).toHaveLength(1);
    const past = await look(
      { target: AHEAD, now: at(60), position: null, seen: START + 10 },
      EVERY_SECOND,
      read,
    );
    expect(past).toMatchObject({ due: [], position: null, lookAt: null });
    expect(asked).toEqual(['before', 'span', 'before', 'span']);
  });

  test('ends before its end', async () => {
    const target = { ...BACK, cutoff: START + 1000 };
    expect((await lookAround({ target, now: 500, contents: { span: [59, 59.5, 60] } })).due).toEqual([
      59, 59.5,
    ]);
  });
});

test('reads each window once when nothing is due', async () => {
  const { read, asked } = windows({ span: [30] });
  await look({ target: AHEAD, now: at(5), position: null, seen: null }, EVERY_SECOND, read);
  expect(asked).toEqual(['before', 'span']);
});
