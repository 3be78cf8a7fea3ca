import { VirtualClock } from '../../src/clock.ts';
import { parseTimestamp } from '../../src/interpreter/field-checks.ts';
import { Engine, type FunctionInvoker, InvalidStartError } from '../../src/interpreter/index.ts';
import {
  eventTypes,
  graph,
  invokerOf,
  MACHINE_ARN,
  machineOf,
  mapOf,
  outcome,
  pass,
  run,
  start,
  task,
  testMachine,
  wait,
} from './run-definition.ts';

describe('an execution', () => {
  test('shows the whole context object', async () => {
    const clock = new VirtualClock(0);
    const definition = machineOf({
      A: { Type: 'Wait', Seconds: 3, Next: 'B' },
      B: { Type: 'Pass', Output: '{% $states.context %}', End: true },
    });
    const execution = await run(definition, { clock, name: 'n', input: { i: 1 } });
    expect(execution.output).toEqual({
      Execution: {
        Id: execution.arn,
        Input: { i: 1 },
        Name: 'n',
        RoleArn: 'arn:aws:iam::111111111111:role/test',
        StartTime: '1970-01-01T00:00:00.000Z',
        RedriveCount: 0,
      },
      StateMachine: { Id: MACHINE_ARN, Name: 'TestMachine' },
      State: { Name: 'B', EnteredTime: '1970-01-01T00:00:03.000Z' },
    });
  });

  const Output = '{% $states.context.State.RetryCount %}';
  const inner = graph('I', pass);
  const choice = { Type: 'Choice', Choices: [{ Condition: true, Output, Next: 'B' }] };
  test.each([
    ['Pass', { A: { ...pass, Output } }, false],
    ['Succeed', { A: { Type: 'Succeed', Output } }, false],
    ['Wait', { A: { ...wait(0), Output } }, false],
    ['Choice', { A: choice, B: pass }, false],
    ['Fail', { A: { Type: 'Fail', Error: Output } }, false],
    ['Task', { A: { ...task, Output } }, true],
    ['Parallel', { A: { Type: 'Parallel', Branches: [inner], Output, End: true } }, true],
    ['Map', { A: mapOf(pass, { Items: [], Output }) }, true],
  ])('a context has a RetryCount where the state can be retried: %s', async (_type, states, counted) => {
    const execution = await run(machineOf(states), { functions: { f: () => 1 } });
    expect(outcome(execution)).toEqual(
      counted
        ? { status: 'SUCCEEDED', output: 0 }
        : { status: 'FAILED', error: 'States.QueryEvaluationError' },
    );
  });

  test('keeps the text of its input as it was given', async () => {
    const inputText = '{ "a" : 1.0 }';
    const execution = await run(machineOf({ A: pass }), { input: JSON.parse(inputText), inputText });
    expect(execution.inputText).toBe(inputText);
    expect(execution.input).toEqual({ a: 1 });
    expect(execution.history[0]).toMatchObject({ executionStartedEventDetails: { input: inputText } });
    expect(execution.history[1]).toMatchObject({ stateEnteredEventDetails: { input: inputText } });
    const short = { limits: { payloadBytes: 12 } };
    expect(() =>
      start(machineOf({ A: pass }), { input: JSON.parse(inputText), inputText, ...short }),
    ).toThrow(/13/);
  });

  test('fails with what a Fail state says, calculated or not', async () => {
    const failing = async (state: object) => {
      const { error, cause, history } = await run(machineOf({ A: { Type: 'Fail', ...state } }), {
        input: { n: 3 },
      });
      expect(history.at(-1)).toMatchObject({ type: 'ExecutionFailed' });
      return [error, cause];
    };
    expect(await failing({})).toEqual([undefined, undefined]);
    expect(await failing({ Error: 'E', Cause: '{% $states.input.n & " keys" %}' })).toEqual(['E', '3 keys']);
    expect((await failing({ Cause: '{% $states.input.n %}' }))[0]).toBe('States.QueryEvaluationError');
  });

  test('fails when no rule of a Choice matches', async () => {
    const definition = machineOf({
      A: { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'B' }] },
      B: pass,
    });
    const execution = await run(definition);
    expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'States.NoChoiceMatched' });
    expect(eventTypes(execution)).toEqual(['ExecutionStarted', 'ChoiceStateEntered', 'ExecutionFailed']);
  });

  test('fails when a Condition is no boolean', async () => {
    const definition = machineOf({
      A: { Type: 'Choice', Choices: [{ Condition: "{% 'x' %}", Next: 'B' }] },
      B: pass,
    });
    expect((await run(definition)).cause).toContain(
      `specified for the field 'Choices[0]/Condition' returned an unexpected result type. Expected 'boolean', but was 'string' for value: "x"`,
    );
  });
});

