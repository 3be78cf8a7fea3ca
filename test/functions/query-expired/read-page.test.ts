import { expiryModel } from '../../../expiry/model.ts';
import { windowKey } from '../../../expiry/window.ts';
import { nextPollAt, type PolledPage, startPoll } from '../../../functions/child/poll.ts';
import { readPage } from '../../../functions/query-expired/read-page.ts';
import { DynamoDbBusyError, DynamoDbDateMissingError } from '../../../functions/runtime/errors.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { ExpiredKey } from '../../../statemachine/contract/keys.ts';
import { PAGE_KEYS } from '../../../statemachine/contract/limits.ts';
import type { PagePosition, SweepTarget } from '../../../statemachine/contract/targets.ts';
import { windowsOf } from '../../support/sweep-settings.ts';

const START = Date.parse('2026-11-20T09:01:00Z') / 1000;

const BEFORE = windowKey(START - 60, 60);
const SPAN = windowKey(START, 60);

const UPCOMING: SweepTarget = {
  windows: windowsOf(BEFORE, SPAN),
  from: START - 100_000,
  before: START + 60,
  upcomingFrom: START,
};
const BACK: SweepTarget = { ...UPCOMING, windows: windowsOf(SPAN), before: START + 31, upcomingFrom: null };
const LAYOUT = indexLayout(expiryModel({ partitionKey: 'id', granularityMinutes: 1 }));
const PACE = { pollSeconds: 0 };
const EVERY_SECOND = { precisionSeconds: 1, pollSeconds: 0 };

/** The windows of the minute and the one before it, each a list of TTLs (offsets from START); pages as DynamoDB gives them. */
function windows(
  contents: Record<string, number[]>,
  readAt: number,
): {
  read: ReadIndex;
  asked: string[];
  entriesRead: () => number;
} {
  const asked: string[] = [];
  let entriesRead = 0;
  const read: ReadIndex = async ({ value }, { from, upTo }, startKey, limit) => {
    const name = value === BEFORE ? 'before' : 'span';
    asked.push(name);
    const all = (contents[name] ?? [])
      .toSorted((one, other) => one - other)
      .map((offset, index): ExpiredKey => ({ key: { id: { S: `${name}-${index}` } }, ttl: START + offset }))
      .filter(({ ttl }) => ttl >= from && ttl <= upTo);
    const behind =
      startKey === null ? -1 : all.findIndex(({ key }) => JSON.stringify(key) === JSON.stringify(startKey));
    const entries = all.slice(behind + 1, behind + 1 + limit);
    entriesRead += entries.length;
    return {
      entries,
      positions: entries.map(({ key }) => key),
      more: behind + 1 + limit < all.length,
      readAt,
    };
  };
  return { read, asked, entriesRead: () => entriesRead };
}

interface Given {
  target?: SweepTarget;
  now: number;
  contents: Record<string, number[]>;
  seen?: number | null;
  lastDue?: number;
  holdsStrays?: boolean;
  pace?: typeof EVERY_SECOND;
}

/** All pages of one poll. */
async function poll({
  target = UPCOMING,
  now,
  contents,
  seen = null,
  lastDue = 0,
  holdsStrays = false,
  pace = EVERY_SECOND,
}: Given) {
  const nowSeconds = START + Math.floor(now);
  const { read, asked, entriesRead } = windows(contents, nowSeconds);
  const pages: PolledPage[] = [];
  let position: PagePosition | null = null;
  do {
    const page: PolledPage = await readPage(
      target,
      { ...startPoll(target), position, seen, lastDue, holdsStrays },
      {
        layout: LAYOUT,
        pace: PACE,
        machineClock: () => nowSeconds * 1000,
        readIndex: read,
        maxKeys: PAGE_KEYS,
        outOfTime: () => false,
      },
    );
    pages.push(page);
    position = page.position;
  } while (position && pages.length < 100);
  const last = pages.at(-1);
  if (!last) throw new Error('no page');
  const { nextExpiry } = last;
  const pollAt = nextPollAt(target, pace, nowSeconds, { nextExpiry, tookSeveralPages: pages.length > 1 });
  return {
    due: pages.flatMap(({ due }) => due.map(({ ttl }) => ttl - START)),
    pollAt: pollAt === null ? null : pollAt - START,
    cutoff: last.cutoff - START,
    sawStrays: pages.some(({ sawStrays }) => sawStrays),
    pages: pages.length,
    asked,
    entriesRead: entriesRead(),
  };
}

