import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { type Fate, Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';
import { sweepReports } from '../support/sweep-reports.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const at = (minute: number, second = 0) => MINUTE + minute * 60 + second;

const simulate = (options: Omit<SimulationOptions, 'definition'>) => new Simulation(options);

const lag = ({ ttl, deletedAt }: Fate) => deletedAt - ttl * 1000;
const lags = (simulation: Simulation) => simulation.deleted.map(lag).toSorted((one, other) => one - other);
const worst = (simulation: Simulation) => lags(simulation).at(-1) ?? Number.NaN;
const reports = sweepReports;

/** Two items every two seconds from minute 2 to minute 5, written long before, and the ticks that own them. */
function stream(simulation: Simulation, late: (minute: number) => number[] = () => [0]): number {
  let written = 0;
  for (let ttl = at(2); ttl < at(5); ttl += 2) {
    for (const half of [0, 1]) simulation.table.write(`${ttl}-${half}`, ttl);
    written += 2;
  }
  for (let minute = 0; minute <= 6; minute += 1)
    for (const seconds of late(minute)) simulation.tick(at(minute), seconds);
  return written;
}

function expectAllGone(simulation: Simulation, written: number) {
  expect(simulation.table.ids()).toEqual([]);
  expect(simulation.deleted).toHaveLength(written);
  expect(lags(simulation)[0]).toBeGreaterThanOrEqual(0); // none early
  for (const execution of simulation.executions) expect(execution.status).toBe('SUCCEEDED');
  for (const { found, deleted, renewed, notFound, failed } of reports(simulation)) {
    expect(deleted + renewed + notFound + failed).toBe(found);
  }
  const counted = reports(simulation).reduce((sum, { deleted }) => sum + deleted, 0);
  expect(counted).toBe(written);
}

describe('items are gone within a second', () => {
  test.each<[string, Omit<ExpiryModelProps, 'partitionKey'>]>([
    ['in windows of a minute', { granularityMinutes: 1 }],
    ['in windows of a day', { granularityMinutes: 1440 }],
    ['by second', { indexedBy: 'second' }],
  ])('%s', async (_name, props) => {
    const model = expiryModel({ partitionKey: 'id', ...props });
    const simulation = simulate({ start: at(0), model });
    const written = stream(simulation);
    await simulation.finish();
    expectAllGone(simulation, written);
    expect(worst(simulation)).toBeLessThan(1000);
  });
});

describe('by second', () => {
  const model = expiryModel({ partitionKey: 'id', indexedBy: 'second' });

  test('an item written or renewed into its last seconds is found like any other', async () => {
    const simulation = simulate({ start: at(0), model, props: { pollSeconds: 1 } });
    const { clock, table } = simulation;
    for (let minute = 0; minute <= 3; minute += 1) simulation.tick(at(minute));
    // Nothing is known of the minute when its tick plans it.
    for (const [id, second] of [
      ['written', 20],
      ['renewed', 40],
    ] as const) {
      if (id === 'renewed') table.write(id, at(2, 5));
      clock.schedule((at(2, second) - 3) * 1000 - clock.now(), () => table.write(id, at(2, second)));
    }
    clock.schedule((at(2, 4) + 0.5) * 1000 - clock.now(), () => table.write('renewed', at(2, 39)));
    await simulation.finish();
    expectAllGone(simulation, 2);
    expect(simulation.deleted.map(({ id, ttl }) => [id, ttl])).toEqual([
      ['written', at(2, 20)],
      ['renewed', at(2, 40)],
    ]);
    expect(worst(simulation)).toBeLessThan(1000);
  });

  test('a backlog of an hour is gone with one replay', async () => {
    const simulation = simulate({ start: at(0), model });
    for (let second = 0; second < 3600; second += 7) {
      for (let item = 0; item < 30; item += 1)
        simulation.table.write(`${second}-${item}`, at(0) - 3600 + second);
    }
    const written = simulation.table.ids().length;
    const [from = '', to = ''] = [at(0) - 3600, at(0)].map(time => new Date(time * 1000).toISOString());
    simulation.replay({ from, to });
    await simulation.finish();
    expectAllGone(simulation, written);
    // Seconds share pages: one each would be 515.
    expect(simulation.calls['query-expired']).toBeLessThan(150);
  });
});

test('calls that Lambda refuses for a second, with its limit reached, are made again', async () => {
  const simulation = simulate({
    start: at(0),
    failingCall: (name, { nowMs }) =>
      name === 'delete-chunk' && Math.floor(nowMs / 1000) === at(3, 4)
        ? { error: 'Lambda.TooManyRequestsException' }
        : undefined,
  });
  const written = stream(simulation);
  await simulation.finish();
  expectAllGone(simulation, written);
  expect(worst(simulation)).toBeGreaterThan(500);
  expect(worst(simulation)).toBeLessThan(4_000);
});

describe('a key that DynamoDB throttles', () => {
  const STUCK = `${at(3, 4)}-0`;

  /** The stream, with one key of minute 3 throttled until a moment, and when that one was tried. */
  async function throttledUntil(free: number) {
    const calls: number[] = [];
    const simulation = simulate({
      start: at(0),
      throttled: (id, nowMs) => {
        if (id === STUCK) calls.push(nowMs);
        return id === STUCK && nowMs < free * 1000;
      },
    });
    const written = stream(simulation);
    await simulation.finish();
    expectAllGone(simulation, written);
    const others = simulation.deleted.filter(({ ttl }) => ttl !== at(3, 4));
    expect(Math.max(...others.map(lag))).toBeLessThan(1000);
    return { simulation, calls };
  }

  test('keeps nothing else waiting, is tried at growing intervals, and is gone soon after it is free', async () => {
    const { simulation, calls } = await throttledUntil(at(3, 40));
    expect(worst(simulation)).toBeLessThan(36_000 + 20_000);
    const gaps = calls.slice(1).map((call, index) => call - (calls[index] ?? 0));
    expect(calls.length).toBeLessThanOrEqual(12);
    expect(gaps[0]).toBeLessThan(1500);
    expect(Math.max(...gaps)).toBeGreaterThan(5000);
  });

  test('beside one that is refused for good: that one is counted once, however often it is found', async () => {
    const REFUSED = `${at(3, 2)}-1`;
    const simulation = simulate({
      start: at(0),
      throttled: (id, nowMs) => id === STUCK && nowMs < at(3, 30) * 1000,
      refused: id => id === REFUSED,
    });
    const written = stream(simulation, minute => (minute === 2 ? [0] : []));
    await simulation.finish();
    const [{ error } = {}] = simulation.executions;
    expect(error).toBe('SweepIncompleteError');
    // Minute 3. No tick came for minute 2, nor after it.
    expect(sweepReports(simulation)[0]).toMatchObject({
      found: 60,
      deleted: 59,
      failed: 1,
      failedKeys: [{ key: { id: { S: REFUSED } }, reason: 'ValidationError' }],
    });
    expect(written).toBe(180);
  });
});

describe('an item in the window before its own', () => {
  /** It expires in second 30 of minute 2 or on its edge; the minute is polled every second, by a DynamoDB 2.4 s behind. */
  async function stampedEarlier(ttl: number, written: number): Promise<Simulation> {
    const simulation = simulate({ start: at(0), props: { pollSeconds: 1 }, dynamoDbAheadMs: -2400 });
    simulation.clock.schedule((written - at(0)) * 1000, () => simulation.table.write('item', ttl, 0, at(1)));
    for (let minute = 0; minute <= 4; minute += 1) simulation.tick(at(minute), 3);
    await simulation.finish();
    expectAllGone(simulation, 1);
    return simulation;
  }

  test.each([
    ['the older way, on the edge', at(2), at(0, 30)],
    ['wrong, before the first poll', at(2, 30), at(1, 59)],
  ])('stamped %s, is gone in time', async (_how, ttl, written) => {
    expect(worst(await stampedEarlier(ttl, written))).toBeLessThan(1000);
  });

  test('stamped wrong, between two polls, is gone with the next tick', async () => {
    const { deleted } = await stampedEarlier(at(2, 30), at(2, 10));
    expect(deleted[0]?.deletedAt).toBeLessThan(at(3, 5) * 1000);
  });
});

describe('what it costs', () => {
  test('an idle tick takes one call, and no transition of a Standard execution', async () => {
    const simulation = simulate({ start: at(0) });
    simulation.tick(at(0));
    await simulation.finish();
    const [execution] = simulation.executions;
    expect(execution?.billing).toMatchObject({
      stateTransitions: 0,
      expressRequests: 1,
      functionInvocations: 1,
    });
    expect(simulation.calls).toMatchObject({ 'plan-sweep': 1, 'query-expired': 0 });
    // 64 MB for a tenth of a second.
    expect(execution?.billing.expressGbSeconds).toBeCloseTo(0.1 / 16, 9);
  });

  test('a busy tick takes no transition of a Standard execution, and reads its minute once, however much is in it', async () => {
    const model = expiryModel({ partitionKey: 'id', shards: 1 });
    const simulation = simulate({ start: at(0), model });
    for (let item = 0; item < 600; item += 1)
      simulation.table.write(`item-${item}`, at(1) + Math.floor(item / 10));
    simulation.tick(at(0));
    await simulation.finish();
    expect(simulation.billing).toMatchObject({ stateTransitions: 0, expressRequests: 1 });
    // It lives for the two minutes until its own has ended, in 64 MB.
    expect(simulation.billing.expressGbSeconds).toBeLessThan(121 / 16);
    // Once more to add up.
    expect(simulation.calls['query-expired']).toBe(2);
    expect(simulation.deleted).toHaveLength(600);
    // Each of the 60 deletes reads the pause; 600 entries are eight units.
    expect(simulation.billing.usage['dynamoDbReadUnits']).toBeLessThanOrEqual(60 + 10);
  });
});

describe('the plain mode', () => {
  test('sweeps at the tick what has expired by then, and starts nothing ahead', async () => {
    const simulation = simulate({ start: at(0), props: { precision: 'minute' } });
    const written = stream(simulation);
    await simulation.finish();
    expectAllGone(simulation, written);
    expect(worst(simulation)).toBeLessThan(61_000);
    for (const { startDate, stopDate } of simulation.executions)
      expect((stopDate ?? 0) - startDate).toBeLessThan(5000);
  });
});

test('what earlier sweeps left is told by its age', async () => {
  const simulation = simulate({ start: at(5) });
  simulation.table.write('left', at(1));
  simulation.tick(at(5));
  await simulation.finish();
  expect(reports(simulation)[0]).toMatchObject({ deleted: 1, oldestOverdueSeconds: 240 });
});
