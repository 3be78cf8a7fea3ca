import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderWith } from '../../../../test/support/folder.ts';
import {
  fails,
  InvalidDefinitionError,
  InvalidStartError,
  realClock,
  stateMachine,
  takes,
  VirtualClock,
} from '../../src/testing/index.ts';
import { wait } from '../interpreter/run-definition.ts';
import { definitionOf, machineOf, task } from './support.ts';

const context = machineOf({ A: { Type: 'Pass', Output: '{% $states.context %}', End: true } });

describe('time', () => {
  test('the real clock', async () => {
    const before = Date.now();
    const functions = { f: takes(20) };
    const execution = await machineOf({ A: task('f') }).run({ clock: realClock, functions });
    expect(execution.durationMs).toBeGreaterThanOrEqual(20);
    expect(execution.startDate).toBeGreaterThanOrEqual(before);
  });

  test('a clock that executions share', async () => {
    const clock = new VirtualClock(0);
    const machine = machineOf({ A: wait(10) });
    const both = await Promise.all([machine.run({ clock }), machine.run({ clock })]);
    expect(both.map(({ stopDate }) => stopDate)).toEqual([10_000, 10_000]);
    expect((await machine.run({ clock })).startDate).toBe(10_000);
  });

  test("a test framework's fake timers do not stop a virtual clock", async () => {
    jest.useFakeTimers();
    try {
      const execution = await machineOf({ A: wait(30 * 86_400) }).run();
      expect(execution.durationMs).toBe(30 * 86_400_000);
      expect(execution.startDate).toBe(Date.UTC(2026, 0, 1));
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('chance', () => {
  const machine = machineOf({
    A: task('f', {
      Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 100, JitterStrategy: 'FULL' }],
      Output: '{% $uuid() %}',
      End: true,
    }),
  });
  const runWith = (seed?: number) =>
    machine.run({ functions: { f: [fails('E'), 1] }, ...(seed !== undefined && { seed }) });

  test('is the same with the same seed', async () => {
    const [one, other, third] = [await runWith(), await runWith(1), await runWith(2)];
    expect(one).toEqual(other);
    expect(third.retries[0]?.ms).not.toBe(one.retries[0]?.ms);
    expect(third.output).not.toBe(one.output);
    expect(one.retries[0]?.ms).toBeLessThan(100_000);
  });
});

describe('kinds of state machines', () => {
  test('Express is billed by time', async () => {
    const machine = machineOf({ A: wait(2) }, { type: 'EXPRESS' });
    const { billing, arn } = await machine.run();
    expect(billing).toMatchObject({ expressRequests: 1, stateTransitions: 0, expressGbSeconds: 0.125 });
    expect(arn).toContain(':express:StateMachine:');
  });

  test('a synchronous execution has no RedriveCount in its context', async () => {
    const states = {
      A: { Type: 'Pass', Output: '{% $states.context.Execution.RedriveCount ~> $exists %}', End: true },
    };
    const machine = machineOf(states, { type: 'EXPRESS' });
    expect((await machine.run({ sync: true })).output).toBe(false);
    expect((await machine.run()).output).toBe(true);
  });

  test('a Standard one is not run synchronously', async () => {
    await expect(context.run({ sync: true })).rejects.toThrow(
      'sync: expected an EXPRESS state machine, got a STANDARD one',
    );
  });
});

describe('what can not be started', () => {
  test.each([
    ['a name', { name: 'a b' }, 'InvalidName'],
    ['an input', { input: () => 1 }, 'InvalidExecutionInput'],
  ])('%s', async (_what, options, name) => {
    const refused = context.run(options);
    await expect(refused).rejects.toThrow(InvalidStartError);
    await expect(refused).rejects.toMatchObject({ name });
  });
});

const Output = '{% $states.context.StateMachine.Name %}';
const named = JSON.stringify(definitionOf({ A: { Type: 'Pass', Output, End: true } }));

describe('a file', () => {
  const folder = folderWith({ 'orders.asl.json': named, 'a b.json': named, 'wrong.json': '{' });
  const load = (name: string, options = {}) => stateMachine.fromFile(join(folder, name), options);

  test('gives its name to the state machine, which its JSON text alone does not', async () => {
    const file = pathToFileURL(join(folder, 'orders.asl.json'));
    expect((await load('orders.asl.json').run()).output).toBe('orders');
    expect((await stateMachine.fromFile(file).run()).output).toBe('orders');
    expect((await load('orders.asl.json', { name: 'other' }).run()).output).toBe('other');
    expect((await stateMachine.from(named).run()).output).toBe('StateMachine');
    const first = await load('orders.asl.json').run({ name: 'first' });
    expect([first.name, first.arn.split(':').slice(-3)]).toEqual(['first', ['execution', 'orders', 'first']]);
  });

  test('a name that is not allowed is not taken', () => {
    expect(load('a b.json').name).toBe('StateMachine');
  });

  test('that is not there', () => {
    expect(() => stateMachine.fromFile('nowhere.asl.json')).toThrow(/ENOENT.*nowhere\.asl\.json/);
  });

  test('that holds no definition', () => {
    expect(() => load('wrong.json')).toThrow(InvalidDefinitionError);
  });
});
