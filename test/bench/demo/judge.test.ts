import { judge, type PromiseName, punctualityOf, type Seen } from '../../../bench/demo/judge.ts';
import type { SweptItem, Tally } from '../../../bench/ledger/tally.ts';
import type { MachineReport, Span } from '../../../bench/watch/machine.ts';

const good: Tally = {
  written: 3600,
  expired: 3000,
  deleted: 3000,
  overdue: 0,
  liveDeleted: 0,
  renewed: 540,
  renewedKept: 540,
};
const IDLE: MachineReport = { stoodStillMs: 0, busyMs: 0, slowAnswersMs: 0, clockSetBackMs: 0 };
const ARRIVED = {
  items: 3000,
  ...{ again: 2, strays: 0, doubtful: 0, altered: 0 },
};
/** The run also has two pipes, which are as they should be but for what a test says. */
const withEvents = (one: object, other: object = {}): Over => ({
  events: [
    { target: 'event-bus/orders', ...ARRIVED, ...one },
    { target: 'expired.fifo', ...ARRIVED, again: 0, ...other },
  ],
});

/** A run that kept every promise, but for what a test says. */
function run({ tally = {}, machine = {}, ...over }: Over = {}): Seen {
  return {
    tally: { ...good, ...tally },
    backlog: { items: 480, deleted: 480, goneMs: 1_400 },
    punctuality: { inTime: 3000, excused: 0, late: 0, latestMs: 0 },
    lags: [1000, 2000],
    promisedLagMs: 2_020,
    renewals: true,
    executions: 4,
    contradictions: [],
    events: [],
    failures: [],
    excusedFailures: [],
    machine: { ...IDLE, ...machine },
    interrupted: false,
    ...over,
  };
}
type Over = Partial<Omit<Seen, 'tally' | 'machine'>> & {
  readonly tally?: Partial<Tally>;
  readonly machine?: Partial<MachineReport>;
};

/** The promises of a run that have this status. */
function promisesWith(status: string, over: Over): PromiseName[] {
  return judge(run(over)).result.promises.flatMap(promise => (promise.status === status ? promise.name : []));
}

test('the result has exactly the fields that --json promises', () => {
  const { result, violations, doubts } = judge(run());
  expect([violations, doubts]).toEqual([[], []]);
  expect(result).toEqual({
    written: 3600,
    expired: 3000,
    deleted: 3000,
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
    ],
    machine: IDLE,
  });
});

test.each<[string, Over, PromiseName[]]>([
  ['expired and not deleted', { tally: { deleted: 2999, overdue: 1 } }, ['expiredDeleted']],
  [
    'deleted too late',
    { punctuality: { inTime: 2990, excused: 0, late: 10, latestMs: 900 } },
    ['goneInTime'],
  ],
  [
    'too late, some by the machine',
    { punctuality: { inTime: 2980, excused: 10, late: 10, latestMs: 900 } },
    ['goneInTime'],
  ],
  ['live and deleted', { tally: { liveDeleted: 2 } }, ['liveKept']],
  ['renewed and lost', { tally: { renewedKept: 539 } }, ['renewedKept']],
  ['in the table against the ledger', { contradictions: ['1 live items missing'] }, ['tableAsWritten']],
  ['without an event', withEvents({ items: 2999 }, { items: 2998 }), ['eventOfEach']],
  ['events and had not expired', withEvents({ strays: 2, doubtful: 1 }, { strays: 3 }), ['eventsRight']],
  ['events otherwise than they were', withEvents({ altered: 2 }, { altered: 3 }), ['eventsRight']],
  ['an execution that failed', { failures: ['the sweep of 09:00 ended FAILED'] }, ['nothingFailed']],
])('fails for items that are %s', (_, over, broken) => {
  expect(promisesWith('broken', over)).toEqual(broken);
  const judged = judge(run(over));
  expect(judged.result.verdict).toBe('broken');
  expect(judged.violations.length).toBeGreaterThanOrEqual(broken.length);
  const text = judged.summary;
  for (const sentence of judged.violations) expect(text).toContain(`✗ ${sentence}`);
});

test('events are told of where there are any', () => {
  const judged = judge(run(withEvents({})));
  const text = judged.summary;
  expect(judged.result).toMatchObject({ verdict: 'kept', events: [{ items: 3000 }, { items: 3000 }] });
  expect(text.replaceAll(/ {2,}/g, '  ')).toContain(`
  ✓ deleted = events = events  3,000 = 3,000 = 3,000  each item once; delivered twice: 2
  ✓ events wrongly  0  not expired, or not as last written`);
  expect(judge(run()).summary).not.toMatch(/event/);
});

