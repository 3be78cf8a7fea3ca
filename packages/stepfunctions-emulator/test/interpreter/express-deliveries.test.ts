import { VirtualClock } from '../../src/clock.ts';
import { Engine, type EngineOptions, type Execution } from '../../src/interpreter/index.ts';
import { invokerOf, machineOf, testMachine } from './run-definition.ts';

const definition = machineOf({ A: { Type: 'Wait', Seconds: 1, Output: '{% $states.input.n %}', End: true } });

function engineOf(expressDeliveries?: NonNullable<EngineOptions['expressDeliveries']>) {
  const clock = new VirtualClock(0);
  const started: Execution[] = [];
  const engine = new Engine({
    clock,
    invoker: invokerOf({}, clock),
    ...(expressDeliveries && { expressDeliveries }),
    onStart: execution => started.push(execution),
  });
  return { clock, engine, started };
}
const express = testMachine(definition, 'EXPRESS');

test('an Express execution runs as often as it is delivered, with the same name and input', async () => {
  const { clock, engine, started } = engineOf((machine, { name }) =>
    machine.type === 'EXPRESS' && name === 'tick' ? [0, 0, 12_000] : [0],
  );
  const first = engine.start(express, { name: 'tick', input: { n: 1 } });
  engine.start(express, { name: 'other', input: { n: 2 } });
  await clock.sleep(20_000);
  expect(started.map(({ name, startDate, stopDate, output }) => [name, startDate, stopDate, output])).toEqual(
    [
      ['tick', 0, 1_000, 1],
      ['tick', 0, 1_000, 1],
      ['other', 0, 1_000, 2],
      ['tick', 12_000, 13_000, 1],
    ],
  );
  expect(started[0]).toBe(first);
  expect(new Set(started.map(({ arn }) => arn)).size).toBe(4);
  expect(engine.billing).toMatchObject({ expressRequests: 4 });
});

test.each([
  ['a Standard execution', testMachine(definition), {}],
  ['one that somebody waits for', express, { synchronous: true }],
])('%s runs once', async (_what, machine, options) => {
  const { clock, engine, started } = engineOf(() => [0, 0]);
  engine.start(machine, { input: {}, ...options });
  await clock.sleep(20_000);
  expect(started).toHaveLength(1);
});

test('by default an Express execution runs once, and so does one whose further deliveries are taken back', async () => {
  const once = engineOf();
  once.engine.start(express, { input: {} });
  await once.clock.sleep(20_000);
  const stopped = engineOf(() => [0, 1]);
  stopped.engine.start(express, { input: {} });
  stopped.engine.endDeliveries();
  await stopped.clock.sleep(20_000);
  expect([once.started.length, stopped.started.length]).toEqual([1, 1]);
});