describe('an upcoming minute', () => {
  test.each<[string, Given, { due: number[]; pollAt: number | null }]>([
    [
      'takes what expires in this second',
      { now: 5.9, contents: { span: [4, 5, 6] } },
      { due: [4, 5], pollAt: 6 },
    ],
    [
      'is polled again when the next item expires',
      { now: 5, contents: { span: [17] } },
      { due: [], pollAt: 17 },
    ],
    ['but never twice in a second', { now: 5.95, contents: { span: [5, 6] } }, { due: [5], pollAt: 6 }],
    [
      'an item with a fraction waits for the next whole second',
      { now: 5, contents: { span: [5.5] } },
      { due: [], pollAt: 6 },
    ],
    [
      'an item with a fraction in the last second waits for the end',
      { now: 59, contents: { span: [59.5] } },
      { due: [], pollAt: 60 },
    ],
    ['which takes it', { now: 60, contents: { span: [59.5] } }, { due: [59.5], pollAt: null }],
    ['leaves what expires after it', { now: 61, contents: { span: [59, 60] } }, { due: [59], pollAt: null }],
    ['has nothing more to wait for', { now: 5, contents: { span: [5] } }, { due: [5], pollAt: null }],
    ['is over', { now: 60, contents: { span: [] } }, { due: [], pollAt: null }],
    [
      'begins with what is left in the window before it',
      { now: 0, contents: { before: [-30, 0], span: [3] } },
      { due: [-30, 0], pollAt: 3 },
    ],
    [
      'an item of the edge, stamped the older way, is waited for',
      { now: -0.5, contents: { before: [0], span: [3] } },
      { due: [], pollAt: 0 },
    ],
    [
      'leaves out what an earlier poll has seen',
      { now: 7, seen: START + 5, contents: { span: [4, 5, 6, 9] } },
      { due: [6], pollAt: 9 },
    ],
    [
      'late: takes everything that is due at once',
      { now: 40, contents: { span: [1, 20, 40, 41] } },
      { due: [1, 20, 40], pollAt: 41 },
    ],
  ])('%s', async (_name, given, expected) => expect(await poll(given)).toMatchObject(expected));

  test.each([
    [1, 5.2, [6, 7], 6],
    [5, 5.2, [6, 7], 10],
    [5, 58, [59], 60],
    [30, 5, [6], 35],
  ])('%d s apart: at %d with items at %p polls again at %d', async (precisionSeconds, now, span, pollAt) => {
    const pace = { precisionSeconds, pollSeconds: 0 };
    expect((await poll({ now, contents: { span }, pace })).pollAt).toBe(pollAt);
  });

  test.each([
    ['nothing known', 5, [], 10],
    ['an item sooner than the poll', 5, [7], 7],
    ['an item later than the poll', 5, [17], 10],
    ['the end sooner than the poll', 58, [], 60],
    ['the end', 60, [], null],
  ])('polling every 5 s with %s', async (_name, now, span, pollAt) => {
    const pace = { precisionSeconds: 1, pollSeconds: 5 };
    expect((await poll({ now, contents: { span }, pace })).pollAt).toBe(pollAt);
  });

  test('a poll of several pages takes all of them and is followed by another at once', async () => {
    const contents = { before: new Array(1500).fill(-1), span: [...new Array(1200).fill(0), 9] };
    const { due, pollAt, pages } = await poll({ now: 0.2, contents });
    expect(due).toHaveLength(2700);
    expect(pages).toBe(3);
    expect(pollAt).toBe(0);
  });

  test('what failed for good does not hide what is due behind it', async () => {
    const stuck = new Array(PAGE_KEYS + 100).fill(5);
    expect(await poll({ now: 7, seen: START + 5, contents: { span: [...stuck, 6, 7, 9] } })).toMatchObject({
      due: [6, 7],
      pollAt: 9,
    });
  });
});

describe('a target that lies back', () => {
  test('takes what is expired up to its end, whatever the time, and is polled once', async () => {
    const given = { target: BACK, now: 500, contents: { span: [-10, 29, 30, 31] } };
    expect(await poll(given)).toMatchObject({ due: [-10, 29, 30], pollAt: null, pages: 1 });
  });

  test('ends before its end', async () => {
    const target = { ...BACK, before: START + 60 };
    expect((await poll({ target, now: 500, contents: { span: [59, 59.5, 60] } })).due).toEqual([59, 59.5]);
  });
});