test.each<[string, Over, PromiseName[]]>([
  [
    'deletes of the application that were read too late',
    withEvents({ doubtful: 1 }, { doubtful: 2 }),
    ['eventsRight'],
  ],
  [
    'what is late by no more than the machine lost',
    { punctuality: { inTime: 2990, excused: 10, late: 0, latestMs: 900 }, machine: { stoodStillMs: 42_000 } },
    ['goneInTime'],
  ],
  [
    'an execution that failed in a standstill',
    { excusedFailures: ['the sweep of 09:00 ended FAILED'], machine: { stoodStillMs: 400_000 } },
    ['nothingFailed'],
  ],
  [
    'everything that looks broken, after the clock was set back',
    { tally: { liveDeleted: 5 }, machine: { clockSetBackMs: 30_000 } },
    ['liveKept'],
  ],
  [
    'a run in which nothing expired',
    {
      tally: { expired: 0, deleted: 0 },
      punctuality: { inTime: 0, excused: 0, late: 0, latestMs: 0 },
      lags: [],
    },
    ['expiredDeleted', 'goneInTime'],
  ],
])('does not decide %s', (_, over, undecided) => {
  expect(promisesWith('undecided', over)).toEqual(undecided);
  expect(promisesWith('broken', over)).toEqual([]);
  const judged = judge(run(over));
  expect(judged.result.verdict).toBe('undecided');
  const text = judged.summary;
  for (const sentence of judged.doubts) expect(text).toContain(`? ${sentence}`);
  expect(text.includes('This machine: ')).toBe(over.machine !== undefined);
  expect(text).not.toContain('✗');
});

test('the summary shows every promise and what became of it', () => {
  const text = judge(run()).summary;
  expect(text).toMatch(/✓ expired = deleted +3,000 = 3,000/);
  expect(text).toMatch(/✓ gone in time +3,000 of 3,000 +promised: gone within 2\.0 s of expiry/);
  expect(text).toMatch(/lag p50 \/ p99 \/ max +1\.0 s \/ 2\.0 s \/ 2\.0 s/);
  expect(text).toMatch(/✓ live items deleted +0/);
  expect(text).toMatch(/✓ renewed, kept +540 of 540/);
  expect(text).toMatch(/before the sweep +480 of 480 +had expired, and went 1\.4 s after it began/);
  expect(text).toMatch(/✓ contradictions +0/);
  expect(text).toMatch(/✓ failures +0 +of 4 executions/);
  expect(text).toContain('Every promise was kept.');
  const broken = judge(run({ tally: { deleted: 1, overdue: 2999 } }));
  expect(broken.summary).toMatch(/✗ expired = deleted/);
  const undecided = judge(run({ punctuality: { inTime: 2999, excused: 1, late: 0, latestMs: 5 } }));
  expect(undecided.summary).toMatch(/\? gone in time +2,999 of 3,000/);
});

test('where nothing is renewed, nothing is promised of it', () => {
  const { result, summary } = judge(run({ tally: { renewed: 0, renewedKept: 0 }, renewals: false }));
  expect(result.promises.map(({ name }) => name)).not.toContain('renewedKept');
  expect(summary).not.toContain('renewed');
});

test('an interrupted run is not judged', () => {
  const judged = judge(run({ tally: { deleted: 5, overdue: 2995 }, interrupted: true }));
  expect(judged.result.verdict).toBe('interrupted');
  expect(new Set(judged.result.promises.map(({ status }) => status))).toEqual(new Set(['undecided']));
  const text = judged.summary;
  expect(text).toContain('Interrupted: this is what is known so far');
  expect(text).not.toMatch(/[✓✗?]/);
});

/** A minute whose tick knew everything. */
const MINUTE = Date.parse('2026-11-20T09:01:00Z') / 1000;
const gone = (lagMs: number | undefined): SweptItem => ({
  ttl: MINUTE + 5,
  knownAt: 0,
  shard: 0,
  goneAt: lagMs === undefined ? undefined : (MINUTE + 5) * 1000 + lagMs,
});
const punctuality = (lagsMs: readonly (number | undefined)[], lost: (span: Span) => number = () => 0) =>
  punctualityOf(lagsMs.map(gone), {
    pace: { precision: 'second', pollSeconds: 0 },
    lateTicks: new Map(),
    lost,
  });

test('in time is up to what is promised, to the millisecond', () => {
  // A thousandth of a second for each of the four that are due at once.
  expect(punctuality([0, 2_004, 2_005, 59_000])).toEqual({
    inTime: 2,
    excused: 0,
    late: 2,
    latestMs: 56_996,
  });
});

test('what is not gone is neither', () => {
  expect(punctuality([undefined])).toEqual({ inTime: 0, excused: 0, late: 0, latestMs: 0 });
});

test('a machine excuses as much as it lost while the deletion was due, and not a millisecond more', () => {
  const spans: Span[] = [];
  const lost = (span: Span) => {
    spans.push(span);
    return 1_000;
  };
  expect(punctuality([2_000, 3_003, 3_004], lost)).toMatchObject({ inTime: 1, excused: 1, late: 1 });
  const from = (MINUTE + 5) * 1000;
  expect(spans).toEqual([
    { from, to: from + 3_003 },
    { from, to: from + 3_004 },
  ]);
});

test('what had expired when the sweep began is due within 45 s, and a thousandth of a second later for each such item', () => {
  const late = [MINUTE - 120, (MINUTE + 5) * 1000] as const;
  const lost = jest.fn(() => 0);
  const backlog = [47_002, 47_004].map(
    (ms): SweptItem => ({
      ttl: MINUTE - 700,
      knownAt: late[1] - 1,
      shard: 0,
      goneAt: late[1] + ms,
    }),
  );
  const pace = { precision: 'second', pollSeconds: 0 } as const;
  const options = { pace, lateTicks: new Map([late]), lost };
  expect(punctualityOf(backlog, options)).toMatchObject({ inTime: 1, late: 1, latestMs: 2 });
  // Nothing is excused by what happened before it was written.
  expect(lost).toHaveBeenCalledWith({ from: late[1] - 1, to: late[1] + 47_004 });
});
