import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
import { OLDEST_EXPIRY_AGE_SECONDS } from '../../../expiry/ttl.ts';
import { countEntries, entriesToTake, readPage } from '../../../functions/query-expired/read-page.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { SweepTarget } from '../../../statemachine/contract/child.ts';
import { PAGE_KEYS } from '../../../statemachine/contract/limits.ts';
import { MemoryTable } from '../../support/simulation/memory-table.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z') / 1000;
const TARGET: SweepTarget = { shards: '0', from: NOW - 100, before: NOW + 100, upcomingFrom: null };
const DAY = { granularityMinutes: 1440 };
const SECOND = { indexedBy: 'second' } as const;

type Props = Omit<ExpiryModelProps, 'partitionKey'>;
/** TTLs in seconds from NOW. */
type Held = readonly (readonly [ttl: number, count?: number, shard?: number])[];

interface Case {
  readonly target?: Partial<SweepTarget>;
  readonly cursor?: number;
  readonly upTo?: number;
  readonly marginSeconds?: number;
  readonly patienceMs?: number;
  readonly left?: number;
  /** Milliseconds that each read takes by the machine's clock. */
  readonly readMs?: number;
  /** Changes the answer to a read. */
  readonly answering?: (page: Awaited<ReturnType<ReadIndex>>) => Awaited<ReturnType<ReadIndex>>;
}

function tableOf(held: Held, props: Props) {
  const model = expiryModel({ partitionKey: 'id', ...props });
  const table = new MemoryTable(model, () => NOW * 1000);
  let id = 0;
  for (const [ttl, count = 1, shard = 0] of held) {
    for (let copy = 0; copy < count; copy += 1, id += 1) table.write(`${id}`, NOW + ttl, shard);
  }
  return { table, layout: indexLayout(model) };
}

/** Reads a page of a table with these items, 250 ms after NOW by the machine's clock. */
async function read(held: Held, props: Props, more: Case = {}) {
  const {
    target,
    cursor = NOW - 101,
    upTo = NOW + 60,
    marginSeconds = 0,
    patienceMs = 1_000,
    left = 0,
    readMs = 0,
  } = more;
  const { table, layout } = tableOf(held, props);
  let nowMs = NOW * 1000 + 250;
  const counted = { reads: 0, atOnce: 0, mostAtOnce: 0 };
  const readIndex: ReadIndex = async (...query) => {
    counted.reads += 1;
    counted.atOnce += 1;
    counted.mostAtOnce = Math.max(counted.mostAtOnce, counted.atOnce);
    await Promise.resolve();
    nowMs += readMs;
    counted.atOnce -= 1;
    const page = await table.readIndex(...query);
    return more.answering?.(page) ?? page;
  };
  const options = { layout, readIndex, machineClock: () => nowMs, marginSeconds, patienceMs, left };
  const page = await readPage({ ...TARGET, ...target }, cursor, upTo, options);
  return {
    ...{ ...page, knownUpTo: page.knownUpTo - NOW, takenUpTo: page.takenUpTo - NOW },
    ttls: page.entries.map(({ ttl }) => ttl - NOW).sort((one, other) => one - other),
    ...counted,
  };
}

describe.each<[string, Props]>([
  ['in windows of a day', DAY],
  ['by second', SECOND],
])('%s a page', (_name, props) => {
  test('has what lies after the cursor and in the target, in the order of TTL', async () => {
    const held = [-100, -50, 99, 3, 0, 60, 61, -101, 100].map(second => [second] as const);
    const page = await read(held, props, { cursor: NOW - 100 });
    expect(page).toMatchObject({ ttls: [-50, 0, 3, 60], cutoff: NOW, clockSkewMs: 250 });
    expect(page).toMatchObject({ knownUpTo: 60, takenUpTo: 60 });
    expect((await read(held, props)).ttls).toEqual([-100, -50, 0, 3, 60]);
    expect((await read(held, props, { upTo: NOW + 100 })).ttls).toEqual([-100, -50, 0, 3, 60, 61, 99]);
  });

  test('knows what is expired by DynamoDB’s clock and the margin', async () => {
    expect(await read([], props, { marginSeconds: 30, upTo: NOW - 10 })).toMatchObject({ cutoff: NOW - 30 });
  });

  test('has some of a second with more entries than it has room for, which it does not pass', async () => {
    const page = await read([[-10, 2_500]], props);
    expect(page).toMatchObject({ knownUpTo: -11, takenUpTo: -10 });
    expect(page.ttls.length).toBeGreaterThan(100);
  });

  test('without the date of an answer is none', async () => {
    const answering: Case['answering'] = ({ readAt: _readAt, ...page }) => page;
    await expect(read([[-1]], props, { answering })).rejects.toThrow(
      'expected an answer with the header Date',
    );
  });
});

test('in windows of a day a page of more entries than it has room for ends before the TTL of which it does not have all', async () => {
  const page = await read(
    [
      [-20, 700],
      [-10, 2_000],
      [-5, 700],
    ],
    DAY,
  );
  expect(page.knownUpTo).toBe(-11);
  expect(page.takenUpTo).toBeLessThan(-5);
  expect(page.ttls.filter(ttl => ttl === -20)).toHaveLength(700);
  // It knows nothing of its last second.
  const fractions = await read(
    [
      [-10.5, 990],
      [-10.25, 990],
    ],
    DAY,
  );
  expect(fractions).toMatchObject({ knownUpTo: -11, takenUpTo: -10.5 });
});

test('by second a page of no key is empty, and knows all', async () => {
  const page = await read([], SECOND, { cursor: NOW, upTo: NOW });
  expect(page).toMatchObject({ ttls: [], reads: 0, knownUpTo: 0, cutoff: NOW });
});

