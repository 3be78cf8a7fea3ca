import type { Facts, Sweep } from '../../../cli/dashboard/looks.ts';
import { Looks, type LooksOptions, SHOWN_MINUTES, TableMemory } from '../../../cli/dashboard/looks.ts';
import { countScale, lagScale, timeSpan } from '../../../cli/dashboard/plots.ts';
import { headline, overdueOf, troubleLines } from '../../../cli/dashboard/view.ts';
import { factsOf, lookedAt, lookOf, sweepEnded, unknownFacts } from '../../support/looks.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();
const ago = (minutes: number, seconds = 0) => iso(NOW - minutes * 60_000 - seconds * 1_000);
const stop = new AbortController();
afterAll(() => stop.abort());

function gather(look: LooksOptions['look']) {
  const clock = { ms: NOW };
  const asked: number[] = [];
  const looks = new Looks({
    signal: stop.signal,
    now: () => clock.ms,
    look(most, signal) {
      asked.push(most);
      return look(most, signal);
    },
  });
  /** Somebody looks, and what is promised by then happens. */
  const see = async (afterMs = 0) => {
    clock.ms += afterMs;
    looks.ask();
    await new Promise(resolve => setImmediate(resolve));
    return troubleLines(looks, clock.ms);
  };
  return { looks, see, asked, clock };
}
const fine: LooksOptions['look'] = async () => lookOf(iso(NOW), lookedAt(factsOf('Sessions')));

test('asks nobody before somebody looks; then every 10 seconds, and each 60th look reads the sweeps of hours', async () => {
  const { looks, see, asked } = gather(fine);
  expect([asked, looks.last]).toEqual([[], undefined]);
  for (let second = 0; second <= 600; second += 2) await see(2_000);
  expect(asked).toHaveLength(61);
  expect(asked.flatMap((most, index) => (most === 400 ? [index] : []))).toEqual([0, 60]);
  expect(looks.tables.get('Sessions')?.latest.verdict).toBe('fine');
});

test('a look that hangs is not doubled, and is told after three seconds', async () => {
  const { see, asked } = gather(() => new Promise<never>(() => {}));
  expect([await see(), await see(2_000)]).toEqual([[], []]);
  expect(await see(23_000)).toEqual(['Asked 25 s ago, no answer yet. There is nothing to show yet.']);
  expect(asked).toHaveLength(1);
});

test('a look that fails is told with its error, and the last answer stays', async () => {
  let fails = false;
  const { looks, see } = gather(async (most, signal) => {
    if (fails) throw new Error('no credentials');
    return fine(most, signal);
  });
  await see();
  fails = true;
  expect(await see(15_000)).toEqual(['no credentials. What is shown is as of 12:00:00Z, 15 s ago.']);
  expect(looks.last?.at).toBe(iso(NOW));
  fails = false;
  expect(await see(15_000)).toEqual([]);
});

test('keeps what a later look does not know, with the time at which it was known', async () => {
  let looked = lookedAt(factsOf('Sessions', { alarms: [{ name: 'late', since: null }] }));
  const { looks, see, clock } = gather(async () => lookOf(iso(clock.ms), looked));
  await see();
  looked = lookedAt(unknownFacts('Sessions'), { verdict: 'unknown' });
  expect(await see(15_000)).toEqual([
    'Sessions: the last look did not learn everything. Shown are the journal as of 12:00:00Z, what is gone as of 12:00:00Z, what is overdue as of 12:00:00Z, the schedule as of 12:00:00Z, alarms as of 12:00:00Z.',
  ]);
  const table = looks.tables.get('Sessions');
  expect(table?.known.get('alarms')?.facts.alarms).toEqual([{ name: 'late', since: null }]);
  expect([table?.latest.verdict, overdueOf(table as TableMemory, NOW)[0]]).toEqual(['unknown', '0']);
  // A pause of null is known if the journal is.
  looked = lookedAt(factsOf('Sessions', { pause: { since: iso(NOW) } }));
  expect(await see(15_000)).toEqual([]);
  expect(table?.known.get('the journal')).toMatchObject({ at: iso(NOW + 30_000), facts: { pause: {} } });
});

