import { fails, HarnessError, takes, UnexpectedStatusError, VirtualClock } from '../../src/testing/index.ts';
import { distributed, graph, graphOf, mapOf, pass, wait } from '../interpreter/run-definition.ts';
import { machineOf, task } from './support.ts';

const everything = machineOf({
  Both: {
    Type: 'Parallel',
    Branches: [
      graph('Slow', wait(60)),
      graphOf({ Quick: { Type: 'Wait', Seconds: 5, Next: 'Then' }, Then: pass }),
    ],
    Assign: { seen: '{% $states.result %}' },
    Next: 'Items',
  },
  Items: {
    ...{ Type: 'Map', Items: [1, 2], ItemProcessor: graph('Item', task('each')) },
    Next: 'Children',
  },
  Children: {
    ...{ Type: 'Map', Items: ['a', 'b'], Next: 'Done' },
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
      ...graphOf({ Start: { Type: 'Pass', Next: 'Work' }, Work: task('each') }),
    },
  },
  Done: { Type: 'Succeed', Output: '{% $states.input %}' },
});

const runEverything = () =>
  everything.run({ functions: { each: takes(100, 'x') }, clock: new VirtualClock(0) });

describe('an execution of everything', () => {
  test('the states in their order, those of a child together', async () => {
    const { states, visits } = await runEverything();
    expect(states).toEqual([
      'Both',
      'Slow',
      'Quick',
      'Then',
      'Items',
      'Item',
      'Item',
      'Children',
      'Start',
      'Work',
      'Start',
      'Work',
      'Done',
    ]);
    expect(visits.map(({ type }) => type).slice(0, 4)).toEqual(['Parallel', 'Wait', 'Wait', 'Pass']);
  });

  test('each visit with its input, output and times', async () => {
    const { visits, arn, children } = await runEverything();
    expect(visits[3]).toEqual({
      name: 'Then',
      type: 'Pass',
      input: {},
      output: {},
      enteredDate: 5_000,
      exitedDate: 5_000,
      executionArn: arn,
      enteredEventId: expect.any(Number),
    });
    const items = visits.filter(({ name }) => name === 'Item');
    expect(items.map(({ input, output }) => [input, output])).toEqual([
      [1, 'x'],
      [2, 'x'],
    ]);
    const work = visits.filter(({ name }) => name === 'Work');
    expect(work.map(({ executionArn }) => executionArn)).toEqual(children.map(child => child.arn));
    expect(work.map(({ input }) => input)).toEqual(['a', 'b']);
  });

  test('children are executions of their own', async () => {
    const { children } = await runEverything();
    expect(children.map(({ status, states, output, input }) => [status, states, output, input])).toEqual([
      ['SUCCEEDED', ['Start', 'Work'], 'x', 'a'],
      ['SUCCEEDED', ['Start', 'Work'], 'x', 'b'],
    ]);
    expect(children[1]?.calls.map(({ payload }) => payload)).toEqual(['b']);
    expect(children[1]?.startDate).toBe(60_100);
  });
});

test('retries of a Map and in children are seen as well', async () => {
  const retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 10, MaxAttempts: 1 }];
  const machine = machineOf({
    M: distributed(task('f', { Retry: [{ ErrorEquals: ['E'], MaxAttempts: 1 }], End: true }), {
      ...{ Items: [1], Retry: retry },
    }),
  });
  const execution = await machine.run({ functions: { f: [fails('E'), fails('E'), fails('E'), 'at last'] } });
  expect(execution.output).toEqual(['at last']);
  expect(execution.retries.map(({ state, retry, ms, error }) => [state, retry, ms, error])).toEqual([
    ['I', 1, 1000, 'E'],
    ['M', 1, 10_000, 'States.ExceedToleratedFailureThreshold'],
    ['I', 1, 1000, 'E'],
  ]);
  expect(execution.children.map(({ status }) => status)).toEqual(['FAILED', 'SUCCEEDED']);
  expect(execution.children[1]?.retries).toHaveLength(1);
});

