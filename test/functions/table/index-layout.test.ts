import fc from 'fast-check';
import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
import { windowKey } from '../../../expiry/window.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const layoutOf = (props: Omit<ExpiryModelProps, 'partitionKey'>) =>
  indexLayout(expiryModel({ partitionKey: 'id', ...props }));
const bySecond = layoutOf({ indexedBy: 'second' });

function targetOf(from: number, before: number, layout = bySecond): SweepTarget {
  const windows = [...layout.windows(from, before)].map(start => ({ start, shards: '0' }));
  return { windows, from, before, upcomingFrom: null };
}

const secondsOf = (from: number, before: number) =>
  bySecond.keys(targetOf(from, before)).map(({ ttl }) => ttl);

test('by window the keys are those of the target', () => {
  const layout = layoutOf({ granularityMinutes: 5, shards: 3 });
  expect(layout).toMatchObject({ windowSeconds: 300, shards: 3, holdsStrays: true });
  expect(
    layout.keys({
      ...targetOf(MINUTE, MINUTE + 1),
      windows: [
        { start: 0, shards: '0,2' },
        { start: 300, shards: '1' },
      ],
    }),
  ).toEqual([
    { value: windowKey(0, 300), end: 300 },
    { value: windowKey(0, 300, 2), end: 300 },
    { value: windowKey(300, 300, 1), end: 600 },
  ]);
});

test.each([
  ['a minute', 1, 0],
  ['a day, in a shard', 1440, 7],
])('by window it is known when %s has ended', (_length, granularityMinutes, shard) => {
  const end = granularityMinutes * 60;
  const target = { ...targetOf(MINUTE, MINUTE + 1), windows: [{ start: 0, shards: `${shard}` }] };
  expect(layoutOf({ granularityMinutes }).keys(target)).toEqual([{ value: windowKey(0, end, shard), end }]);
});

test.each<[string, Omit<ExpiryModelProps, 'partitionKey'>, number]>([
  ['an id', { shards: 1 }, 36],
  ['an id and two shards', {}, 35],
  ['a sort key', { shards: 1, sortKey: 'when' }, 26],
  ['long names', { shards: 1, ttlAttribute: 't'.repeat(255), windowAttribute: 'w'.repeat(255) }, 6],
])('by window it is known how many entries with %s half a read unit pays for', (_what, props, entries) => {
  expect(layoutOf(props).entriesOfLeastRead).toBe(entries);
});

test('by second it is planned in minutes, which have no shards and hold nothing else', () => {
  expect(bySecond).toMatchObject({ windowSeconds: 60, shards: 1, holdsStrays: false });
});

test.each([
  ['a minute', MINUTE, MINUTE + 60, 60],
  ['a second', MINUTE + 5, MINUTE + 6, 1],
  ['the last second of one minute and the first of another', MINUTE - 1, MINUTE + 1, 2],
  ['nothing', MINUTE, MINUTE, 0],
  ['a span of its own end before its beginning', MINUTE + 1, MINUTE, 0],
])('by second the keys of %s are its seconds', (_what, from, before, count) => {
  const seconds = secondsOf(from, before);
  expect(seconds).toEqual(Array.from({ length: count }, (_unused, second) => from + second));
});

test('by second any span has each of its seconds once, in order, and no other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }), (start, length) => {
      const from = MINUTE + start;
      expect(secondsOf(from, from + length)).toEqual(
        Array.from({ length }, (_unused, second) => from + second),
      );
    }),
  );
});

test('by second a key is a number, of which all entries have the TTL', () => {
  expect(bySecond.keys(targetOf(MINUTE, MINUTE + 1))).toEqual([{ value: MINUTE, ttl: MINUTE }]);
});
