import { VirtualClock } from '../../src/clock.ts';
import { Engine, type FunctionInvoker } from '../../src/interpreter/index.ts';
import {
  arnOf,
  distributed,
  graph,
  invokerOf,
  machineOf,
  mapOf,
  pass,
  type RunOptions,
  raise,
  run,
  start,
  task,
  testMachine,
  wait,
} from './run-definition.ts';

/** An Express execution that takes as long, to the millisecond, which no Wait does. */
const expressOf = (ms: number) =>
  run(machineOf({ A: task }), {
    type: 'EXPRESS',
    functions: { f: (_event, clock) => clock.sleep(ms) },
  });

test('Standard executions count transitions: every state, and every retry', async () => {
  let calls = 0;
  const f = () => {
    calls += 1;
    if (calls < 3) raise('E')();
  };
  const definition = machineOf({
    A: { Type: 'Task', Resource: arnOf('f'), Retry: [{ ErrorEquals: ['E'] }], Next: 'B' },
    B: { Type: 'Choice', Choices: [{ Condition: true, Next: 'C' }] },
    C: { Type: 'Succeed' },
  });
  const { billing } = await run(definition, { functions: { f } });
  expect(billing).toMatchObject({
    stateTransitions: 3 + 2,
    functionInvocations: 3,
    expressRequests: 0,
    expressGbSeconds: 0,
  });
});

test.each([
  [0, 0.1],
  [0.1, 0.1],
  [0.101, 0.2],
  [1, 1],
  [2, 2],
])('an Express execution of %d s is billed for %d s of 64 MB', async (seconds, billed) => {
  const { billing } = await expressOf(seconds * 1000);
  expect(billing.expressGbSeconds).toBeCloseTo((billed * 64) / 1024, 10);
  expect([billing.expressRequests, billing.stateTransitions]).toEqual([1, 0]);
});

test.each([
  ['EXPRESS', 2 + 3, 3],
  ['STANDARD', 2 + 3 + 3, 0],
] as const)(
  'what the %s children cost is the cost of the parent as well',
  async (type, transitions, express) => {
    const clock = new VirtualClock();
    const invoker: FunctionInvoker = {
      async invoke(_arn, _payload, { onUsage }) {
        onUsage?.('writes', 2);
        return { ok: true, payload: await clock.sleep(250) };
      },
    };
    const definition = machineOf({
      M: distributed(task, { Items: [1, 2, 3], End: undefined, Next: 'E' }, type),
      E: { Type: 'Succeed' },
    });
    const { billing, mapRuns } = await run(definition, { clock, invoker });
    expect(billing).toEqual({
      stateTransitions: transitions,
      expressRequests: express,
      expressGbSeconds: (express * 0.3 * 64) / 1024,
      functionInvocations: 3,
      functionDurationMs: 750,
      functionGbSeconds: (3 * 0.25 * 128) / 1024,
      usage: { writes: 6 },
    });
    expect(mapRuns[0]?.executions).toHaveLength(3);
  },
);

test('a function is billed for the time until it was cut off, or for what its runner says', async () => {
  const task = { Type: 'Task', Resource: arnOf('f'), TimeoutSeconds: 2, End: true };
  const f = (_e: unknown, clock: VirtualClock) => clock.sleep(9000);
  expect((await run(machineOf({ A: task }), { functions: { f } })).billing.functionDurationMs).toBe(2000);
  const invoker = { invoke: async () => ({ ok: true, payload: 1, durationMs: 17 }) as const };
  expect((await run(machineOf({ A: task }), { invoker })).billing.functionDurationMs).toBe(17);
});

test('an execution that is stopped is billed until then', async () => {
  const clock = new VirtualClock(0);
  const execution = start(machineOf({ A: wait(100) }), { clock, type: 'EXPRESS' });
  clock.schedule(1000, () => execution.stop());
  await execution.done;
  expect(execution.billing.expressGbSeconds).toBeCloseTo(64 / 1024, 10);
});

test('what an invoker reports counts, also when the task gave up on the function', async () => {
  const clock = new VirtualClock();
  const engine = new Engine({
    clock,
    invoker: {
      async invoke(_arn, _payload, { onUsage }) {
        onUsage?.('queueMessages', 0.5);
        await clock.sleep(2_000);
        onUsage?.('queueMessages', 1);
        onUsage?.('writes', 3);
        return { ok: true, payload: null };
      },
    },
  });
  const definition = machineOf({ A: { Type: 'Task', Resource: arnOf('f'), TimeoutSeconds: 1, End: true } });
  const execution = engine.start(testMachine(definition), { input: {} });
  await execution.done;
  expect(execution.status).toBe('FAILED');
  await clock.sleep(5_000);
  expect(execution.billing.usage).toEqual({ queueMessages: 1.5, writes: 3 });
});

test.each([
  [undefined, 0.125],
  [1024, 1],
])('a function of %p MB that takes a second costs %d GB-seconds', async (memoryMb, gbSeconds) => {
  const result = { ok: true, payload: null, durationMs: 999.1, ...(memoryMb && { memoryMb }) } as const;
  const definition = machineOf({ A: task });
  const { billing } = await run(definition, { invoker: { invoke: async () => result } });
  expect(billing.functionGbSeconds).toBeCloseTo(gbSeconds, 10);
  expect(billing.functionDurationMs).toBe(999.1);
});