describe('stop', () => {
  test('ends a wait at once, with its error and cause', async () => {
    const clock = new VirtualClock(0);
    const execution = start(machineOf({ A: wait(1000) }), { clock });
    clock.schedule(10_000, () => execution.stop('Operator', 'enough'));
    await execution.done;
    expect(execution).toMatchObject({
      status: 'ABORTED',
      error: 'Operator',
      cause: 'enough',
      stopDate: 10_000,
    });
    expect(execution.history.at(-1)).toMatchObject({
      type: 'ExecutionAborted',
      executionAbortedEventDetails: { error: 'Operator', cause: 'enough' },
    });
  });

  test('aborts the function that runs, and ignores what it returns', async () => {
    const clock = new VirtualClock(0);
    const invoker: FunctionInvoker = {
      invoke: async (_arn, _payload, { signal }) => {
        await clock.sleep(50_000, signal).catch(() => {});
        return { ok: true, payload: signal.aborted };
      },
    };
    const execution = start(machineOf({ A: task }), {
      clock,
      invoker,
    });
    clock.schedule(1000, () => execution.stop());
    await execution.done;
    const events = execution.history.length;
    await clock.sleep(100_000);
    expect(outcome(execution)).toEqual({ status: 'ABORTED' });
    expect(execution.history).toHaveLength(events);
  });

  test('ends the pause before a retry', async () => {
    const clock = new VirtualClock(0);
    const Retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 900 }];
    const execution = start(machineOf({ A: { ...task, Retry } }), { clock });
    clock.schedule(1000, () => execution.stop());
    await execution.done;
    expect(execution).toMatchObject({ status: 'ABORTED', stopDate: 1000 });
  });

  test('changes nothing once the execution has ended', async () => {
    const execution = await run(machineOf({ A: pass }));
    const events = [...execution.history];
    execution.stop('late');
    expect(execution.status).toBe('SUCCEEDED');
    expect(execution.history).toEqual(events);
  });
});

describe('limits', () => {
  test('an Express execution times out after five minutes, a Standard one does not', async () => {
    const clock = new VirtualClock(0);
    const express = await run(machineOf({ A: wait(301) }), { clock, type: 'EXPRESS' });
    expect(express).toMatchObject({ status: 'TIMED_OUT', error: 'States.Timeout', stopDate: 300_000 });
    expect(eventTypes(express).at(-1)).toBe('ExecutionTimedOut');
    expect((await run(machineOf({ A: wait(299) }), { type: 'EXPRESS' })).status).toBe('SUCCEEDED');
    expect((await run(machineOf({ A: wait(86_400) }))).status).toBe('SUCCEEDED');
  });

  test('TimeoutSeconds of the definition, and nothing catches it', async () => {
    const definition = machineOf(
      {
        A: {
          Type: 'Parallel',
          Branches: [graph('W', wait(60))],
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }],
          End: true,
        },
        B: pass,
      },
      { TimeoutSeconds: 5 },
    );
    expect(outcome(await run(definition))).toEqual({ status: 'TIMED_OUT' });
  });

  const loop = machineOf({
    A: { Type: 'Pass', Assign: { n: 0 }, Next: 'B' },
    B: { Type: 'Pass', Assign: { n: '{% $n + 1 %}' }, Next: 'C' },
    C: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $n < $states.input.rounds %}', Next: 'B' }],
      Default: 'D',
    },
    D: { Type: 'Succeed' },
  });

  test('exactly as many events as there may be are enough', async () => {
    // 1 start, 2 for A, 4 per round, 2 for D, 1 end
    const events = (rounds: number) => 6 + 4 * rounds;
    const limits = { standardHistoryEvents: events(5) };
    expect((await run(loop, { input: { rounds: 5 }, limits })).status).toBe('SUCCEEDED');
    expect((await run(loop, { input: { rounds: 6 }, limits })).status).toBe('FAILED');
  });

  test('an Express execution goes on, and only forgets events', async () => {
    const limits = { expressHistoryEvents: 10 };
    const execution = await run(loop, { input: { rounds: 50 }, type: 'EXPRESS', limits });
    expect(execution.status).toBe('SUCCEEDED');
    expect(execution.history).toHaveLength(10);
  });
});

