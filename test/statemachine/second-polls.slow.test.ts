import { expiryModel } from '../../expiry/model.ts';
import { lagMsOf, Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

/* By second: as long as nothing is found, the state machine polls each second by itself. */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const MINUTE = Array.from({ length: 60 }, (_unused, second) => START + 60 + second);

/** A tick of one table; the seconds are those of its upcoming minute in which an item expires. */
async function tick(seconds: readonly number[], options: Partial<SimulationOptions> = {}) {
  const simulation = new Simulation({
    start: START,
    model: expiryModel({ partitionKey: 'id', indexedBy: 'second' }),
    ...options,
  });
  for (const second of seconds) simulation.table.write(`item-${second}`, START + 60 + second);
  simulation.tick(START, 5);
  await simulation.finish();
  return simulation;
}

const lags = ({ deleted }: Simulation) => deleted.map(lagMsOf);

test('an idle minute takes one query for each second, and two calls of QueryExpired', async () => {
  const { queries, calls, executions } = await tick([]);
  // The first second is the one by which QueryExpired sees how the clocks go together.
  expect(queries).toEqual(MINUTE.slice(1));
  expect(calls).toMatchObject({ 'query-expired': 2, 'delete-chunk': 0 });
  expect(executions.map(({ status }) => status)).toEqual(['SUCCEEDED']);
});

test('what expires is deleted as soon as its second has come, and the polls go on behind it', async () => {
  const simulation = await tick([7, 30, 31, 59]);
  expect(simulation.deleted).toHaveLength(4);
  expect(Math.max(...lags(simulation))).toBeLessThan(200);
  expect(Math.min(...lags(simulation))).toBeGreaterThanOrEqual(0);
  expect(simulation.queries).toEqual([...new Set(simulation.queries)]);
  expect(simulation.calls['query-expired']).toBeLessThanOrEqual(10);
});

test('a table in which something expires each second is left to QueryExpired', async () => {
  const simulation = await tick(MINUTE.map((_second, index) => index));
  expect(simulation.queries).toEqual([]);
  expect(simulation.deleted).toHaveLength(60);
  expect(Math.max(...lags(simulation))).toBeLessThan(200);
});

test.each([-3, -1, 1, 3])(
  'with a DynamoDB whose clock is %d s ahead each item is deleted in its second',
  async ahead => {
    const simulation = await tick([7, 30, 59], { dynamoDbAheadMs: ahead * 1000 + 300 });
    expect(simulation.deleted).toHaveLength(3);
    expect(Math.min(...lags(simulation))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...lags(simulation))).toBeLessThan(1_500);
    expect(simulation.calls['query-expired']).toBeLessThan(15);
  },
);

test('a query that fails is made again by QueryExpired, and the polls go on', async () => {
  const refused = (nowMs: number) => nowMs >= (START + 80) * 1000 && nowMs < (START + 83) * 1000;
  const simulation = await tick([7, 21, 40], { throttledCall: refused });
  expect(simulation.deleted).toHaveLength(3);
  expect(Math.max(...lags(simulation))).toBeLessThan(5_000);
  expect(simulation.calls['query-expired']).toBeLessThan(16);
  expect(simulation.executions.map(({ status }) => status)).toEqual(['SUCCEEDED']);
});

test('a query that hangs keeps nothing waiting for longer than a second', async () => {
  const hangs = (nowMs: number) =>
    nowMs >= (START + 80) * 1000 && nowMs < (START + 80) * 1000 + 500 ? ('hanging' as const) : undefined;
  const simulation = await tick([20, 21, 40], { trouble: hangs });
  expect(simulation.deleted).toHaveLength(3);
  expect(Math.max(...lags(simulation))).toBeLessThan(2_000);
});

test.each([null, 7, 'nonsense', {}, { Count: null }, { Count: '0' }, { Count: -1 }, { Count: [0, 0] }])(
  'an answer of %j is left to QueryExpired',
  async nonsense => {
    const simulation = await tick([7, 30, 59], {
      answering: (answer, { name }) => (name === 'poll' ? nonsense : answer),
    });
    expect(simulation.deleted).toHaveLength(3);
    expect(Math.max(...lags(simulation))).toBeLessThan(200);
    expect(simulation.executions.map(({ status }) => status)).toEqual(['SUCCEEDED']);
  },
);

test('by window the machine polls nothing', async () => {
  const { queries } = await tick([7], {
    model: expiryModel({ partitionKey: 'id' }),
    pace: { precisionSeconds: 1, pollSeconds: 1 },
  });
  expect(queries).toEqual([]);
});

test('a tick that comes so late that its minute is over polls nothing', async () => {
  const simulation = new Simulation({
    start: START,
    model: expiryModel({ partitionKey: 'id', indexedBy: 'second' }),
  });
  for (const second of [0, 30, 59]) simulation.table.write(`item-${second}`, START + 60 + second);
  simulation.tick(START, 130);
  await simulation.finish();
  expect(simulation.deleted).toHaveLength(3);
  expect(simulation.queries).toEqual([]);
});
