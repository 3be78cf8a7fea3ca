import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expiryAttributes } from '../../../expiry/index.ts';
import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
import { windowKey } from '../../../expiry/window.ts';
import type { LogKeys } from '../../../functions/runtime/environment.ts';
import { ItemTally, judgeItem } from '../../../operate/doctor/item-findings.ts';
import type { StoredItem } from '../../../operate/table/sample.ts';
import { subjectOf } from './subject.ts';

/** A time at the boundary of a minute, and of five minutes. */
const NOW = 1_795_000_200;
const SOON = NOW + 90;
const FIVE_YEARS = 5 * 365 * 86_400;
const KEY = { id: { S: 'a' } };

/** Windows are a minute long here. */
const minutes = (model: Partial<ExpiryModelProps>) =>
  expiryModel({
    partitionKey: 'id',
    ...(model.indexedBy !== 'second' && { granularityMinutes: 1 }),
    ...model,
  });
const judged = (item: StoredItem, model: Partial<ExpiryModelProps> = {}) =>
  judgeItem({ ...KEY, ...item }, { model: minutes(model), now: NOW });
const faults = (item: StoredItem, model: Partial<ExpiryModelProps> = {}) =>
  judged(item, model).faults.map(({ id, detail }) => (detail === undefined ? id : `${id}: ${detail}`));
const number = (value: number | string): AttributeValue => ({ N: String(value) });
const windowOf = (start: number, shard = 0, seconds = 60) => ({ S: windowKey(start, seconds, shard) });
const SECOND = { indexedBy: 'second' } as const;

test.each<[string, StoredItem, string[]]>([
  ['without a TTL', {}, []],
  ['that expires now', { ttl: number(NOW) }, []],
  ['that the ticks may still be at', { ttl: number(NOW - 10 * 60 + 1) }, []],
  ['that they should have deleted', { ttl: number(NOW - 10 * 60) }, ['expired-present']],
  ['of an older one', { ttl: number(NOW - FIVE_YEARS) }, ['ttl-too-old']],
  ['of zero', { ttl: number(0) }, ['ttl-too-old']],
  ['of before 1970', { ttl: number(-1) }, ['ttl-negative']],
  ['in milliseconds', { ttl: number(`${SOON}000`) }, ['ttl-milliseconds']],
  ['as a String', { ttl: { S: String(SOON) } }, ['ttl-string']],
  ['with a fraction', { ttl: number(`${SOON}.5`) }, ['ttl-fraction']],
  ['with a time elsewhere', { expires_at: number(SOON) }, ['ttl-elsewhere: `expires_at`']],
  ['with a duration elsewhere', { expires: number(3600) }, []],
  ['with a window that is left over', { ttl: number(SOON), expirationWindow: { S: 'x' } }, []],
])('by second, an item %s: %j has %j', (_what, item, expected) => {
  expect(faults(item, SECOND)).toEqual(expected);
});

const placed = (ttl: number | string, expirationWindow: AttributeValue) => ({
  ttl: number(ttl),
  expirationWindow,
});

test.each<[string, StoredItem, string[]]>([
  ['that is right', placed(NOW, windowOf(NOW)), []],
  ['in the older form, (start, end]', placed(NOW, windowOf(NOW - 60)), []],
  ['a second after its window', placed(NOW + 61, windowOf(NOW)), ['window-differs']],
  ['a second before it', placed(NOW - 1, windowOf(NOW)), ['window-differs']],
  ['without a window', { ttl: number(SOON) }, ['window-missing']],
  [
    'with a fraction',
    { ttl: number(`${NOW}.5`), expirationWindow: windowOf(NOW) },
    ['ttl-fraction-by-window'],
  ],
  [
    'with a fraction, expired',
    { ttl: number(`${NOW - 86_400}.5`), expirationWindow: windowOf(NOW - 86_400) },
    ['ttl-fraction-by-window', 'expired-present'],
  ],
  ['in windows of five minutes', placed(NOW, windowOf(NOW, 0, 300)), ['window-granularity: 5 minutes']],
  ['in the last shard', placed(NOW, windowOf(NOW, 3)), []],
  ['in the shard after the last', placed(NOW, windowOf(NOW, 4)), ['window-shard-unswept: shard 4']],
  ['with another text', placed(NOW, { S: 'soon' }), ['window-malformed']],
  [
    'in a window that does not begin with a minute',
    placed(NOW + 40, windowOf(NOW + 30)),
    ['window-malformed'],
  ],
  ['in shard 0 with its number', placed(NOW, { S: `${windowKey(NOW, 60)}#0` }), ['window-malformed']],
  ['with a window and no TTL', { expirationWindow: windowOf(NOW) }, ['window-without-ttl']],
])('by window, an item %s: %j has %j', (_what, item, expected) => {
  expect(faults(item, { shards: 4 })).toEqual(expected);
});