test('an engine adds up what its executions are billed for, by what they are billed by', async () => {
  const clock = new VirtualClock();
  const engine = new Engine({ clock, invoker: invokerOf({ f: () => clock.sleep(1000) }, clock) });
  expect(engine.billing).toMatchObject({ stateTransitions: 0, expressRequests: 0 });
  const machine = machineOf({ A: task });
  const started = (['EXPRESS', 'EXPRESS', 'STANDARD'] as const).map(type =>
    engine.start(testMachine(machine, type), { input: {} }),
  );
  await Promise.all(started.map(({ done }) => done));
  expect(engine.billing).toMatchObject({
    stateTransitions: 1,
    expressRequests: 2,
    expressGbSeconds: (2 * 64) / 1024,
    functionInvocations: 3,
  });
});

describe('the memory of an Express execution', () => {
  const KB = 1_000;
  /** So many bytes of JSON, by doubling: $pad adds one character after the other. */
  const text = (bytes: number) => {
    const doubled = [...(bytes - 2).toString(2)].map(bit => `$t := $t & $t${bit === '1' ? ' & "x"' : ''}`);
    return `{% ($t := ""; ${doubled.join('; ')}) %}`;
  };
  const manyOf = (items: number, inner: object, name = 'I', rest: object = {}) =>
    mapOf(inner, {
      Items: `{% [1..${items}] %}`,
      ItemProcessor: graph(name, inner),
      Output: 'done',
      ...rest,
    });
  const forgetting = { ...pass, Output: 'done' };
  const memoryOf = async (definition: object, options: RunOptions = {}) => {
    const { memoryMb, billing, status } = await run(definition, { type: 'EXPRESS', ...options });
    expect(status).toBe('SUCCEEDED');
    return { memoryMb, billedMb: Math.round(billing.expressGbSeconds * 1024 * 10) };
  };

  test('is what the pricing page calculates for 400 iterations with 32 KB', async () => {
    const map = manyOf(400, forgetting, 'I', { ItemSelector: text(32 * KB) });
    const short = JSON.stringify(machineOf({ M: map }, { Comment: '' }));
    const definition = machineOf({ M: map }, { Comment: ' '.repeat(50 * KB - short.length) });
    expect(JSON.stringify(definition)).toHaveLength(50 * KB);
    const { memoryMb, billedMb } = await memoryOf(definition);
    expect(memoryMb).toBeCloseTo(62.85, 2);
    expect(billedMb).toBe(64);
  });

  const inMap = (items: number, bytes: number, name = 'I') =>
    manyOf(items, forgetting, name, { ItemSelector: text(bytes) });
  test.each([
    ['40 iterations with 250 KB', inMap(40, 250 * KB), 60, 64],
    ['60 iterations with 250 KB', inMap(60, 250 * KB), 65, 128],
    ['40 × 10 iterations with 50 KB', manyOf(40, inMap(10, 50 * KB, 'J')), 70, 128],
  ])('counts every iteration of a Map: %s', async (_what, map, expected, billed) => {
    const { memoryMb = 0, billedMb } = await memoryOf(machineOf({ M: map }));
    expect(Math.round(memoryMb)).toBe(expected);
    expect(billedMb).toBe(billed);
  });

  test('counts what the branches of a Parallel hold together', async () => {
    const branches = ['B', 'C', 'D'].map(name => ({
      StartAt: name,
      States: { [name]: { ...pass, Output: text(80 * KB) } },
    }));
    const definition = machineOf({ P: { Type: 'Parallel', Branches: branches, Output: 1, End: true } });
    // Besides them the result, which has all three.
    expect((await memoryOf(definition)).memoryMb).toBeCloseTo(50 + 2 * 0.24, 2);
  });

  test('does not add up what states hold one after the other, and the Maps of a loop neither', async () => {
    const definition = machineOf({
      A: { Type: 'Pass', Assign: { round: 0 }, Next: 'M' },
      M: {
        ...manyOf(40, { ...forgetting }, 'I', { ItemSelector: text(100 * KB) }),
        End: undefined,
        Next: 'B',
      },
      B: { Type: 'Pass', Assign: { round: '{% $round + 1 %}' }, Next: 'C' },
      C: { Type: 'Choice', Choices: [{ Condition: '{% $round < 5 %}', Next: 'M' }], Default: 'D' },
      D: { Type: 'Succeed' },
    });
    const { memoryMb } = await memoryOf(definition);
    expect(memoryMb).toBeCloseTo(54, 2);
  });

  test('counts input, arguments, results and variables', async () => {
    const definition = machineOf({
      A: {
        Type: 'Task',
        Resource: arnOf('f'),
        Arguments: 1,
        Assign: { kept: '{% $states.result %}' },
        Output: 1,
        Next: 'B',
      },
      B: { Type: 'Pass', Assign: { also: '{% $kept %}' }, End: true },
    });
    const functions = { f: () => 'x'.repeat(200 * KB - 2) };
    const { memoryMb } = await memoryOf(definition, { functions });
    expect(memoryMb).toBeCloseTo(50 + 0.2 + 2 * 0.2, 2);
    const { memoryMb: ofInput } = await memoryOf(machineOf({ A: { ...pass, Output: 1 } }), {
      input: 'x'.repeat(200 * KB - 2),
    });
    expect(ofInput).toBeCloseTo(50.2, 2);
  });

  test('counts what was cut off', async () => {
    const failing = machineOf({
      M: manyOf(40, { Type: 'Fail', Error: 'E' }, 'I', { ItemSelector: text(200 * KB) }),
    });
    const { memoryMb } = await run(failing, { type: 'EXPRESS' });
    expect(memoryMb).toBeGreaterThan(58);
  });

  test('is nobody’s business in a Standard one', async () => {
    expect((await run(machineOf({ A: pass }))).memoryMb).toBeUndefined();
  });
});
