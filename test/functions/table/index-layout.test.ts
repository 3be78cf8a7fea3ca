import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
import { windowKey } from '../../../expiry/window.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const layoutOf = (props: Omit<ExpiryModelProps, 'partitionKey'>) =>
  indexLayout(expiryModel({ partitionKey: 'id', ...props }));
const bySecond = layoutOf({ indexedBy: 'second' });
const secondsOf = (from: number, before: number) =>
  bySecond.keys({ shards: '0', from, before }).map(({ ttl }) => ttl);

test('by window the keys are those of the shards in each window of the span, oldest first', () => {
  const keys = layoutOf({ granularityMinutes: 5, shards: 3 }).keys({ shards: '0,2', from: 299, before: 301 });
  expect(keys).toEqual([
    { value: windowKey(0, 300), from: 0 },
    { value: windowKey(0, 300, 2), from: 0 },
    { value: windowKey(300, 300), from: 300 },
    { value: windowKey(300, 300, 2), from: 300 },
  ]);
});

test.each<[string, Omit<ExpiryModelProps, 'partitionKey'>, number]>([
  ['an id', { shards: 1 }, 36],
  ['an id and two shards', {}, 35],
  ['a sort key', { shards: 1, sortKey: 'when' }, 26],
  ['long names', { shards: 1, ttlAttribute: 't'.repeat(255), windowAttribute: 'w'.repeat(255) }, 6],
])('by window it is known how many entries with %s half a read unit pays for', (_what, props, entries) => {
  expect(layoutOf(props).entriesOfLeastRead).toBe(entries);
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

test('by second a key is a number, of which all entries have the TTL', () => {
  expect(bySecond.keys({ shards: '0', from: MINUTE - 0.5, before: MINUTE + 0.5 })).toEqual([
    { value: MINUTE, from: MINUTE, ttl: MINUTE },
  ]);
});