test('a state that fails has neither output nor exit', async () => {
  const { visits } = await machineOf({ A: task('f') }).run({ functions: { f: fails('E') } });
  expect(visits).toMatchObject([{ name: 'A', output: undefined, exitedDate: undefined }]);
});

test('calls of a function that nobody knows are a mistake, none of one that was not called', async () => {
  const execution = await machineOf({ A: { Type: 'Succeed' } }).run({ functions: { f: 1 } });
  expect(execution.callsOf('f')).toEqual([]);
  expect(() => execution.callsOf('g')).toThrow(HarnessError);
  expect(() => execution.payloadsOf('g')).toThrow(
    'callsOf: expected the name of a function that is mocked or was called (f), got "g"',
  );
});

describe('in words', () => {
  const orders = machineOf({
    Charge: task('ChargeCard', {
      Retry: [{ ErrorEquals: ['CardBusy'], IntervalSeconds: 2, MaxAttempts: 1 }],
      Next: 'Cool down',
    }),
    'Cool down': { Type: 'Wait', Seconds: 600, Next: 'Ship' },
    Ship: task('ShipOrder'),
  });
  const functions = {
    ChargeCard: [fails('CardBusy'), { receipt: 'r-1' }],
    ShipOrder: fails('OutOfStock', 'none'),
  };

  test('how it ended, the states, the calls and the retries', async () => {
    const execution = await orders.run({ input: { orderId: 'o-1' }, functions });
    expect(execution.describe()).toBe(
      [
        'FAILED after 602 s: OutOfStock: {"errorType":"OutOfStock","errorMessage":"none","trace":[]}',
        '  +0 s Task "Charge" (2 s): {"orderId":"o-1"} → {"receipt":"r-1"}',
        '      ChargeCard({"orderId":"o-1"}) threw CardBusy; tried again after 2 s',
        '      ChargeCard({"orderId":"o-1"}) → {"receipt":"r-1"}',
        '  +2 s Wait "Cool down" (600 s): {"receipt":"r-1"} → {"receipt":"r-1"}',
        '  +602 s Task "Ship": {"receipt":"r-1"} → no output',
        '      ShipOrder({"receipt":"r-1"}) threw OutOfStock',
      ].join('\n'),
    );
  });

  test('long histories are cut in the middle, and long payloads at their end', async () => {
    const machine = machineOf({
      M: mapOf(pass, { Items: '{% [1..50] %}', Output: '{% $states.result.{"n": $} %}' }),
    });
    const lines = (await machine.run()).describe().split('\n');
    expect(lines).toHaveLength(1 + 12 + 1 + 12);
    expect(lines[13]).toBe('  … 27 more states');
    expect(lines[1]).toMatch(/^ {2}\+0 s Map "M": \{\} → .{79}…$/);
  });

  test('assertSucceeded and assertFailed throw it', async () => {
    const failed = await orders.run({ functions });
    expect(failed.assertFailed()).toBe(failed);
    expect(failed.assertFailed('OutOfStock')).toBe(failed);
    expect(() => failed.assertSucceeded()).toThrow(UnexpectedStatusError);
    expect(() => failed.assertSucceeded()).toThrow(
      `expected an execution that succeeded, got ${failed.describe()}`,
    );
    expect(() => failed.assertFailed('Other')).toThrow(
      `expected an execution that failed with the error Other, got FAILED`,
    );
    const succeeded = await orders.run({ functions: { ChargeCard: 1, ShipOrder: 2 } });
    expect(succeeded.assertSucceeded()).toBe(succeeded);
    expect(() => succeeded.assertFailed()).toThrow(
      'expected an execution that failed, got SUCCEEDED after 600 s: 2',
    );
  });
});

test('a Wait that a time limit ended lasted until its own execution ended', async () => {
  const machine = machineOf({
    Children: distributed(wait(3_600), {
      Items: [1],
      ToleratedFailurePercentage: 100,
      End: undefined,
      Next: 'After',
    }),
    After: wait(3_600),
  });
  const { waits, children } = await machine.run();
  const long = { state: 'I', ms: 300_000 };
  expect([children[0]?.waits, waits]).toEqual([[long], [long, { state: 'After', ms: 3_600_000 }]]);
});
