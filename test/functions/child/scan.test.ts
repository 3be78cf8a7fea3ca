import fc from 'fast-check';
import { expiryAttributes } from '../../../expiry/attributes.ts';
import { expiryModel } from '../../../expiry/model.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { firstNamed, judgeEntry, LEFT_TO_TICKS_SECONDS, startScan } from '../../../functions/child/scan.ts';
import { madeProgress } from '../../../functions/child/shard-result.ts';
import type { NamedEntry } from '../../../statemachine/contract/targets.ts';
import { childProgress } from '../../support/child-progress.ts';

const CUTOFF = Date.parse('2026-11-20T09:00:30Z') / 1000;
const YEAR = 365 * 86_400;
const LONG_AGO = CUTOFF - 2 * YEAR;
const AT_ONCE = {};

const BY_SECOND = expiryModel({ partitionKey: 'id', indexedBy: 'second' });
const BY_WINDOW = expiryModel({ partitionKey: 'id', granularityMinutes: 60, shards: 2 });

const window = (ttl: number, minutes = 60, shard = 0) =>
  windowKey(windowStart(ttl, minutes * 60), minutes * 60, shard);

test.each<[string, number, boolean, NamedEntry['is'][]]>([
  ['overdue by years', LONG_AGO, true, ['overdue']],
  ['the first that is not the ticks’', CUTOFF - LEFT_TO_TICKS_SECONDS, true, ['overdue']],
  ['the last that the ticks look back to', CUTOFF - LEFT_TO_TICKS_SECONDS + 1, false, []],
  ['live', CUTOFF + 3600, false, []],
  ['live with a fraction', CUTOFF + 3600.5, false, ['fractional']],
  ['overdue with a fraction', LONG_AGO + 0.5, true, ['fractional', 'overdue']],
  ['milliseconds', CUTOFF * 1000, false, ['milliseconds']],
  ['negative', -1, false, ['negative']],
  ['zero', 0, false, ['tooOld']],
  ['older than five years', CUTOFF - 5 * YEAR, false, ['tooOld']],
  ['older than five years before its record is made', CUTOFF - 5 * YEAR + 1, false, []],
  ['more than 20 years ahead', CUTOFF + 20 * YEAR + 1, false, ['tooFarAhead']],
])('an entry by second that is %s', (_what, ttl, isDue, kinds) => {
  expect(judgeEntry({ ttl }, BY_SECOND, CUTOFF, AT_ONCE)).toEqual({ isDue, kinds });
});

test.each<[string, number, string, boolean, NamedEntry['is'][]]>([
  ['in its window', LONG_AGO, window(LONG_AGO), true, ['overdue']],
  ['in a shard of its window', LONG_AGO, window(LONG_AGO, 60, 1), true, ['overdue']],
  ['with a fraction, which a query finds', CUTOFF + 0.5, window(CUTOFF), false, []],
  ['in a shard too many', LONG_AGO, window(LONG_AGO, 60, 2), true, ['misfiled', 'overdue']],
  ['in a window of another length', LONG_AGO, window(LONG_AGO, 30), true, ['misfiled', 'overdue']],
  ['in a window of another time', LONG_AGO, window(CUTOFF), true, ['misfiled', 'overdue']],
  ['in no window', LONG_AGO, 'never', true, ['misfiled', 'overdue']],
  ['misfiled and live', CUTOFF + 3600, window(CUTOFF), false, ['misfiled']],
  [
    'on the edge, stamped the older way',
    windowStart(LONG_AGO, 3600),
    window(LONG_AGO - 3600),
    true,
    ['overdue'],
  ],
])('an entry by window that is %s', (_what, ttl, lies, isDue, kinds) => {
  expect(judgeEntry({ ttl, window: lies }, BY_WINDOW, CUTOFF, AT_ONCE)).toEqual({ isDue, kinds });
});

test('what a writer of the deployment stamps is never misfiled, and due only when it has expired', () => {
  const ttls = fc.integer({ min: CUTOFF - 4 * YEAR, max: CUTOFF + 4 * YEAR });
  fc.assert(
    fc.property(ttls, fc.string({ minLength: 1 }), (ttl, id) => {
      const stamp = expiryAttributes(BY_WINDOW, { id }, { expiresAt: ttl, nowMs: CUTOFF * 1000 });
      const lies = String(stamp['expirationWindow']);
      const verdict = judgeEntry({ ttl, window: lies }, BY_WINDOW, CUTOFF, AT_ONCE);
      expect(verdict.kinds).not.toContain('misfiled');
      if (verdict.isDue) expect(ttl).toBeLessThanOrEqual(CUTOFF);
    }),
  );
});

test('names the first three of each kind, as far as there is room', () => {
  const named = (is: NamedEntry['is'], ttl: number) => ({ is, key: { id: { S: `${ttl}` } }, ttl });
  const all = [1, 2, 3, 4].flatMap(ttl => [named('overdue', ttl), named('misfiled', ttl)]);
  expect(firstNamed(all).map(({ is, ttl }) => [is, ttl])).toEqual(
    [1, 2, 3].flatMap(ttl => [
      ['overdue', ttl],
      ['misfiled', ttl],
    ]),
  );
  const large = { ...named('negative', 1), key: { id: { S: 'x'.repeat(5_000) } } };
  expect(firstNamed([large, named('negative', 2)])).toEqual([named('negative', 2)]);
});

test('a scan that has deleted something, but not all of its first page, is handed on and not given up', () => {
  const scan = startScan(null);
  const target = { windows: [], from: 1, before: 2, upcomingFrom: null };
  const progress = (deleted: number) => ({ ...childProgress({ target }, { counts: { deleted } }), scan });
  expect([progress(0), progress(16)].map(madeProgress)).toEqual([false, true]);
});
