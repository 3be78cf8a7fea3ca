import {
  dueAt,
  judge,
  type PromiseName,
  promisedLagMs,
  punctualityOf,
  type Seen,
} from '../../../bench/demo/judge.ts';
import type { ExpiredItem, Finding, Tally, Violation } from '../../../bench/ledger/ledger.ts';
import { lagPercentiles } from '../../../bench/report/numbers.ts';

const good: Tally = {
  ...{ written: 3600, expired: 3000, deleted: 3000, overdue: 0 },
  ...{ liveDeleted: 0, renewed: 540, renewedKept: 540 },
};
const NO_DELETIONS = { inTime: 0, excused: 0, late: 0, latestMs: 0 };

type Over = Partial<Omit<Seen, 'tally'>> & { readonly tally?: Partial<Tally> };

/** A run that kept every promise, but for what a test says. */
function run({ tally = {}, ...over }: Over = {}): Seen {
  return {
    tally: { ...good, ...tally },
    backlog: { items: 480, deleted: 480, goneMs: 1_400 },
    punctuality: { ...NO_DELETIONS, inTime: 3000 },
    lags: [1000, 2000],
    promisedLagMs: 2_020,
    renewals: true,
    executions: 4,
    contradictions: [],
    ...{ pipes: 0, wrongEvents: [], failures: [], areFailuresExcused: true, interrupted: false },
    stoodStillMs: 0,
    ...over,
  };
}

const wrong = (...findings: readonly Finding[]): Violation[] =>
  findings.map(finding => ({ finding, id: 'x', history: [] }));

/** The promises of a run that have this status. */
const promisesWith = (status: string, over: Over): PromiseName[] =>
  judge(run(over)).result.promises.flatMap(promise => (promise.status === status ? promise.name : []));

test('the result has exactly the fields that --json promises', () => {
  const { result, violations, doubts } = judge(run({ pipes: 2 }));
  expect([violations, doubts]).toEqual([[], []]);
  expect(result).toEqual({
    ...{ written: 3600, expired: 3000, deleted: 3000 },
    backlog: { items: 480, deleted: 480, goneMs: 1_400 },
    lagMs: { p50: 1000, p99: 2000, max: 2000 },
    promisedLagMs: 2_020,
    verdict: 'kept',
    promises: [
      { name: 'expiredDeleted', status: 'kept', expected: 3000, got: 3000 },
      { name: 'goneInTime', status: 'kept', expected: 3000, got: 3000 },
      { name: 'liveKept', status: 'kept', expected: 0, got: 0 },
      { name: 'renewedKept', status: 'kept', expected: 540, got: 540 },
      { name: 'tableAsWritten', status: 'kept', expected: 0, got: 0 },
      { name: 'nothingFailed', status: 'kept', expected: 0, got: 0 },
      { name: 'eventOfEach', status: 'kept', expected: 6000, got: 6000 },
      { name: 'eventsRight', status: 'kept', expected: 0, got: 0 },
    ],
    machine: { stoodStillMs: 0 },
  });
});

const LATE = { inTime: 2980, excused: 10, late: 10, latestMs: 900 };

test.each<[string, 'broken' | 'undecided', Over, PromiseName[], string]>([
  [
    'an item that is left',
    'broken',
    { tally: { deleted: 2999 } },
    ['expiredDeleted'],
    'expected 3,000, got 2,999',
  ],
  [
    'deletions too late',
    'broken',
    { punctuality: LATE },
    ['goneInTime'],
    '10 deletions came too late, though',
  ],
  [
    'live items deleted',
    'broken',
    { tally: { liveDeleted: 2 } },
    ['liveKept'],
    'live items deleted: expected 0, got 2',
  ],
  [
    'a renewed item lost',
    'broken',
    { tally: { renewedKept: 539 } },
    ['renewedKept'],
    'expected 540, got 539',
  ],
  ['a contradiction', 'broken', { contradictions: ['1 live item'] }, ['tableAsWritten'], '1 live item'],
  [
    'no event',
    'broken',
    { pipes: 1, wrongEvents: wrong('notDelivered') },
    ['eventOfEach'],
    'expected 3,000, got 2,999',
  ],
  [
    'wrong events',
    'broken',
    { pipes: 1, wrongEvents: wrong('deliveredWrongly', 'deliveredOtherwise') },
    ['eventsRight'],
    '1 events of what did not expire: x',
  ],
  [
    'a failed execution',
    'broken',
    { failures: ['it FAILED'], areFailuresExcused: false },
    ['nothingFailed'],
    'it FAILED',
  ],
  [
    'deletions when the machine was slow',
    'undecided',
    { punctuality: { ...LATE, late: 0 } },
    ['goneInTime'],
    '10 ',
  ],
  ['failures in a standstill', 'undecided', { failures: ['it FAILED'] }, ['nothingFailed'], 'it FAILED'],
  [
    'nothing that expired',
    'undecided',
    { tally: { expired: 0, deleted: 0 }, punctuality: NO_DELETIONS, lags: [] },
    ['expiredDeleted', 'goneInTime'],
    'nothing expired; take more --minutes',
  ],
])('a run with %s is %s', (_what, status, over, names, says) => {
  expect(promisesWith(status, over)).toEqual(names);
  const { result, summary, violations, doubts } = judge(run(over));
  expect(result.verdict).toBe(status);
  for (const sentence of [...violations, ...doubts])
    expect(summary).toContain(`${status === 'broken' ? '✗' : '?'} ${sentence}`);
  expect(summary).toContain(says);
});

