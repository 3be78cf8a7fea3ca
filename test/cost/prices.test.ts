import { Engine, loadDefinition, VirtualClock } from 'stepfunctions-emulator';
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

test.each([
  ['of 10 s with little data', 40, 64],
  ['of 10 s whose Map holds 15 MB', 60, 128],
])('an Express execution %s is priced by its memory, without transitions', async (_what, items, memoryMb) => {
  const definition = {
    QueryLanguage: 'JSONata',
    StartAt: 'M',
    States: {
      M: {
        Type: 'Map',
        Items: `{% [1..${items}] %}`,
        ItemSelector: '{% $pad("", 250000, "x") %}',
        ItemProcessor: { StartAt: 'P', States: { P: { Type: 'Pass', Output: 1, End: true } } },
        Next: 'W',
      },
      W: { Type: 'Wait', Seconds: 10, End: true },
    },
  };
  const clock = new VirtualClock();
  const engine = new Engine({ clock, invoker: { invoke: () => Promise.reject(new Error('no function')) } });
  const arn = 'arn:aws:states:us-east-1:123456789012:stateMachine:tick';
  const machine = {
    arn,
    name: 'tick',
    roleArn: '',
    type: 'EXPRESS',
    definition: loadDefinition(definition),
  } as const;
  await engine.start(machine, { input: {} }).done;
  const { total, parts } = costOf(engine.billing);
  expect(parts.stateTransitions).toBe(0);
  expect(total).toBeCloseTo(1e-6 + ((memoryMb / 1024) * 10 * 0.06) / 3600, 12);
});
