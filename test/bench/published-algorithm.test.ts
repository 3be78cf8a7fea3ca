import {
  type PublishedStore,
  stampedWindow,
  sweepPublished,
  sweptWindow,
} from '../../bench/lag/published-algorithm.ts';

const NINE = Date.parse('2026-11-20T09:00:00Z') / 1000;

interface Item {
  readonly id: string;
  readonly ttl: number;
}

/** A table in memory; a page holds `pageKeys` items, and batches come back as `unprocessed` says. */
class FakeStore implements PublishedStore<Item> {
  readonly items: Set<Item>;
  readonly batches: number[] = [];
  queries = 0;
  readonly #pageKeys: number;
  readonly #unprocessed: (batch: readonly Item[], call: number) => readonly Item[];

  constructor(
    items: readonly Item[],
    pageKeys = Number.POSITIVE_INFINITY,
    unprocessed: (batch: readonly Item[], call: number) => readonly Item[] = () => [],
  ) {
    this.items = new Set(items);
    this.#pageKeys = pageKeys;
    this.#unprocessed = unprocessed;
  }

  readonly queryPage = async (windowKey: string, before: number): Promise<Item[]> => {
    this.queries += 1;
    const inWindow = [...this.items].filter(
      ({ ttl }) => stampedWindow(ttl).key === windowKey && ttl < before,
    );
    return inWindow.slice(0, this.#pageKeys);
  };

  readonly deleteBatch = async (keys: readonly Item[]): Promise<readonly Item[]> => {
    const back = this.#unprocessed(keys, this.batches.length);
    this.batches.push(keys.length);
    for (const key of keys) if (!back.includes(key)) this.items.delete(key);
    return back;
  };
}

const items = (...ttls: number[]): Item[] => ttls.map((ttl, index) => ({ id: `item-${index}`, ttl }));
const manyItems = (count: number) =>
  items(...Array.from({ length: count }, (_unused, index) => NINE + 1 + (index % 59)));

describe('the windows of the published algorithm', () => {
  test.each([
    ['just after an edge', NINE + 1, '2026-11-20T09:00:00.000Z_2026-11-20T09:01:00.000Z'],
    ['just before an edge', NINE + 59, '2026-11-20T09:00:00.000Z_2026-11-20T09:01:00.000Z'],
    [
      'on an edge: into the window that ends there',
      NINE + 60,
      '2026-11-20T09:00:00.000Z_2026-11-20T09:01:00.000Z',
    ],
    ['a second later', NINE + 61, '2026-11-20T09:01:00.000Z_2026-11-20T09:02:00.000Z'],
  ])('%s', (_name, ttl, key) => {
    expect(stampedWindow(ttl).key).toBe(key);
  });

  test.each([
    ['at the minute', NINE * 1000 + 60_000],
    ['anywhere within it', NINE * 1000 + 119_999],
  ])('an invocation %s asks for the one that has just ended', (_name, nowMs) => {
    expect(sweptWindow(nowMs)).toEqual({
      key: '2026-11-20T09:00:00.000Z_2026-11-20T09:01:00.000Z',
      end: NINE + 60,
    });
  });
});

describe('what the published algorithm deletes', () => {
  test('everything within the window', async () => {
    const store = new FakeStore(items(NINE + 1, NINE + 30, NINE + 59));
    await sweepPublished(store, (NINE + 60) * 1000);
    expect(store.items.size).toBe(0);
  });

  test('in batches of 25, one after the other', async () => {
    const store = new FakeStore(manyItems(60));
    await sweepPublished(store, (NINE + 60) * 1000);
    expect(store.batches).toEqual([25, 25, 10]);
  });
});

describe('what the published algorithm misses', () => {
  test('an item that expires on an edge, in every sweep there is', async () => {
    const store = new FakeStore(items(NINE + 60));
    for (let minute = 0; minute < 5; minute += 1) await sweepPublished(store, (NINE + minute * 60) * 1000);
    expect([...store.items].map(({ ttl }) => ttl)).toEqual([NINE + 60]);
  });

  test('what is beyond the first page', async () => {
    const store = new FakeStore(manyItems(100), 40);
    for (let minute = 1; minute < 5; minute += 1) await sweepPublished(store, (NINE + minute * 60) * 1000);
    expect(store.items.size).toBe(60);
    expect(store.queries).toBe(4);
  });

  test('the window of a minute in which it did not run', async () => {
    const store = new FakeStore(items(NINE + 30));
    await sweepPublished(store, (NINE + 120) * 1000);
    expect(store.items.size).toBe(1);
  });

  test('what is still unprocessed after three immediate retries', async () => {
    const store = new FakeStore(manyItems(2), undefined, batch => batch);
    await sweepPublished(store, (NINE + 60) * 1000);
    expect(store.batches).toEqual([2, 2, 2, 2]);
    expect(store.items.size).toBe(2);
  });

  test('only the unprocessed keys are tried again', async () => {
    const store = new FakeStore(manyItems(4), undefined, (batch, call) =>
      call === 0 ? batch.slice(0, 1) : [],
    );
    await sweepPublished(store, (NINE + 60) * 1000);
    expect(store.batches).toEqual([4, 1]);
    expect(store.items.size).toBe(0);
  });
});