describe('of several keys', () => {
  const SHARDS = { ...DAY, shards: 3 };
  const target = { shards: '0-2' };

  test('a page ends where the key ends that was read least far', async () => {
    const held: Held = [
      [-90, 400, 0],
      [-80, 400, 0],
      [-70, 1, 1],
      [-10, 1, 2],
    ];
    expect(await read(held, SHARDS, { target })).toMatchObject({ reads: 3, knownUpTo: -91, takenUpTo: -90 });
  });

  test('each has its share of the page', async () => {
    const held = [0, 1, 2].map(shard => [-90, 1_000, shard] as const);
    expect((await read(held, SHARDS, { target })).ttls).toHaveLength(3 * (Math.ceil(PAGE_KEYS / 3) + 1));
  });

  test('one that is full of what the page before left keeps no other waiting', async () => {
    const held: Held = [
      [-90, 400, 0],
      [-80, 1, 0],
      [-70, 1, 1],
      [-70, 1, 2],
    ];
    expect(await read(held, SHARDS, { target })).toMatchObject({ takenUpTo: -90 });
    const further = await read(held, SHARDS, { target, left: 400 });
    expect(further).toMatchObject({ knownUpTo: 60, takenUpTo: 60 });
    const seconds: Held = [[-100, PAGE_KEYS], ...secondsOf(-99, 1)];
    expect(await read(seconds, SECOND, { left: PAGE_KEYS })).toMatchObject({ takenUpTo: 60 });
  });

  test('ten are read at once', async () => {
    expect(await read([], SECOND)).toMatchObject({ reads: 161, mostAtOnce: 10 });
  });

  test('all shards of a window are read before the page ends', async () => {
    const all = { target: { shards: '0-24' }, readMs: 400 };
    const page = await read([[-5, 1, 24]], { ...DAY, shards: 25 }, all);
    expect(page).toMatchObject({ ttls: [-5], reads: 25, mostAtOnce: 10, knownUpTo: 60 });
  });

  test.each<[string, Props, Held, Case, number]>([
    ['by second when its time is over', SECOND, [[59]], { readMs: 30 }, -100 + 40 - 1],
    ['by second when it is full', SECOND, [[-100, 99], ...secondsOf(-99, 99)], {}, -100 + 20 - 1],
    [
      'in windows of a minute when its time is over',
      { granularityMinutes: 1, shards: 25 },
      [],
      { target: { shards: '0-24' }, readMs: 400 },
      -61,
    ],
  ])('a page ends early %s, before the next key', async (_name, props, held, more, upTo) => {
    expect(await read(held, props, more)).toMatchObject({ knownUpTo: upTo, takenUpTo: upTo });
  });
});

/** Every second from this one on for half a minute has so many. */
function secondsOf(first: number, count: number): Held {
  return Array.from({ length: 30 }, (_unused, second) => [first + second, count]);
}

test.each<[string, Held, Case, number[]]>([
  ['one after the cursor is read', [[-9.5]], { cursor: NOW - 10 }, [-9.5]],
  ['one before the cursor is not', [[-9.5]], { cursor: NOW - 9 }, []],
  ['one before the target’s end belongs to it', [[-0.5], [0.5]], { target: { before: NOW } }, [-0.5]],
  ['one from the target’s beginning on does', [[-100.5], [-99.5]], {}, [-99.5]],
])('of fractional TTLs %s', async (_name, held, more, ttls) =>
  expect((await read(held, DAY, more)).ttls).toEqual(ttls),
);

test('what is taken of a page is in the order of TTL, with the keys that the page before left, each once', () => {
  const key = (id: string, second: number) => ({ key: { id: { S: id } }, ttl: NOW + second });
  // Five years old before its child has ended, and a second younger.
  const oldest = 600 + 30 - OLDEST_EXPIRY_AGE_SECONDS;
  const page = {
    entries: [key('b', 3), key('a', -5), key('c', 9), key('old', oldest), key('younger', oldest + 1)],
    ...{ cutoff: NOW, knownUpTo: NOW + 20, takenUpTo: NOW + 8, clockSkewMs: 0 },
  };
  const left = [key('a', -5), key('z', -9), key('y', 1)];
  const taken = (ahead: number) =>
    entriesToTake(page, left, ahead, { marginSeconds: 30 }).map(({ ttl }) => ttl - NOW);
  expect([taken(0), taken(60)]).toEqual([
    [oldest + 1, -9, -5],
    [oldest + 1, -9, -5, 3],
  ]);
});

describe('a dry run counts', () => {
  async function count(held: Held, props: Props, { cursor = NOW - 101, readMs = 0 }: Case = {}) {
    const { table, layout } = tableOf(held, props);
    let nowMs = 0;
    const {
      count: all,
      samples,
      upTo,
    } = await countEntries({ ...TARGET, before: NOW }, cursor, {
      ...{
        layout,
        readIndex: table.readIndex,
        machineClock: () => nowMs,
        marginSeconds: 0,
        patienceMs: 1_000,
      },
      countIndex: (...query) => {
        nowMs += readMs;
        return table.countIndex(...query);
      },
    });
    return [all, Math.min(20, samples.length), upTo - NOW];
  }

  test.each([DAY, SECOND])('in %j all of its target, with samples', async props => {
    expect(await count([[-100, 2_000], [-1, 5], [0, 9], [-101]], props)).toEqual([2_005, 20, -1]);
  });

  test('by second as far as its time suffices, and then goes on', async () => {
    const held: Held = [[-100], [-60], [-40]];
    expect(await count(held, SECOND, { readMs: 20 })).toEqual([2, 2, -41]);
    expect(await count(held, SECOND, { cursor: NOW - 41 })).toEqual([1, 1, -1]);
  });
});