test('the summary shows every promise and what became of it', () => {
  const text = judge(run({ pipes: 2 })).summary.replaceAll(/ {2,}/g, '  ');
  expect(text).toBe(`  written  3,600  sessions
  before the sweep  480 of 480  had expired, and went 1.4 s after it began
  lag p50 / p99 / max  1.0 s / 2.0 s / 2.0 s  of the others, from expiry to deletion
  ✓ expired, deleted  3,000 of 3,000  seen in the table's stream
  ✓ gone in time  3,000 of 3,000  promised: gone within 2.0 s of expiry if written in time
  ✓ live items deleted  0
  ✓ renewed, kept  540 of 540  renewed or made permanent in their last seconds
  ✓ contradictions  0  between the table at the end and what was written
  ✓ failures  0  of 4 executions, their starts, and what surrounds them
  ✓ deleted, with event  6,000 of 6,000  of 2 pipes
  ✓ events wrongly  0  not expired, or not as last written

  Every promise was kept.`);
  const slow = judge(run({ punctuality: { ...LATE, late: 0 }, stoodStillMs: 42_000 }));
  expect(slow.summary).toContain(
    'This machine: it, or this process, stood still for 42.0 s.\n  Run it again',
  );
});

test('nothing is promised of what a run does not do', () => {
  const { promises } = judge(run({ renewals: false })).result;
  expect(promises.map(({ name }) => name)).toEqual(
    expect.not.arrayContaining(['renewedKept', 'eventOfEach', 'eventsRight']),
  );
});

test('an interrupted run is not judged', () => {
  const { result, summary } = judge(run({ tally: { deleted: 5 }, interrupted: true }));
  expect(result.verdict).toBe('interrupted');
  expect(new Set(result.promises.map(({ status }) => status))).toEqual(new Set(['undecided']));
  expect(summary).toContain('Interrupted: this is what is known so far');
  expect(summary).not.toMatch(/[✓✗?]/);
});

test('in time is up to what is promised, to the millisecond; a machine excuses what it could delay', () => {
  const ttl = Date.parse('2026-11-20T09:01:05Z') / 1000;
  const deleted = (lagMs: number): ExpiredItem => ({ ttl, writtenAt: 0, deletedAt: ttl * 1000 + lagMs });
  const excuses = jest.fn((_due: number, _cameAt: number, lateMs: number) => lateMs < 100);
  const items = [0, 2_020, 2_021, 59_000].map(deleted);
  const options = {
    pace: { precision: 'second', pollSeconds: 0, marginSeconds: 0 },
    rate: 20,
    lateTicks: new Map(),
    excuses,
  } as const;
  expect(punctualityOf([...items, { ...deleted(0), deletedAt: undefined }], options)).toEqual({
    ...{ inTime: 2, excused: 1, late: 1 },
    latestMs: 56_980,
  });
  expect(excuses).toHaveBeenCalledWith(ttl * 1000, ttl * 1000 + 2_021, 1);
});

/** 09:00:00 of a day; everything else is seconds from there. */
const NINE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const PACES = {
  second: { precision: 'second', pollSeconds: 0, marginSeconds: 0 },
  margin: { precision: 'second', pollSeconds: 0, marginSeconds: 1 },
  polled: { precision: 'second', pollSeconds: 5, marginSeconds: 0 },
  minute: { precision: 'minute', pollSeconds: 0, marginSeconds: 0 },
} as const;

test.each<[string, keyof typeof PACES, ttl: number, written: number, due: number, late?: readonly number[]]>([
  ['known to its tick', 'second', 75, 0, 75],
  ['unknown to its tick: two minutes after both', 'second', 75, 0.001, 195],
  ['written after it expired', 'second', 75, 130, 250],
  ['on the edge of a minute', 'second', 120, 60, 120],
  ['with a margin an edge is in the next minute', 'margin', 119, 60, 119],
  ['polled: written as many seconds before', 'polled', 75, 70, 75],
  ['polled: written later', 'polled', 75, 70.001, 195],
  ['by minute', 'minute', 75, 0, 75],
  ['by minute, written after it expired', 'minute', 75, 130, 130],
  ['known to its tick, which came late', 'second', 75, 69, 75, [70]],
  ['expired before its tick, which came late', 'second', 65, 64, 70, [70]],
  ['unknown to its tick, which came late', 'second', 80, 71, 200, [70]],
])('an item is due: %s', (_name, pace, ttl, written, due, late = []) => {
  const item = { ttl: NINE + ttl, writtenAt: (NINE + written) * 1000, deletedAt: undefined };
  const lateTicks = new Map(late.map(at => [NINE, (NINE + at) * 1000]));
  expect(dueAt(item, PACES[pace], lateTicks)).toBe((NINE + due) * 1000);
});

test('what deleting may take grows with what falls due at once', () => {
  expect(promisedLagMs(PACES.second, 20)).toBe(2_020);
  expect(promisedLagMs(PACES.margin, 1_200)).toBe(4_200);
  expect(promisedLagMs(PACES.minute, 1)).toBe(61_060);
});

const upTo = (count: number) => Array.from({ length: count }, (_unused, index) => index + 1);

test.each<[string, number[], ReturnType<typeof lagPercentiles>]>([
  ['of nothing', [], { p50: null, p99: null, max: null }],
  ['of one', [7], { p50: 7, p99: 7, max: 7 }],
  ['of a hundred, in any order', upTo(100).reverse(), { p50: 50, p99: 99, max: 100 }],
  ['round to milliseconds', [1.4, 1.6], { p50: 1, p99: 2, max: 2 }],
])('percentiles %s', (_name, lags, expected) => {
  expect(lagPercentiles(lags)).toEqual(expected);
});
