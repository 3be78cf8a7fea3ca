import { VirtualClock } from 'stepfunctions-emulator';
import { readFilter } from '../../src/streams/mapping-settings.ts';
import {
  CRASHED,
  DONE,
  type FakeShard,
  failedAt,
  fakeStream,
  number,
  numbers,
  type Polled,
  polled,
  SETTINGS,
  THROTTLED,
} from './fake-stream.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
let clock: VirtualClock;
beforeEach(() => {
  clock = new VirtualClock(START);
});

const closed = (records: string[], over: Partial<FakeShard> = {}): FakeShard => ({
  id: 'shard-1',
  records,
  isOpen: false,
  ...over,
});
const open = (records: string[], over: Partial<FakeShard> = {}): FakeShard =>
  closed(records, { isOpen: true, ...over });

/** Short: `1-3` for the sequence numbers 1 to 3. */
const short = ({ batches }: Pick<Polled, 'batches'>): string[] =>
  batches.map(batch => {
    const [first, last] = [batch[0], batch.at(-1)].map(each => String(Number(each)));
    return first === last ? `${first}` : `${first}-${last}`;
  });

async function run(seen: Polled, ms: number): Promise<void> {
  seen.poller.start();
  await clock.sleep(ms);
  await seen.poller.stop();
}

describe('batches', () => {
  test('are at most as large as the mapping says, in order', async () => {
    const seen = polled([closed(numbers(1, 25))], clock);
    await run(seen, 1_000);
    expect(short(seen)).toEqual(['1-10', '11-20', '21-25']);
  });

  test('without a window are handed over as they are read', async () => {
    const shard = open(numbers(1, 2));
    const seen = polled([shard], clock);
    clock.schedule(600, () => shard.records.push(...numbers(3, 3)));
    await run(seen, 2_000);
    expect(short(seen)).toEqual(['1-2', '3']);
  });

  test.each([
    ['the window of the first record', 9, 60, [['1-9', 60_000]]],
    [
      'a full batch',
      12,
      60,
      [
        ['1-10', 0],
        ['11-12', 60_000],
      ],
    ],
  ])('wait for %s', async (_what, records, batchingWindowSeconds, expected) => {
    const times: number[] = [];
    const seen = polled([open(numbers(1, records))], clock, {
      settings: { ...SETTINGS, batchingWindowSeconds },
      answer: () => {
        times.push(clock.now() - START);
        return DONE;
      },
    });
    await run(seen, 100_000);
    expect(short(seen).map((batch, index) => [batch, times[index]])).toEqual(expected);
  });

  test('do not wait for the window when a shard has ended', async () => {
    const seen = polled([closed(numbers(1, 2))], clock, {
      settings: { ...SETTINGS, batchingWindowSeconds: 300 },
    });
    await run(seen, 1_000);
    expect(short(seen)).toEqual(['1-2']);
  });

  test('have at most 6 MB', async () => {
    const shard = closed(numbers(1, 40), { itemBytes: 390_000 });
    const seen = polled([shard], clock, { settings: { ...SETTINGS, batchSize: 100 } });
    await run(seen, 1_000);
    expect(seen.batches.flat()).toEqual(numbers(1, 40));
    expect(seen.batches.map(batch => batch.length)).toEqual([16, 16, 8]);
    for (const event of seen.events)
      expect(JSON.stringify(event).length).toBeLessThanOrEqual(6 * 1024 * 1024);
  });

  test('have only what a filter wants, and the position goes on over the rest', async () => {
    const eventNames = { [number(2)]: 'INSERT', [number(4)]: 'MODIFY', [number(5)]: 'INSERT' } as const;
    const seen = polled([open(numbers(1, 5), { eventNames })], clock, {
      settings: { ...SETTINGS, filters: [readFilter('{"eventName":["REMOVE"]}')] },
    });
    await run(seen, 1_000);
    expect(seen.batches).toEqual([[number(1), number(3)]]);
    const idle = polled(
      [open(numbers(1, 5), { eventNames: { ...eventNames, [number(1)]: 'INSERT', [number(3)]: 'INSERT' } })],
      clock,
      {
        settings: { ...SETTINGS, filters: [readFilter('{"eventName":["REMOVE"]}')] },
      },
    );
    await run(idle, 1_000);
    expect(idle.batches).toEqual([]);
    expect(idle.checkpoints.get('shard-1')).toMatchObject({ after: number(5) });
  });
});

