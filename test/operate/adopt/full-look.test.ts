import { lookLine } from '../../../cli/adopt/text.ts';
import { correction, TtlTally } from '../../../operate/adopt/ttl.ts';
import type { StoredItem } from '../../../operate/table/sample.ts';
import { sparingRate } from '../../../operate/table/scan.ts';

const NOW = 1_795_000_000;

function lookOf(items: readonly StoredItem[]) {
  const tally = new TtlTally('ttl', ['id'], NOW);
  for (const item of items) tally.add(item);
  return tally.look(true, true);
}
const item = (id: string, ttl: string): StoredItem => ({ id: { S: id }, ttl: { N: ttl } });

test('counts as expired what a sweep may delete: expired within five years', () => {
  const look = lookOf([
    item('live', String(NOW + 1)),
    item('due', String(NOW)),
    item('fraction', `${NOW - 100}.5`),
    item('six years', String(NOW - 6 * 365 * 86_400)),
    item('milliseconds', String((NOW - 100) * 1000)),
    { id: { S: 'string' }, ttl: { S: String(NOW - 100) } },
    { id: { S: 'none' } },
  ]);
  expect(look).toMatchObject({ items: 7, expired: 2, oldest: NOW - 99.5 });
  expect(look.values).toMatchObject({
    seconds: 2,
    fraction: 1,
    tooOld: 1,
    milliseconds: 1,
    string: 1,
    missing: 1,
  });
  expect(look.noNumbers).toEqual([{ key: { id: { S: 'string' } }, value: { S: String(NOW - 100) } }]);
  expect(look.keys).toMatchObject({
    milliseconds: [{ id: { S: 'milliseconds' } }],
    tooOld: [{ id: { S: 'six years' } }],
  });
});

test('keeps five keys of a kind, however many there are', () => {
  const look = lookOf(Array.from({ length: 100 }, (_unused, n) => item(`${n}`, '-1')));
  expect(look.values.negative).toBe(100);
  expect(look.keys.negative).toHaveLength(5);
});

test.each([
  [{ S: '1795000100' }, 'SET #ttl = :new', '"1795000100"'],
  [{ S: '1795000100000' }, 'SET #ttl = :new', '"1795000100"'],
  [{ S: '1795000100.9' }, 'SET #ttl = :new', '"1795000100"'],
  [{ S: '2026-11-18T09:48:20Z' }, 'SET #ttl = :new', `"${Date.parse('2026-11-18T09:48:20Z') / 1000}"`],
  [{ S: 'tomorrow' }, 'REMOVE #ttl', '":old":{"S":"tomorrow"}'],
  [{ S: '2026-11-18' }, 'REMOVE #ttl', '":old":{"S":"2026-11-18"}'],
  [{ NULL: true as const }, 'attribute_type(#ttl, :old)', '":old":{"S":"NULL"}'],
])('the command that corrects %j', (value, expression, values) => {
  const command = correction('Sessions', 'ttl', { key: { id: { S: "it's" } }, value }, NOW);
  expect(command).toContain('--key \'{"id":{"S":"it\'\\\'\'s"}}\'');
  expect(command).toContain(expression);
  expect(command).toContain(values);
});

test.each([
  [1000, 500, '50 %, 25 read units a second, about 20 s left'],
  [0, 500, 'Read 500 items, 25 read units a second'],
  [400, 500, '100 %, 25 read units a second'],
])('of a table with %i items, as DynamoDB counts them, %i are read', (itemCount, items, text) => {
  expect(lookLine({ itemCount }, { items, readUnits: 500, throttled: 0 }, 20_000)).toMatch(
    new RegExp(`${text}$`),
  );
});

test('spares a provisioned table: a quarter of its read units, at least one', () => {
  expect(
    [undefined, { readUnits: 100, writeUnits: 1 }, { readUnits: 1, writeUnits: 1 }].map(throughput =>
      sparingRate({ throughput }),
    ),
  ).toEqual([500, 25, 1]);
});