describe('several shards of an upcoming minute', () => {
  const shard = (number: number) => windowKey(START, 60, number);
  const target: SweepTarget = { ...UPCOMING, windows: [{ start: START, shards: '0-2' }] };
  const known = [
    { places: '0', seen: START + 4, next: START + 9 },
    { places: '1', seen: START + 2, next: START + 5 },
  ];

  /** One page of a poll at START + 5: what it asked for, from where on, and what it says. */
  async function pageOf(pace: typeof PACE, maxKeys = PAGE_KEYS, perShard = 1) {
    const asked: [number, number][] = [];
    const readIndex: ReadIndex = async ({ value }, { from }, _startKey, limit) => {
      const number = [0, 1, 2].map(shard).indexOf(`${value}`);
      asked.push([number, from - START]);
      const entries = Array.from({ length: Math.min(perShard, limit) }, (_unused, index) => ({
        key: { id: { S: `${number}-${index}` } },
        ttl: START + 5,
      }));
      return {
        entries,
        positions: entries.map(({ key }) => key),
        more: perShard > limit,
        readAt: START + 5,
      };
    };
    const poll = { ...startPoll(target), seen: START + 4, ahead: 0, known };
    const page = await readPage(target, poll, {
      ...{ layout: LAYOUT, readIndex, pace, maxKeys },
      machineClock: () => (START + 5) * 1000,
      outOfTime: () => false,
    });
    return { asked, page };
  }

  test('those of which nothing is due are left out, and the others are read from where they were', async () => {
    const { asked, page } = await pageOf(PACE);
    expect(asked).toEqual([
      [1, 2],
      [2, 4],
    ]);
    expect(page.nextExpiry).toBe(START + 9);
    const read = { seen: START + 5, next: null };
    expect(page.keys).toEqual({ 1: read, 2: read });
  });

  test('all are read by polls that look for what is new', async () => {
    const { asked } = await pageOf({ ...PACE, pollSeconds: 5 });
    expect(asked.map(([number]) => number)).toEqual([0, 1, 2]);
  });

  test('one that the page has no room for is not taken for read', async () => {
    const { page } = await pageOf(PACE, 3, 2);
    expect(page.due).toHaveLength(3);
    expect(Object.keys(page.keys ?? {})).toEqual(['1']);
    expect(page.position).toMatchObject({ indexKey: 2 });
  });
});

describe("DynamoDB's clock", () => {
  /** One page, with times in seconds after START. */
  const pageAt = (readAt: number | undefined, machine: number[], pace = PACE) => {
    const clock = machine.values();
    const readIndex: ReadIndex = async (key, range, startKey, limit) => ({
      ...(await windows({ span: [3, 4, 5, 6] }, 0).read(key, range, startKey, limit)),
      readAt: readAt === undefined ? undefined : START + readAt,
    });
    const machineClock = () => (START + (clock.next().value ?? Number.NaN)) * 1000;
    const options = { layout: LAYOUT, readIndex, pace, machineClock, maxKeys: PAGE_KEYS };
    return readPage(UPCOMING, startPoll(UPCOMING), { ...options, outOfTime: () => false });
  };

  test.each<[string, number, [number, number], number]>([
    ['that goes with it', 5, [5.03, 5.05], 0],
    ['whose second ends while the query is under way', 5, [4.99, 5.05], 0],
    ['that is as far as when it was asked', 5, [5.99, 6.01], 0],
    ['that has not come to the second yet', 4, [5.03, 5.05], -1],
    ['that is far behind', 4, [9.03, 9.05], -5],
    ['that is far ahead', 5, [0.03, 0.05], 5],
  ])(
    'decides what is due, and is compared with the machine: one %s',
    async (_name, readAt, machine, ahead) => {
      const page = await pageAt(readAt, machine);
      expect(page).toMatchObject({ cutoff: START + readAt, ahead });
      expect(page.due.map(({ ttl }) => ttl - START)).toEqual(readAt === 4 ? [3, 4] : [3, 4, 5]);
      expect(page.nextExpiry).toBe(START + readAt + 1);
    },
  );

  test('less the margin is the cutoff', async () => {
    const pace = { ...PACE, marginSeconds: 1 };
    // The machine's clock is that far behind here, as the function gives it.
    const page = await pageAt(5, [4.03, 4.05], pace);
    expect(page).toMatchObject({ cutoff: START + 4, ahead: 0 });
  });

  test('decides nothing that an answer does not tell', async () => {
    await expect(pageAt(undefined, [5, 5])).rejects.toThrow(DynamoDbDateMissingError);
  });

  test('leaves what would be too old by the time that it is deleted', async () => {
    const bound = 5 * 365 * 86_400 - 600;
    const contents = { span: [-bound - 1, -bound, -bound + 1, 0] };
    const target = { ...UPCOMING, from: START - 6 * 365 * 86_400 };
    const { due } = await poll({ target, now: 0, contents });
    expect(due).toEqual([-bound + 1, 0]);
  });
});