describe('a batch that fails', () => {
  const failing = (
    records: number,
    settings: Partial<typeof SETTINGS>,
    answer: NonNullable<Parameters<typeof polled>[2]>['answer'],
  ) =>
    polled([open(numbers(1, records))], clock, {
      settings: { ...SETTINGS, ...settings },
      ...(answer && { answer }),
    });
  const poison = (bad: number) => (batch: string[]) => (batch.includes(number(bad)) ? CRASHED : DONE);

  test('is tried again, later and later, and nothing after it goes first', async () => {
    const times: number[] = [];
    const seen = failing(12, { bisects: false }, (_batch, call) => {
      times.push(clock.now() - START);
      return call <= 4 ? CRASHED : DONE;
    });
    await run(seen, 60_000);
    expect(short(seen)).toEqual(['1-10', '1-10', '1-10', '1-10', '1-10', '11-12']);
    expect(times).toEqual([0, 250, 750, 1_750, 3_750, 3_750]);
  });

  test('is cut in two until only the bad record is left', async () => {
    const seen = failing(8, { maximumRetryAttempts: 2 }, poison(3));
    await run(seen, 60_000);
    expect(short(seen)).toEqual(['1-8', '1-4', '1-2', '3-4', '3', '3', '3', '4', '5-8']);
    expect(seen.discarded).toMatchObject([
      { reason: 'RetryAttemptsExhausted', shardId: 'shard-1', isFunctionError: true, invocations: 6 },
    ]);
    expect(seen.discarded[0]?.records.map(({ dynamodb }) => dynamodb.SequenceNumber)).toEqual([number(3)]);
  });

  test('is given up as a whole without cutting', async () => {
    const seen = failing(12, { bisects: false, maximumRetryAttempts: 1 }, poison(3));
    await run(seen, 60_000);
    expect(short(seen)).toEqual(['1-10', '1-10', '11-12']);
    expect(seen.discarded.map(({ records }) => records.length)).toEqual([10]);
    expect(seen.checkpoints.get('shard-1')).toMatchObject({ after: number(12) });
  });

  test.each([
    ['the lowest failed record', () => failedAt(number(7), number(4)), ['1-8', '4-8']],
    ['all of them for an id that is not in the batch', () => failedAt(number(99)), ['1-8', '1-8']],
    ['all of them for an empty id', () => failedAt(number(4), ''), ['1-8', '1-8']],
    ['all of them for no id', () => failedAt(number(4), null), ['1-8', '1-8']],
    ['all of them for an answer that is none', () => ({ ok: true, payload: 'no' }) as const, ['1-8', '1-8']],
  ])('goes on from %s', async (_what, first, expected) => {
    const seen = failing(8, { bisects: false }, (_batch, call) => (call === 1 ? first() : DONE));
    await run(seen, 60_000);
    expect(short(seen)).toEqual(expected);
  });

  test('is cut at the record that failed, and only what is left is tried again', async () => {
    const seen = failing(8, {}, (_batch, call) => (call === 1 ? failedAt(number(4)) : DONE));
    await run(seen, 60_000);
    expect(short(seen)).toEqual(['1-8', '4-8']);
  });

  test('of a function that does not report failures is done, whatever it answers', async () => {
    const seen = failing(8, { reportsItemFailures: false }, () => failedAt(number(1)));
    await run(seen, 60_000);
    expect(short(seen)).toEqual(['1-8']);
  });

  test('is neither cut nor counted while the function can not be invoked', async () => {
    const seen = failing(8, { maximumRetryAttempts: 0 }, (_batch, call) => (call <= 5 ? THROTTLED : DONE));
    await run(seen, 60_000);
    expect(short(seen)).toEqual(Array.from({ length: 6 }, () => '1-8'));
    expect(seen.discarded).toEqual([]);
  });

  test('is given up when it is too old, and what is young goes on', async () => {
    const shard = open(numbers(1, 2));
    const seen = polled([shard], clock, {
      settings: { ...SETTINGS, bisects: false, maximumRecordAgeSeconds: 60 },
      answer: batch => (batch.includes(number(1)) ? CRASHED : DONE),
    });
    clock.schedule(40_000, () => shard.records.push(...numbers(3, 3)));
    await run(seen, 120_000);
    expect(seen.discarded).toMatchObject([{ reason: 'RecordAgeExceeded', isFunctionError: true }]);
    expect(seen.discarded[0]?.records.length).toBe(2);
    expect(short(seen).at(-1)).toBe('3');
  });

  test('waits with its records until the failure destination has taken them', async () => {
    const sent: string[] = [];
    let isDown = true;
    clock.schedule(20_000, () => {
      isDown = false;
    });
    const seen = polled([open(numbers(1, 2))], clock, {
      settings: { ...SETTINGS, batchSize: 1, maximumRetryAttempts: 0 },
      answer: poison(1),
      discard: async ({ records }) => {
        if (isDown) throw new Error('no queue');
        sent.push(...records.map(({ dynamodb }) => dynamodb.SequenceNumber));
      },
    });
    await run(seen, 60_000);
    expect(sent).toEqual([number(1)]);
    expect(short(seen)).toEqual(['1', '2']);
    expect(seen.errors[0]).toEqual(new Error('no queue'));
  });
});

