import {
  everyMinute,
  type PublishedStore,
  stampedWindow,
  sweepPublished,
} from '../../../lab/experiments/lag/published-algorithm.ts';

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
});

describe('every minute', () => {
  beforeEach(() => jest.useFakeTimers({ now: NINE * 1000 + 30_000 }));
  afterEach(() => jest.useRealTimers());

  test('acts at every full minute, from the next one on, until it is ended', async () => {
    const minutes: number[] = [];
    const end = everyMinute(
      async minuteMs => {
        minutes.push(minuteMs);
      },
      () => {},
    );
    await jest.advanceTimersByTimeAsync(150_000);
    expect(minutes).toEqual([NINE * 1000 + 60_000, NINE * 1000 + 120_000, NINE * 1000 + 180_000]);
    await end();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(minutes).toHaveLength(3);
  });
});