describe('what a poll reads', () => {
  test('is each window once when nothing is due', async () => {
    expect((await poll({ now: 5, contents: { span: [30] } })).asked).toEqual(['before', 'span']);
  });

  test('is no more than its own minute, however much expires right after it', async () => {
    const contents = { before: [], span: [10, ...new Array(5 * PAGE_KEYS).fill(60)] };
    expect(await poll({ now: 10, contents })).toMatchObject({ due: [10], asked: ['before', 'span'] });
    expect(await poll({ now: 60, seen: START + 10, contents })).toMatchObject({
      due: [],
      pollAt: null,
      asked: ['span'],
    });
  });

  test.each<[string, Partial<Given>, string[]]>([
    ['that ended before what an earlier poll has seen: no', { seen: START }, ['span']],
    [
      'that has not ended before it: items of the edge may lie there',
      { seen: START - 1 },
      ['before', 'span'],
    ],
    ['that holds what is due later', { seen: START, holdsStrays: true }, ['before', 'span']],
    ['when all is to be tried again', { seen: null }, ['before', 'span']],
  ])('is, besides the window of the minute, one %s', async (_name, given, asked) => {
    expect((await poll({ now: 7, contents: { span: [30] }, ...given })).asked).toEqual(asked);
  });

  test.each([
    ['after its end', [-30, 20], true],
    ['on its edge, as the older way has it', [-30, 0], false],
    ['in the minute of another child', [60, 90], false],
  ])('tells of a window that holds what is due %s', async (_name, before, sawStrays) => {
    expect(await poll({ now: -1, contents: { before, span: [30] } })).toMatchObject({ sawStrays });
  });

  test.each([
    [0, 0],
    [1, 1],
    [100, 100],
    [160, 100],
    [100, 160],
    [0, 900],
  ])(
    'is about what is due: after a poll of %d, one of %d among a thousand that are not',
    async (lastDue, due) => {
      const contents = { span: [...new Array(due).fill(5), ...new Array(1000).fill(30)] };
      const { entriesRead, due: found, pollAt } = await poll({ now: 5, lastDue, contents });
      expect(found).toHaveLength(due);
      expect(pollAt).toBe(30);
      expect(entriesRead).toBeLessThanOrEqual(Math.max(lastDue * 1.25 + 11, due * 4 + 50));
    },
  );
});

test('a first poll asks for as many entries as it pays for, not for ten and then for more', async () => {
  const contents = { span: [...new Array(30).fill(5), 30] };
  expect(await poll({ now: 5, contents })).toMatchObject({ asked: ['before', 'span'], entriesRead: 31 });
});

test('what a poll found is shared by the keys of a child with several shards: none is read for all of them', async () => {
  const shards = 10;
  const target = { ...UPCOMING, windows: [{ start: START, shards: `0-${shards - 1}` }] };
  const contents = { span: [...new Array(50).fill(5), ...new Array(1000).fill(30)] };
  const lastDue = 50 * shards;
  const { entriesRead, due } = await poll({ target, now: 5, lastDue, contents });
  expect(due).toHaveLength(lastDue);
  expect(entriesRead).toBeLessThanOrEqual(lastDue * 1.25 + 11 * shards);
});