test('nothing is wrong with what a writer with the same model stamps', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.integer({ min: NOW - 599, max: NOW + 20 * 365 * 86_400 }),
      fc.constantFrom(1, 5, 60, 1440),
      fc.integer({ min: 1, max: 100 }),
      fc.boolean(),
      (id, expiresAt, granularityMinutes, shards, byWindow) => {
        const model = byWindow ? { granularityMinutes, shards } : SECOND;
        const stamped = expiryAttributes(
          expiryModel({ partitionKey: 'id', ...model }),
          { id },
          { expiresAt, nowMs: NOW * 1000 },
        );
        const item = Object.fromEntries(
          Object.entries(stamped).map(([name, value]) => [
            name,
            typeof value === 'number' ? number(value) : { S: value },
          ]),
        );
        expect(judged(item, model)).toEqual({ faults: [], overdue: undefined });
      },
    ),
  );
});

describe('the sum of items', () => {
  const subject = subjectOf({ index: { shards: 4, granularityMinutes: 1 } });
  const tallyOf = (items: readonly StoredItem[], logKeys: LogKeys = 'full') => {
    const judge = { model: subject.model, now: NOW };
    const tally = new ItemTally(judge, { tableName: 'T', keyNames: ['id'], logKeys });
    for (const item of items) tally.add(item);
    return tally;
  };
  const item = (id: string, attributes: StoredItem): StoredItem => ({ id: { S: id }, ...attributes });

  test('has counts, three keys, and the details that are most often met', () => {
    const shards = [4, 5, 5, 5, 6].map((shard, n) =>
      item(`id-${n}`, { ttl: number(NOW), expirationWindow: windowOf(NOW, shard) }),
    );
    const tally = tallyOf([...shards, item('fine', {})]);
    expect(tally.read).toBe(6);
    expect(tally.findings(subject)).toMatchObject([
      {
        id: 'window-shard-unswept',
        count: 5,
        samples: ['{"id":{"S":"id-0"}}', '{"id":{"S":"id-1"}}', '{"id":{"S":"id-2"}}'],
        what: expect.stringMatching(/: shard 5 \(3\), shard 4 \(1\), shard 6 \(1\)$/),
      },
    ]);
  });

  test.each<[string, number, (n: number) => number, string[]]>([
    ['too few to say', 9, () => 0, []],
    ['of all shards', 1_000, n => n % 4, []],
    ['of the first shard alone', 10, () => 0, ['shard 0 of 4 (10 items)']],
    ['of the first two', 30, n => n % 2, ['shards 0 to 1 of 4 (30 items)']],
    ['of a shard that is not swept', 30, () => 4, []],
  ])('tells of a writer with fewer shards by many items: %s', (_items, count, shardOf, expected) => {
    const items = Array.from({ length: count }, (_unused, n) =>
      item(`id-${n}`, { ttl: number(SOON), expirationWindow: windowOf(NOW + 60, shardOf(n)) }),
    );
    const found = tallyOf(items)
      .findings(subject)
      .filter(({ id }) => id === 'window-shards-unused');
    expect(found.map(({ what }) => what.split(': ')[1])).toEqual(expected);
  });

  test('says how many should be gone, and what deletes those that nothing else is wrong with', () => {
    const findings = tallyOf([
      item('a', { ttl: number(NOW - 86_400) }),
      item('b', { ttl: number(SOON) }),
      item('c', { ttl: number(NOW - 7200), expirationWindow: windowOf(NOW - 7200) }),
      item('d', { ttl: number(NOW - 3601), expirationWindow: windowOf(NOW - 3660) }),
    ]).findings(subject);
    expect(findings.map(({ id, count }) => [id, count])).toEqual([
      ['window-missing', 2],
      ['expired-present', 2],
    ]);
    expect(findings[0]?.what).toMatch(/: 1 of them should be gone already$/);
    const [from, to] = [NOW - 7200, NOW - 3600].map(at =>
      new Date(at * 1000).toISOString().replace('.000', ''),
    );
    expect(findings[1]?.what).toMatch(`expiry times from ${from} to ${to}`);
    expect(findings[1]?.remedy).toBe(`npx precise-ttl replay --table T --from ${from} --to ${to}`);
  });

  test('masks keys, the same one in the same way', () => {
    const wrong = { ttl: number(-1) };
    const [first] = tallyOf(
      [item('secret', wrong), item('other', wrong), item('secret', wrong)],
      'hash',
    ).findings(subject);
    expect(JSON.stringify(first)).not.toContain('secret');
    const [one, other, again] = first?.samples ?? [];
    expect(one).toMatch(/^hmac-sha256:[0-9a-f]{16}$/);
    expect([one === again, one === other]).toEqual([true, false]);
  });

  test('shows no key of a table whose keys are shown nowhere, and still counts', () => {
    const findings = tallyOf([item('secret', { ttl: number(-1) })], 'none').findings(subject);
    expect(findings).toMatchObject([{ count: 1, samples: [] }]);
    expect(JSON.stringify(findings)).not.toMatch(/secret|sha256/);
  });
});
