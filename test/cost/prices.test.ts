import { type Counted, costOf } from '../../cost/prices.ts';

const NOTHING: Counted = {
  ...{ stateTransitions: 0, expressRequests: 0, expressGbSeconds: 0 },
  ...{ functionInvocations: 0, functionGbSeconds: 0, usage: {} },
};

test.each([
  ['stateTransitions', 1e6, 25],
  ['expressRequests', 1e6, 1],
  ['expressGbSeconds', 3600, 0.06],
  ['functionInvocations', 1e6, 0.2],
  ['functionGbSeconds', 1e6, 13.3334],
] as const)('%s: %d cost $%d', (counter, amount, dollars) => {
  const { total, parts } = costOf({ ...NOTHING, [counter]: amount });
  expect(total).toBeCloseTo(dollars, 10);
  expect(parts[counter]).toBeCloseTo(dollars, 10);
});

test.each([
  ['dynamoDbReadUnits', 1e6, 0.125],
  ['dynamoDbWriteUnits', 1e6, 0.625],
] as const)('%s that functions used: %d cost $%d', (counter, amount, dollars) => {
  const { total, parts } = costOf({ ...NOTHING, usage: { [counter]: amount } });
  expect(total).toBeCloseTo(dollars, 10);
  expect(parts[counter]).toBeCloseTo(dollars, 10);
});

test('everything together, and what has no price costs nothing', () => {
  const unpriced = { ...NOTHING, functionDurationMs: 1000, usage: { dynamoDbCalls: 10 } };
  expect(costOf(unpriced).total).toBe(0);
  const { total } = costOf({ ...NOTHING, stateTransitions: 4, expressRequests: 100 });
  expect(total).toBeCloseTo(0.0002, 12);
});