describe('start', () => {
  const name = (text: string) => () => start(machineOf({ A: pass }), { name: text });

  test.each(['', 'x'.repeat(81), 'a b', 'a:b', 'a/b', 'a\u0000', 'a?', 'a#b', 'ä{'])(
    'fails on the name %j',
    text => {
      expect(name(text)).toThrow(InvalidStartError);
    },
  );

  test.each(['a', 'x'.repeat(80), 'A-b_c.d', '2026-07-19T21.27'])('accepts the name %j', text => {
    expect(name(text)().name).toBe(text);
  });

  test('fails on an input over 256 KiB, or one that is not JSON', () => {
    expect(() => start(machineOf({ A: pass }), { input: 'x'.repeat(262_142) })).not.toThrow();
    expect(() => start(machineOf({ A: pass }), { input: 'x'.repeat(262_143) })).toThrow(
      /262144 bytes, got 262145/,
    );
    expect(() => start(machineOf({ A: pass }), { input: () => 1 })).toThrow(/function/);
  });

  test('keeps nothing of 200 executions', async () => {
    const clock = new VirtualClock();
    const engine = new Engine({ clock, invoker: invokerOf({ f: () => 1 }, clock) });
    const map = mapOf({ ...task, TimeoutSeconds: 60 }, { Items: [1, 2, 3] });
    const machine = testMachine(machineOf({ A: map }));
    const registry = { collected: 0 };
    const finalizers = new FinalizationRegistry(() => {
      registry.collected += 1;
    });
    for (let i = 0; i < 200; i += 1) {
      const execution = engine.start(machine, { input: {} });
      finalizers.register(execution, undefined);
      await execution.done;
    }
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let i = 0; i < 5 && registry.collected < 190; i += 1) {
      collect();
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(registry.collected).toBeGreaterThanOrEqual(190);
  });
});

const START = Date.parse('2026-07-19T21:27:00.000Z');
const waitedMs = async (wait: object, input: unknown = {}, start = START) => {
  const clock = new VirtualClock(start);
  const execution = await run(machineOf({ W: { Type: 'Wait', End: true, ...wait } }), { input, clock });
  return execution.status === 'SUCCEEDED' ? (execution.stopDate ?? 0) - start : execution.cause;
};

test.each([
  ['Seconds', { Seconds: 90 }, 90_000],
  ['no seconds', { Seconds: 0 }, 0],
  ['seconds from an expression', { Seconds: '{% $states.input.n * 2 %}' }, 14_000],
  ['a time', { Timestamp: '2026-07-19T21:28:00Z' }, 60_000],
  ['a time in another zone', { Timestamp: '2026-07-19T23:27:30+02:00' }, 30_000],
  ['a time in the past', { Timestamp: '2020-01-01T00:00:00Z' }, 0],
  ['a time from an expression', { Timestamp: '{% $fromMillis($millis() + 12000) %}' }, 12_000],
])('waits for %s', async (_name, wait, expected) => {
  expect(await waitedMs(wait, { n: 7 })).toBe(expected);
});

// As AWS does: https://docs.aws.amazon.com/step-functions/latest/dg/state-wait.html
describe('the milliseconds of a Timestamp are dropped', () => {
  test.each([
    ['a whole second', 0, '2026-07-19T21:27:05Z', 5000],
    ['its last millisecond', 0, '2026-07-19T21:27:05.999Z', 5000],
    ['from within a second to the next', 400, '2026-07-19T21:27:01.000Z', 600],
    ['from within a second to later in the same: not at all', 400, '2026-07-19T21:27:00.900Z', 0],
    ['in the past, though not by its milliseconds', 1, '2026-07-19T21:27:00.999Z', 0],
  ])('%s', async (_case, startedAfterMs, Timestamp, expected) => {
    expect(await waitedMs({ Timestamp }, {}, START + startedAfterMs)).toBe(expected);
  });
});

test.each([
  ['negative seconds', { Seconds: '{% -1 %}' }, /an integer from 0 to 99999999, but was: -1/],
  ['half a second', { Seconds: '{% 0.5 %}' }, /but was: 0.5/],
  ['seconds in words', { Seconds: "{% 'one' %}" }, /Expected 'number', but was 'string' for value: "one"/],
  ['a number as a time', { Timestamp: '{% 1 %}' }, /Expected 'string', but was 'number'/],
])('fails on %s', async (_name, wait, words) => {
  expect(await waitedMs(wait)).toMatch(words);
});

describe('parseTimestamp', () => {
  test.each([
    ['2016-03-14T01:59:00Z', Date.UTC(2016, 2, 14, 1, 59)],
    ['2016-03-14T01:59Z', Date.UTC(2016, 2, 14, 1, 59)],
    ['2016-03-14t01:59:00z', Date.UTC(2016, 2, 14, 1, 59)],
    ['2016-03-05T21:29:29.243167252Z', Date.UTC(2016, 2, 5, 21, 29, 29) + 243],
    ['2024-02-29T00:00:00-18:00', Date.UTC(2024, 1, 29, 18)],
  ])('reads %s', (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  test.each([
    '2016-13-05T21:29:29Z',
    '2016-12-05T24:00:00Z',
    '2016-12-05T21:60:29Z',
    '2016-12-05T21:29:60Z',
    '2023-02-29T00:00:00Z',
    '2016-12-05T21:29:29+01:60',
    '2016-12-05T21:29:29+18:01',
    '2016-12-05T21:29:29.1234567890Z',
    ' 2016-12-05T21:29:29Z',
  ])('does not read %s', text => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
