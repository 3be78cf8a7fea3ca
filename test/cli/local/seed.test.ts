import fc from 'fast-check';
import { planSeed, requireOwnTable } from '../../../cli/local/seed.ts';
import { checkConfig } from '../../../config/config.ts';
import { configOf } from '../../support/configs.ts';

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const iso = (epochMilliseconds: number) => new Date(epochMilliseconds).toISOString();

test('half has expired before the two days that the first tick looks back, some expires in the minute of the next tick', () => {
  const { expired, soon, staying } = planSeed(100, at('09:00:20.5'));
  expect([expired.count, soon.count, staying.count]).toEqual([50, 30, 20]);
  expect([expired.from, expired.to].map(iso)).toEqual([
    '2026-11-18T08:00:00.000Z',
    '2026-11-18T09:00:00.000Z',
  ]);
  // The tick of 09:01 owns the items that expire from 09:02 on.
  expect([soon.from, soon.to]).toEqual([at('09:02:00'), at('09:03:00')]);
  expect(staying.from).toBe(at('09:00:00') + 86_400_000);
});

test.each([
  ['there is time to write before the next tick', '09:00:50', '09:02:00'],
  ['there is too little time', '09:00:50.001', '09:03:00'],
])('the minute is that of the first tick that sees them: %s', (_name, now, from) => {
  expect(iso(planSeed(10, at(now)).soon.from)).toBe(iso(at(from)));
});

test('of any number, none is left out and at least one has expired', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), count => {
      const { expired, soon, staying } = planSeed(count, at('09:00:00'));
      expect(expired.count + soon.count + staying.count).toBe(count);
      expect(Math.min(expired.count, soon.count + 1, staying.count + 1)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test("fails for somebody else's table, and takes one that is made here", () => {
  const config = (existingTable: boolean) =>
    checkConfig(configOf({ tableName: 'Sessions', partitionKey: 'id', existingTable }));
  expect(() => requireOwnTable(config(true), false)).toThrow(
    /^--seed: expected a first table that is made here, got Sessions with existingTable: true/,
  );
  expect(() => requireOwnTable(config(true), true)).not.toThrow();
  expect(() => requireOwnTable(config(false), false)).not.toThrow();
});
