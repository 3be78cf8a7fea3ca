import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
import { windowKey } from '../../../expiry/window.ts';
import { type ProbeOptions, probeShards, type Spans } from '../../../functions/plan-sweep/probe.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import { MemoryTable } from '../../support/simulation/memory-table.ts';

const DAY = Date.parse('2026-11-20T00:00:00Z') / 1000;
const NOW = DAY + 9 * 3600;
const SPANS: Spans = { from: NOW - 300, before: NOW, upcoming: { from: NOW + 60, before: NOW + 120 } };

type Held = readonly (readonly [ttl: number, shard?: number])[];

/** Probes a table with these items; a key of the index may fail, and a read may take its time. */
async function probe(
  held: Held,
  {
    spans = SPANS,
    props = { granularityMinutes: 1440, shards: 2 },
    readMs = 0,
    ...options
  }: Partial<ProbeOptions> & {
    readonly spans?: Spans;
    readonly props?: Omit<ExpiryModelProps, 'partitionKey'>;
    readonly readMs?: number;
  } = {},
) {
  const model = expiryModel({ partitionKey: 'id', ...props });
  const table = new MemoryTable(model, () => NOW * 1000);
  for (const [index, [ttl, shard = 0]] of held.entries()) table.write(`${index}`, ttl, shard);
  const asked: (string | number)[] = [];
  let nowMs = 0;
  const probes = await probeShards(model.shards, spans, {
    layout: indexLayout(model),
    readIndex: (key, range, limit) => {
      asked.push(key.value);
      nowMs += readMs;
      expect(limit).toBe(1);
      return table.readIndex(key, range, limit);
    },
    clock: () => nowMs,
    sleep: () => new Promise(() => undefined),
    ...{ patienceMs: 5_000, watchAlways: false, ...options },
  });
  return { probes, asked };
}

const known = (shard: number, left: number | undefined, isUpcoming: boolean) => ({
  ...{ shard, left, isSeen: left !== undefined, isUpcoming },
});

describe('in windows of a day', () => {
  test.each<[string, Held, [left: number | undefined, isUpcoming: boolean], number]>([
    ['nothing', [], [undefined, false], 1],
    ['the oldest entry', [[NOW - 9], [NOW - 100], [NOW - 3]], [NOW - 100, false], 2],
    ['the first second of the minute', [[NOW + 60]], [undefined, true], 1],
    ['its last one', [[NOW + 119]], [undefined, true], 1],
    ['both', [[NOW - 1], [NOW + 60]], [NOW - 1, true], 2],
    ['what expires between the lookback and the minute', [[NOW], [NOW + 59]], [undefined, false], 2],
    ['that, and one of the minute', [[NOW + 30], [NOW + 90]], [undefined, true], 2],
    ['what expires after the minute', [[NOW + 120]], [undefined, false], 1],
    ['what was there before the watermark', [[NOW - 301]], [undefined, false], 1],
    ['the first second of the lookback', [[NOW - 300]], [NOW - 300, false], 2],
  ])('it sees %s', async (_name, held, [left, isUpcoming], queries) => {
    const { probes, asked } = await probe(held);
    expect(probes).toEqual([known(0, left, isUpcoming), known(1, undefined, false)]);
    expect(asked).toHaveLength(queries + 1);
  });

  test('of the night it asks both days', async () => {
    const spans = { from: DAY - 100, before: DAY - 40, upcoming: { from: DAY + 20, before: DAY + 80 } };
    const { probes, asked } = await probe([[DAY - 50], [DAY + 30]], {
      spans,
      props: { granularityMinutes: 1440, shards: 1 },
    });
    expect(probes).toEqual([known(0, DAY - 50, true)]);
    expect(asked).toEqual([windowKey(DAY - 86_400, 86_400), windowKey(DAY, 86_400)]);
  });
});

describe('by second', () => {
  const props = { indexedBy: 'second' } as const;

  test('it asks ten seconds at once, and none behind the first with an entry', async () => {
    const { probes, asked } = await probe([[NOW - 285], [NOW - 5], [NOW + 61]], { props });
    expect(probes).toEqual([known(0, NOW - 285, true)]);
    expect(asked).toEqual([
      ...Array.from({ length: 20 }, (_unused, second) => NOW - 300 + second),
      ...Array.from({ length: 10 }, (_unused, second) => NOW + 60 + second),
    ]);
  });

  test('it asks for ten minutes at most: what lies behind is the children’s to find', async () => {
    const spans = { ...SPANS, from: NOW - 3_600 };
    const { probes, asked } = await probe([[NOW - 5]], { props, spans });
    expect(probes).toEqual([{ ...known(0, NOW - 3_000, false), isSeen: false }]);
    expect(asked).toHaveLength(660);
  });

  test('it ends its lookback when three quarters of its time are over, and still asks for the minute', async () => {
    const { probes, asked } = await probe([[NOW + 119]], { props, readMs: 20, patienceMs: 800 });
    expect(probes).toEqual([{ ...known(0, NOW - 260, true), isSeen: false }]);
    expect(asked).toHaveLength(100);
  });
});

test.each<[string, Parameters<typeof probe>[1], isUpcoming: boolean]>([
  ['a minute that the tick does not own', { spans: { ...SPANS, upcoming: null } }, false],
  ['a minute that is watched always', { watchAlways: true }, true],
])('%s is not asked for', async (_name, options, isUpcoming) => {
  const { probes, asked } = await probe([[NOW + 70]], { props: { indexedBy: 'second' }, ...options });
  expect(probes).toEqual([known(0, undefined, isUpcoming)]);
  expect(asked).toHaveLength(300);
});

test.each<[string, Partial<ProbeOptions>]>([
  ['is too busy', { readIndex: () => Promise.reject(new DynamoDbBusyError('throttled')) }],
  ['gives no answer', { readIndex: () => new Promise(() => undefined), sleep: async () => undefined }],
])(
  'a table that %s counts as one that has something everywhere, of which nothing was seen',
  async (_name, options) => {
    const { probes } = await probe([], options);
    expect(probes).toEqual([0, 1].map(shard => ({ ...known(shard, SPANS.from, true), isSeen: false })));
  },
);

test('any other error is the caller’s', async () => {
  const readIndex = () => Promise.reject(new TypeError('no such table'));
  await expect(probe([], { readIndex })).rejects.toThrow('no such table');
});
