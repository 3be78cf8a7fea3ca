import { momentOf } from '../../../../bench/demo/live.ts';
import { Ledger } from '../../../../bench/ledger/ledger.ts';

const NOW = Date.parse('2026-11-20T09:01:30.300Z');
const SECOND = Math.floor(NOW / 1000);

const standing = {
  promisedLagMs: 2_000,
  firstTtl: SECOND - 30,
  lastTtl: SECOND + 29,
  rate: 20,
  sweep: 'no tick',
  page: 'http://127.0.0.1:45123/',
};

/** A ledger of sessions, each with its TTL and when it was seen to be gone, seconds from now. */
function ledgerOf(...sessions: readonly (readonly [ttl: number, goneAt?: number])[]): Ledger {
  const ledger = new Ledger(() => NOW);
  for (const [index, [ttl, goneAt]] of sessions.entries()) {
    ledger.wrote(`${index}`, 1, SECOND + ttl);
    if (goneAt === undefined) continue;
    ledger.removed(`${index}`, 1, { ttl: SECOND + ttl, seenAt: (SECOND + goneAt) * 1000 });
  }
  return ledger;
}

const at = (ledger: Ledger) => momentOf(ledger, standing, NOW);

test('counts the sessions of each second: which are there, and which are gone', () => {
  const { seconds, tally } = at(ledgerOf([40], [-5, -4], [-5], [-6, -5], [40]));
  expect(seconds).toEqual([
    { ttl: SECOND - 6, there: 0, gone: 1 },
    { ttl: SECOND - 5, there: 1, gone: 1 },
    { ttl: SECOND + 40, there: 2, gone: 0 },
  ]);
  expect(tally).toEqual({ written: 5, expired: 3, deleted: 2, overdue: 1 });
});

test('leaves out what is too far away, and what had expired before the run; what was renewed stands where it expires now', () => {
  const ledger = ledgerOf([10_000], [-1_000, -999], [5]);
  ledger.wrote('2', 2, SECOND + 9, 'renewed');
  expect(at(ledger).seconds).toEqual([{ ttl: SECOND + 9, there: 1, gone: 0 }]);
});

test('plots the lag of each three seconds, up to now', () => {
  const { lags } = at(ledgerOf([-8, -6], [-8, -5], [-1, 0], [-40, -8]));
  expect(lags).toHaveLength(20);
  expect(lags.filter(span => span !== undefined)).toEqual([
    { p50: 2_000, max: 3_000 },
    { p50: 1_000, max: 1_000 },
  ]);
  expect(lags.at(-1)).toEqual({ p50: 1_000, max: 1_000 });
});
