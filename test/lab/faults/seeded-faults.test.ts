import {
  BUSY_STATEMENT_ERRORS,
  type DynamoDbCall,
  type FaultRates,
  LASTING_STATEMENT_ERRORS,
  SeededFaults,
} from '../../../lab/faults/index.ts';

const call = (overrides: Partial<DynamoDbCall> = {}): DynamoDbCall => ({
  operation: 'BatchExecuteStatement',
  body: {},
  keys: Array.from({ length: 25 }, (_unused, index) => `key-${index}`),
  at: 0,
  ...overrides,
});

const QUERY = call({ operation: 'Query', keys: [] });

function draw(rates: FaultRates, what = call(), count = 2000) {
  const faults = new SeededFaults({ seed: 1, rates });
  return Array.from({ length: count }, () => faults.choose(what));
}

test('the same seed makes the same faults, another one others', () => {
  const rates = { throttled: 0.2, unprocessed: 0.2, cutAfter: 0.1 };
  const of = (seed: number) => {
    const faults = new SeededFaults({ seed, rates });
    return Array.from({ length: 50 }, () => faults.choose(call()));
  };
  expect(of(7)).toEqual(of(7));
  expect(of(7)).not.toEqual(of(8));
});

test('every fault comes at its rate, a call gets one at the most', () => {
  const rates = {
    throttled: 0.2,
    unavailable: 0.05,
    unprocessed: 0.2,
    refusedKeys: 0.05,
    cutBefore: 0.1,
    slow: 0.1,
  };
  const drawn = draw(rates);
  for (const [name, rate] of Object.entries(rates)) {
    const share = drawn.filter(fault => fault?.name === name).length / drawn.length;
    expect(Math.abs(share - rate)).toBeLessThan(0.03);
  }
  expect(drawn.filter(fault => fault === undefined).length / drawn.length).toBeCloseTo(0.3, 1);
});

test('none without rates', () => {
  expect(draw({}).every(fault => fault === undefined)).toBe(true);
});

test('unprocessed: all keys or some, at least one, with every code that is worth another try', () => {
  const left = draw({ unprocessed: 1 }).map(fault =>
    fault?.effect.kind === 'leaveOut' ? fault.effect.errors : new Map<number, string>(),
  );
  expect(left.filter(errors => errors.size === 25).length).toBeGreaterThan(500);
  expect(left.filter(errors => errors.size < 25).length).toBeGreaterThan(500);
  expect(Math.min(...left.map(errors => errors.size))).toBeGreaterThan(0);
  expect(new Set(left.flatMap(errors => [...errors.values()]))).toEqual(new Set(BUSY_STATEMENT_ERRORS));
});

test('refused keys: every code that lasts; BatchWriteItem has no such errors', () => {
  const codes = draw({ refusedKeys: 1 }).flatMap(fault =>
    fault?.effect.kind === 'leaveOut' ? [...fault.effect.errors.values()] : [],
  );
  expect(new Set(codes)).toEqual(new Set(LASTING_STATEMENT_ERRORS));
  expect(draw({ refusedKeys: 1 }, call({ operation: 'BatchWriteItem' }), 20)).toEqual(
    Array(20).fill(undefined),
  );
});

test('a query has no keys to leave out, and only a query can be stale', () => {
  expect(draw({ unprocessed: 1 }, QUERY, 20)).toEqual(Array(20).fill(undefined));
  expect(draw({ stale: 1 }, QUERY, 1)[0]).toEqual({ name: 'stale', effect: { kind: 'stale' } });
  expect(draw({ stale: 1 }, call(), 20)).toEqual(Array(20).fill(undefined));
});

test('other rates from some moment on', () => {
  const faults = new SeededFaults({ seed: 1, rates: { throttled: 1 } });
  expect(faults.choose(call())?.name).toBe('throttled');
  faults.setRates({});
  expect(faults.choose(call())).toBeUndefined();
});

test.each([
  [{ throttled: 20 }, 'rates.throttled: expected a share from 0 to 1, got 20'],
  [{ cutAfter: Number.NaN }, 'rates.cutAfter'],
  [{ throttled: 0.7, unprocessed: 0.7 }, 'add up to 1 at the most'],
])('fails for %j', (rates, message) => {
  expect(() => new SeededFaults({ seed: 1, rates })).toThrow(message);
});
