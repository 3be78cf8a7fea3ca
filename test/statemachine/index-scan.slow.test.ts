import { expiryModel } from '../../expiry/model.ts';
import { isScanDue } from '../../functions/journal/scan-turn.ts';
import { Simulation } from '../support/simulation/simulation.ts';

const NAME = 'simulated';
const MIDNIGHT = Date.parse('2026-11-20T00:00:00Z') / 1000;
const DAY = 86_400;
const YEAR = 365 * DAY;

/** The first minute of the day in which its first scan may begin. */
function turn(): number {
  for (let minute = MIDNIGHT; minute < MIDNIGHT + DAY; minute += 60) {
    if (isScanDue(NAME, undefined, minute) && !isScanDue(NAME, undefined, minute - 60)) return minute;
  }
  throw new TypeError('expected a turn each day');
}

const scansOf = (simulation: Simulation) =>
  simulation
    .executionsOf('replay')
    .filter(({ input }) => (input as object) && 'scanIndex' in (input as object));

test('a tick starts a scan once a day, which deletes what no tick finds, also when the minute of its turn had none', async () => {
  const first = turn();
  const simulation = new Simulation({ start: first - 120 });
  for (let item = 0; item < 60; item += 1) simulation.table.write(`old ${item}`, first - YEAR - item);
  simulation.table.write('another shard', first - YEAR, 9);
  simulation.table.write('live', first + YEAR);
  // The tick of the turn itself is missing, on both days.
  const minutes = [-60, 120, 180, 240, DAY - 60, DAY + 120, DAY + 180];
  for (const seconds of minutes) simulation.tick(first + seconds, 5);
  await simulation.finish();
  const scans = scansOf(simulation);
  expect(simulation.executions.map(({ status }) => status)).not.toContain('FAILED');
  expect(scans.map(({ startDate }) => Math.floor((startDate / 1000 - first) / 60))).toEqual([
    2,
    DAY / 60 + 2,
  ]);
  expect(simulation.deleted).toHaveLength(61);
  expect(simulation.table.ids()).toEqual(['live']);
  expect(simulation.journal.finishedScans[NAME]?.record).toMatchObject({ scanned: 1, found: 0 });
  expect(simulation.journal.rows.map(({ kind }) => kind)).toEqual(['scan', 'scan']);
});

test('one that could not be started is started again within an hour or so', async () => {
  const first = turn();
  const simulation: Simulation = new Simulation({
    start: first,
    failingStart: machine =>
      machine === 'replay' && simulation.clock.now() < (first + 600) * 1000
        ? 'StepFunctions.StateMachineDeletingException'
        : undefined,
  });
  simulation.table.write('old', first - YEAR);
  for (let minute = 0; minute < 63; minute += 1) simulation.tick(first + minute * 60, 5);
  await simulation.finish();
  expect(scansOf(simulation)).toHaveLength(1);
  expect(simulation.table.ids()).toEqual([]);
});

test('none is started where it is off', async () => {
  const first = turn();
  const simulation = new Simulation({ start: first, props: { index: { scan: 'off' } } });
  simulation.table.write('old', first - YEAR);
  for (let minute = 0; minute < 5; minute += 1) simulation.tick(first + minute * 60, 5);
  await simulation.finish();
  expect(scansOf(simulation)).toEqual([]);
  expect(simulation.table.ids()).toEqual(['old']);
});

const MODELS = {
  second: expiryModel({ partitionKey: 'id', indexedBy: 'second' }),
  day: expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards: 1 }),
};

test.each(Object.entries(MODELS))(
  'what is written expired is gone within a day, however long ago that was and whenever it is written: by %s',
  async (_name, model) => {
    const first = turn();
    // Without an upcoming minute, and with a short look back: it is the scans that are looked at.
    const pace = { precisionSeconds: 60, pollSeconds: 0 };
    const simulation = new Simulation({ start: first, model, pace, lookbackMinutes: 1 });
    const ages = [120, 700, 3 * 3600, DAY + 60, 40 * DAY, 4 * YEAR];
    const writtenAt = new Map<string, number>();
    for (const hour of [1, 6]) {
      for (const age of ages) {
        const [at, id] = [first + hour * 3600 + 30, `${age} s in hour ${hour}`];
        writtenAt.set(id, at);
        simulation.clock.schedule((at - first) * 1000, () => simulation.table.write(id, at - age));
      }
    }
    // Ticks without any between them would be an outage.
    for (let minute = 0; minute < 31 * 60; minute += 1) simulation.tick(first + minute * 60, 5);
    await simulation.finish();
    expect(simulation.table.ids()).toEqual([]);
    const waited = simulation.deleted.map(({ id, deletedAt }) => deletedAt / 1000 - (writtenAt.get(id) ?? 0));
    expect(Math.max(...waited)).toBeLessThan(DAY + 300);
  },
);

test('a pause of days over its turn ends with a scan at once, and so does an outage', async () => {
  const first = turn();
  for (const isPaused of [true, false]) {
    const simulation = new Simulation({ start: first - 120, model: MODELS.second });
    const { journal, clock } = simulation;
    const pausedFrom = first + 3600;
    const resumed = pausedFrom + 3 * DAY;
    clock.schedule(3600_000, () => simulation.table.write('fell due meanwhile', pausedFrom + 600));
    clock.schedule((pausedFrom - first + 120) * 1000, () => {
      if (isPaused) journal.pauses['simulated'] = { since: new Date(clock.now()).toISOString() };
    });
    clock.schedule((resumed - first + 120) * 1000, () => {
      delete journal.pauses['simulated'];
    });
    for (let tick = first - 120; tick <= pausedFrom; tick += 60) simulation.tick(tick, 5);
    if (isPaused) for (let tick = pausedFrom + 60; tick < resumed; tick += 3600) simulation.tick(tick, 5);
    for (let tick = resumed + 60; tick < resumed + 300; tick += 60) simulation.tick(tick, 5);
    await simulation.finish();
    expect(scansOf(simulation).map(({ startDate }) => startDate / 1000 > resumed)).toEqual([false, true]);
    expect(simulation.table.ids()).toEqual([]);
    expect(Math.max(...simulation.deleted.map(({ deletedAt }) => deletedAt / 1000))).toBeLessThan(
      resumed + 300,
    );
  }
});