function memoryOf(...looks: readonly (readonly Sweep[])[]): TableMemory {
  const memory = new TableMemory(lookedAt(factsOf('Sessions')));
  for (const sweeps of looks) memory.add(lookedAt(factsOf('Sessions', { sweeps })), iso(NOW));
  return memory;
}

test('adds up what the sweeps of a minute came to; one that ends a moment after it belongs to it', () => {
  const counts = { found: 10, deleted: 6, renewed: 2, notFound: 1, failed: 1 };
  const { minutes } = memoryOf([
    sweepEnded(ago(10, 1), { counts }),
    sweepEnded(ago(10, -2), { kind: 'replay', counts: { found: 5, deleted: 5 } }),
    sweepEnded(ago(9, 0), { counts: { found: 1, deleted: 1 } }),
  ]);
  expect(minutes).toEqual([
    { at: ago(11), due: 15, deleted: 11, renewed: 2, notFound: 1, left: 1 },
    { at: ago(10), due: 1, deleted: 1, renewed: 0, notFound: 0, left: 0 },
  ]);
});

test('has each sweep once, in the order of time, and forgets what is older than it shows', () => {
  const [older, newer] = [sweepEnded(ago(2)), sweepEnded(ago(1))];
  const old = [SHOWN_MINUTES - 1, SHOWN_MINUTES + 1].map(minutes => sweepEnded(ago(minutes)));
  const { sweeps } = memoryOf([newer, older], [newer, ...old]);
  expect(sweeps).toEqual([old[0], older, newer]);
});

test('says what is gone, for one table and for several', () => {
  const [one, broken] = [
    lookedAt(factsOf('')),
    lookedAt(factsOf('', { gone: null }), { verdict: 'broken' as const }),
  ];
  expect(headline([one], NOW)).toBe('Everything that was due by 12:00:00Z is gone.');
  expect(headline([one, one], NOW)).toBe('Everything that was due by 12:00:00Z is gone, in all 2 tables.');
  expect(headline([one, broken], NOW)).toBe('Of 2 tables 1 swept badly or not at all, 1 fine.');
});

test.each<[Partial<NonNullable<Facts['overdue']>>, boolean, readonly string[]]>([
  [{}, false, ['0', 'nothing is overdue']],
  [{ short: 'DynamoDB throttles' }, false, ['–', 'DynamoDB throttles']],
  [{ items: 2, oldest: NOW / 1_000 - 1 }, false, ['2', 'expired a moment ago; not late yet']],
  [
    { items: 1_200, short: 'DynamoDB throttles', oldest: NOW / 1_000 - 60 },
    true,
    ['≥ 1,200', 'the oldest for 60 s', 'warning'],
  ],
])('a backlog in words, %#', (differing, isLate, words) => {
  const memory = memoryOf();
  const overdue = { ...(factsOf('').overdue as NonNullable<Facts['overdue']>), ...differing };
  memory.add(lookedAt(factsOf('', { overdue, isLate })), iso(NOW));
  expect(overdueOf(memory, NOW)).toEqual(words);
});

test('an axis of lags goes from a named time below all to one above all', () => {
  const { y, ticks } = lagScale([0.35, 22, 400]);
  expect(ticks.map(([, text]) => text)).toEqual(['0.1 s', '1 s', '10 s', '1 min', '10 min']);
  expect([y(0.1), y(0.001), y(600)]).toEqual([194, 194, 12]);
  expect(y(1)).toBeGreaterThan(y(10));
});

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [840, [0, 500, 1_000]],
])('an axis up to %d has the lines %j', (most, ticks) => {
  expect(countScale(most).ticks.map(([value]) => value)).toEqual(ticks);
});

test.each([
  [NOW, 15, ['11:45', '11:50', '11:55', '12:00']],
  [NOW - 20 * 60_000, 30, ['11:30', '11:40', '11:50', '12:00']],
  [NOW - 10 * 3_600_000, 180, ['09:00', '10:00', '11:00', '12:00']],
])('a plot is as wide as it needs to be, and names round times, %#', (oldest, minutes, named) => {
  const { from, to, times } = timeSpan(oldest, NOW);
  expect((to - from) / 60_000).toBe(minutes);
  expect(times.map(time => iso(time).slice(11, 16))).toEqual(named);
});