describe('by second', () => {
  const layout = indexLayout(expiryModel({ partitionKey: 'id', indexedBy: 'second' }));
  const minute: SweepTarget = {
    windows: windowsOf(SPAN),
    from: START,
    before: START + 60,
    upcomingFrom: null,
  };
  const upcoming = { ...minute, upcomingFrom: START };

  /** One page; each second holds `perSecond` items, and those in `busy` refuse. */
  async function pageOf(
    target: SweepTarget,
    {
      now = 60,
      perSecond = 1,
      sortKey = '',
      position = null,
      seen = null,
      busy = [],
      outOfTime = () => false,
    }: {
      now?: number;
      perSecond?: number;
      /** Of each item. */
      sortKey?: string;
      position?: PagePosition | null;
      seen?: number | null;
      busy?: readonly number[];
      outOfTime?: () => boolean;
    },
  ) {
    const asked: number[] = [];
    const readIndex: ReadIndex = async ({ ttl = 0 }, _range, startKey, limit) => {
      asked.push(ttl - START);
      if (busy.includes(ttl - START)) throw new DynamoDbBusyError('throttled');
      const first = startKey === null ? 0 : Number(Object.values(startKey['id'] ?? {})[0]) + 1;
      const keys = Array.from({ length: perSecond }, (_unused, index) => ({
        id: { N: String(index) },
        sort: { S: sortKey },
      }));
      const entries = keys.slice(first, first + limit).map(key => ({ key, ttl }));
      return {
        entries,
        positions: entries.map(({ key }) => key),
        more: first + limit < perSecond,
        readAt: START + now,
      };
    };
    const machineClock = () => (START + now) * 1000;
    const options = { layout, readIndex, pace: PACE, machineClock, maxKeys: PAGE_KEYS, outOfTime };
    const page = await readPage(target, { ...startPoll(target), position, seen }, options);
    return { ...page, asked };
  }

  test('a page goes on over the seconds of a minute', async () => {
    const { due, position, asked } = await pageOf(minute, { perSecond: 3 });
    expect(due).toHaveLength(180);
    expect(position).toBeNull();
    expect(asked).toHaveLength(60);
  });

  test.each([
    ['keys than a page may have', { perSecond: 70 }, 5],
    ['bytes than fit', { perSecond: 5, sortKey: 'x'.repeat(1_000) }, 3],
  ])('a page of more %s goes on where it ended, also within a second', async (_more, items, expected) => {
    const all: number[] = [];
    let position: PagePosition | null = null;
    let pages = 0;
    do {
      const page: PolledPage = await pageOf(minute, { ...items, position });
      expect(page.due.length).toBeLessThanOrEqual(PAGE_KEYS);
      all.push(...page.due.map(({ ttl, key }) => ttl * 1000 + Number(Object.values(key['id'] ?? {})[0])));
      position = page.position;
      pages += 1;
    } while (position !== null && pages < 20);
    expect(pages).toBe(expected);
    expect(new Set(all).size).toBe(60 * items.perSecond);
  });

  test('an upcoming minute asks for the seconds that have come and were not seen, and wakes for the next', async () => {
    const { due, asked, nextExpiry } = await pageOf(upcoming, { now: 7, seen: START + 4 });
    expect(asked).toEqual([5, 6, 7]);
    expect(due.map(({ ttl }) => ttl - START)).toEqual([5, 6, 7]);
    expect(nextExpiry).toBe(START + 8);
    const pace = { precisionSeconds: 1, pollSeconds: 1 };
    expect(nextPollAt(upcoming, pace, START + 7, { nextExpiry, tookSeveralPages: false })).toBe(START + 8);
  });

  test('the last second is followed by no other', async () => {
    const { nextExpiry } = await pageOf(upcoming, { now: 60, seen: START + 58 });
    expect(nextExpiry).toBe(Number.POSITIVE_INFINITY);
  });

  test('a page that DynamoDB becomes too busy for ends there, and goes on there', async () => {
    const page = await pageOf(minute, { busy: [20] });
    expect(page.due).toHaveLength(20);
    expect(page.position).toEqual({ indexKey: 20, key: null });
    const next = await pageOf(minute, { position: page.position });
    expect(next.asked[0]).toBe(20);
    expect(next.due).toHaveLength(40);
  });

  test('one that it was too busy for from the start is made again', async () => {
    await expect(pageOf(minute, { busy: [0] })).rejects.toThrow(DynamoDbBusyError);
  });

  test('a page that takes too long ends after what it has read, with something read at least', async () => {
    const page = await pageOf(minute, { perSecond: 0, outOfTime: () => true });
    expect(page).toMatchObject({ due: [], position: { indexKey: 1, key: null }, asked: [0] });
  });
});