describe('shards', () => {
  const family = (): FakeShard[] => [
    { id: 'child', parentId: 'parent', records: numbers(3, 4), isOpen: true },
    { id: 'parent', parentId: 'trimmed', records: numbers(1, 2), isOpen: false },
    { id: 'other', records: numbers(5, 6), isOpen: true },
  ];

  test('come after their parents, whatever the order of the list', async () => {
    const seen = polled(family(), clock, {
      answer: async (batch, call) => {
        if (call < 4 && batch.includes(number(1))) return CRASHED;
        return DONE;
      },
      settings: { ...SETTINGS, bisects: false },
    });
    await run(seen, 60_000);
    const order = short(seen);
    expect(order.filter(each => each === '5-6')).toEqual(['5-6']);
    expect(order.filter(each => each !== '5-6')).toEqual(['1-2', '1-2', '1-2', '3-4']);
    expect(seen.checkpoints.get('parent')).toEqual({ isEnd: true });
  });

  test('LATEST leaves out what was there, and takes the rest from its beginning', async () => {
    const shards = family();
    const [child] = shards;
    const seen = polled(shards, clock, { startingPosition: 'LATEST' });
    clock.schedule(500, () => {
      child?.records.push(number(7));
      if (child) child.isOpen = false;
      shards.push({ id: 'grandchild', parentId: 'child', records: numbers(8, 9), isOpen: true });
    });
    await run(seen, 30_000);
    expect(short(seen)).toEqual(['7', '8-9']);
  });

  test('are read again after an error, which is told once', async () => {
    const shards = [open(numbers(1, 2))];
    const real = fakeStream(shards);
    let calls = 0;
    const broken = polled(shards, clock, {
      source: {
        shards: real.shards,
        read: (...args) => {
          calls += 1;
          if (calls <= 3) throw new Error('no connection');
          return real.read(...args);
        },
      },
    });
    await run(broken, 60_000);
    expect(short(broken)).toEqual(['1-2']);
    expect(broken.errors).toEqual([new Error('no connection')]);
  });
});

test('an idle stream is read four times a second', async () => {
  let reads = 0;
  const seen = polled([], clock, {
    source: {
      shards: async () => [{ id: 'shard-1', isOpen: true }],
      read: async () => {
        reads += 1;
        return { records: [], isEnd: false };
      },
    },
  });
  await run(seen, 10_000);
  expect(reads).toBeGreaterThanOrEqual(40);
  expect(reads).toBeLessThanOrEqual(42);
});

test('an invocation that is under way ends before it stops', async () => {
  let isDone = false;
  const seen = polled([open(numbers(1, 2))], clock, {
    answer: async () => {
      await clock.sleep(5_000);
      isDone = true;
      return DONE;
    },
  });
  seen.poller.start();
  await clock.sleep(1_000);
  await seen.poller.stop();
  expect(isDone).toBe(true);
  expect(seen.checkpoints.get('shard-1')).toMatchObject({ after: number(2) });
});

test('drain hands over all there is, through all generations, without waiting for a window', async () => {
  const seen = polled(
    [
      { id: 'child', parentId: 'parent', records: numbers(13, 14), isOpen: true },
      { id: 'parent', records: numbers(1, 12), isOpen: false },
    ],
    clock,
    { settings: { ...SETTINGS, batchingWindowSeconds: 300 } },
  );
  await seen.poller.drain();
  expect(short(seen)).toEqual(['1-10', '11-12', '13-14']);
  expect(clock.now()).toBe(START);
});

test('says how old the last record of a batch is', async () => {
  const ages: number[] = [];
  const seen = polled([open(numbers(1, 2))], clock, {
    onIteratorAge: age => ages.push(age),
    answer: (_batch, call) => (call <= 2 ? CRASHED : DONE),
    settings: { ...SETTINGS, bisects: false },
  });
  await run(seen, 10_000);
  expect(ages).toEqual([0, 250, 750]);
});
