import { performance } from 'node:perf_hooks';
import { realClock, VirtualClock } from '../../src/clock.ts';
import type { Execution } from '../../src/interpreter/index.ts';
import {
  arnOf,
  graph,
  graphOf,
  machineOf,
  mapOf,
  outcome,
  pass,
  raise,
  run,
  start,
  task,
} from './run-definition.ts';

const end = { Type: 'Succeed' };
/** A loop of the state and this one, with an end that it never gets to. */
const again = { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'End' }], Default: 'A' };
const loopOf = (state: object) => ({ A: { ...state, Next: 'Again' }, Again: again, End: end });
const loop = loopOf({ Type: 'Pass' });
const timedOut = { status: 'TIMED_OUT', error: 'States.Timeout' };

describe('an Express execution that goes round without time passing is ended', () => {
  test.each([
    ['from the beginning, calling a function', machineOf(loopOf({ Type: 'Task', Resource: arnOf('f') })), {}],
    [
      'after other states, with a time limit',
      machineOf({ First: { Type: 'Pass', Next: 'A' }, ...loop }, { TimeoutSeconds: 7 }),
      { seconds: 7 },
    ],
    [
      'inside a Map that catches everything',
      machineOf({
        Each: mapOf(pass, {
          ...{ Items: [1, 2], ItemProcessor: graphOf(loop) },
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
        }),
        Caught: pass,
      }),
      {},
    ],
  ])('%s', async (_what, definition, { seconds = 300 }: { seconds?: number }) => {
    const execution = await run(definition, { type: 'EXPRESS', functions: { f: () => null } });
    expect(outcome(execution)).toEqual(timedOut);
    expect(execution.cause).toMatch(
      /^25000 states were entered without time passing, and go round through (A|Again)\. On AWS/,
    );
    expect(execution.cause).toContain(`would take ${seconds} s`);
  });

  test('and not one in which time passes, which gets to the limit of its time', async () => {
    const execution = await run(machineOf(loopOf({ Type: 'Wait', Seconds: 1 })), { type: 'EXPRESS' });
    expect(outcome(execution)).toEqual(timedOut);
    expect(execution.cause).toBeUndefined();
    expect((execution.stopDate ?? 0) - execution.startDate).toBe(300_000);
  });

  test('and not one whose branches enter more states together', async () => {
    const items = Array.from({ length: 13_000 }, (_, index) => index);
    const definition = machineOf({
      Each: mapOf(pass, { ItemProcessor: graphOf({ A: { Type: 'Pass', Next: 'B' }, B: pass }) }),
    });
    expect((await run(definition, { type: 'EXPRESS', input: items })).output).toEqual(items);
  });
});

test('a Standard execution that goes round is ended by its events, as on AWS', async () => {
  const execution = await run(machineOf(loop));
  expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'States.Runtime' });
  expect(execution.cause).toBe('The execution reached the maximum number of history events (25000).');
  expect(execution.history).toHaveLength(25_000);
  expect(execution.history.at(-1)?.type).toBe('ExecutionFailed');
});

test('what has nothing to wait for lets timers and I/O have their turn', async () => {
  const execution = start(machineOf(loop, { TimeoutSeconds: 60 }), {
    type: 'EXPRESS',
    clock: realClock as VirtualClock,
  });
  setTimeout(() => execution.stop('Enough'), 10);
  expect(outcome(await execution.done)).toEqual({ status: 'ABORTED', error: 'Enough' });
});

test('a virtual clock stands still meanwhile', async () => {
  const clock = new VirtualClock(0);
  const late = clock.sleep(1000).then(() => execution.status);
  const counted = {
    Type: 'Choice',
    Choices: [{ Condition: '{% $n < 2000 %}', Assign: { n: '{% $n + 1 %}' }, Next: 'Count' }],
    Default: 'End',
  };
  const definition = machineOf({
    Begin: { Type: 'Pass', Assign: { n: 0 }, Next: 'Count' },
    Count: counted,
    End: end,
  });
  const execution = start(definition, { type: 'EXPRESS', clock });
  expect((await execution.done).stopDate).toBe(0);
  expect(await late).toBe('SUCCEEDED');
});

const evaluate = (expression: string, input: unknown = {}): Promise<Execution> =>
  run(machineOf({ A: { Type: 'Pass', Output: `{% $string(${expression}) %}`, End: true } }), { input });

const STACK_OVERFLOW =
  'threw an error during evaluation: Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.';
const TOO_MUCH_MEMORY =
  'threw an error during evaluation: Expression evaluation memory limit exceeded: Check for excessive memory usage';

// Of the limits this is not about time, which a busy machine would be over: an evaluation is timed by this clock.
const { now } = performance;
beforeAll(() => {
  performance.now = () => 0;
});
afterAll(() => {
  performance.now = now;
});

/** An operand is as deep as operators stand behind it. `$string(…)` around it is one more. */
const sumOfOnes = (terms: number) => Array(terms).fill('1').join(' + ');
/** Each call is three nodes deeper: the call, the condition in it, the sum in that. */
const countDown = (calls: number) =>
  `($down := function($n) { $n = 0 ? 0 : 1 + $down($n - 1) }; $down(${calls}))`;
const countDownByTailCalls = (calls: number) =>
  `($down := function($n) { $n = 0 ? 0 : $down($n - 1) }; $down(${calls}))`;
/** As many pairs as there are keys, each key once. */
const pairs = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `key ${index}`, value: index }));
const GROUP_BY = '$states.input.pairs{key: $sum(value)}';
describe('how deep an evaluation may go', () => {
  test.each([
    ['99 operands', sumOfOnes(99), 0],
    ['a group-by of 32 keys', GROUP_BY, 32],
    ['a function that calls itself 30 times', countDown(30), 0],
    ['10,000 calls in tail position', countDownByTailCalls(10_000), 0],
    ['a path over 1,000 pairs', '$count($states.input.pairs.(key & "!"))', 1000],
  ])('%s: deep enough', async (_case, expression, keys) => {
    const { status, cause } = await evaluate(expression, { pairs: pairs(keys) });
    expect({ status, cause }).toEqual({ status: 'SUCCEEDED', cause: undefined });
  });

  test.each([
    ['100 operands', sumOfOnes(100), 0],
    ['a group-by of 33 keys', GROUP_BY, 33],
    ['a function that calls itself 32 times', countDown(32), 0],
  ])('fails on %s as AWS does', async (_case, expression, keys) => {
    const { error, cause } = await evaluate(expression, { pairs: pairs(keys) });
    expect(error).toBe('States.QueryEvaluationError');
    expect(cause).toContain("specified for the field 'Output' ");
    expect(cause?.endsWith(STACK_OVERFLOW)).toBe(true);
  });

  test('each evaluation has its own depth, though 40 are under way with the same expression', async () => {
    const definition = machineOf({
      Items: mapOf(
        { ...pass, Output: `{% ${sumOfOnes(90)} %}` },
        { Items: '{% [1..40] %}', Output: '{% $sum($states.result) %}' },
      ),
    });
    expect((await run(definition)).output).toBe(3600);
  });

  test('and begins at nothing again after one that went too deep', async () => {
    const Output = `{% $states.context.State.RetryCount = 0 ? ${sumOfOnes(101)} : ${sumOfOnes(50)} %}`;
    const Retry = [{ ErrorEquals: ['States.QueryEvaluationError'] }];
    const definition = machineOf({ A: { Type: 'Task', Resource: arnOf('f'), Output, Retry, End: true } });
    const execution = await run(definition, { functions: { f: () => 1 } });
    expect([execution.output, execution.billing.functionInvocations]).toEqual([50, 2]);
  });
});

/** A text of 2^n characters. */
const doubled = (n: number) =>
  `$length(($double := function($text, $n) { $n = 0 ? $text : $double($text & $text, $n - 1) }; $double("x", ${n})))`;

describe('how much an evaluation may hold', () => {
  test.each([
    ['873,782 numbers', '$count([1..873782])', '873782'],
    ['4 MiB of text', doubled(22), '4194304'],
  ])('%s', async (_case, expression, expected) => {
    expect((await evaluate(expression)).output).toBe(expected);
  });

  test.each([
    ['873,783 numbers', '$count([1..873783])'],
    ['8 MiB of text', doubled(23)],
  ])('fails on %s as AWS does', async (_case, expression) => {
    const { error, cause } = await evaluate(expression);
    expect(error).toBe('States.QueryEvaluationError');
    expect(cause?.endsWith(TOO_MUCH_MEMORY)).toBe(true);
  });
});

/**
 * The Developer Guide, "Error names": States.DataLimitExceeded is reported when the output of a connector, the output of a state, or the
 * input of a state after Arguments is larger than the quota of a payload. It is terminal, and States.ALL does not catch it.
 */
const BIG = 'x'.repeat(300_000);
const half = { Type: 'Pass', Output: 'x'.repeat(200_000), End: true };
const twice = (inner: object, rest: object = {}, name = 'I') =>
  mapOf(inner, { Items: [1, 2], ItemProcessor: graph(name, inner), ...rest });
const choice = (rule: object, rest: object = {}) => ({
  Type: 'Choice',
  Choices: [{ Condition: '{% $states.input.go = true %}', Next: 'Next', ...rule }],
  Default: 'Next',
  ...rest,
});
const branchOf = (name: string) => graph(name, half);
const TOO_BIG = { status: 'FAILED', error: 'States.DataLimitExceeded' };

describe.each(['STANDARD', 'EXPRESS'] as const)('in a %s execution', type => {
  test.each([
    ['the output of a Pass', { A: { ...pass, Output: BIG } }],
    ['the output of a Wait', { A: { Type: 'Wait', Seconds: 1, Output: BIG, End: true } }],
    ['the output of a Succeed', { A: { Type: 'Succeed', Output: BIG } }],
    ['the output of a rule of a Choice', { A: choice({ Output: BIG }), Next: pass }],
    [
      'the output of a Choice without a match',
      { A: choice({ Condition: false }, { Output: BIG }), Next: pass },
    ],
    ['a variable', { A: { ...pass, Assign: { v: BIG } } }],
    ['a variable of a rule of a Choice', { A: choice({ Assign: { v: BIG } }), Next: pass }],
    ['the Arguments of a Task', { A: { ...task, Arguments: BIG } }],
    ['the result of a Task', { A: { ...task, Arguments: 'big' } }],
    ['the output of a Task', { A: { ...task, Output: BIG } }],
    ['the input of an iteration', { A: twice(pass, { ItemSelector: BIG }) }],
    ['the output inside of an iteration', { A: twice({ ...pass, Output: BIG }) }],
    ['the result of a Map', { A: twice(half) }],
    ['the output of a Map', { A: twice(pass, { Output: BIG }) }],
    ['the result of a Map in a Map', { A: twice(twice(half), {}, 'O') }],
    ['the result of a Parallel', { A: { Type: 'Parallel', Branches: ['B', 'C'].map(branchOf), End: true } }],
    [
      'the output of a Catch',
      {
        A: { ...task, Arguments: 'fail', Catch: [{ ErrorEquals: ['E'], Output: BIG, Next: 'Next' }] },
        Next: pass,
      },
    ],
  ] as [string, Record<string, object>][])('%s of more than 256 KiB ends it', async (_what, states) => {
    expect(outcome(await run(machineOf(states), { type, input: { go: true }, functions: { f } }))).toEqual(
      TOO_BIG,
    );
  });
});

function f(event: unknown): unknown {
  if (event === 'fail') raise('E')();
  return event === 'big' ? BIG : event;
}

/** An error without a Catch of its own ends the Map around it; whether that may go on depends on the name in its Catch. */
test.each<[string, object]>([
  [
    'the output of a Choice',
    {
      ...twice(pass),
      Items: [1],
      ItemProcessor: graphOf({ C: choice({}, { Output: BIG }), Next: pass }),
    },
  ],
  ['the output of a Pass', { ...pass, Output: BIG }],
  ['the result of a Task', { ...task, Arguments: 'big' }],
  ['the result of an inner Map', twice(half, {}, 'J')],
])('a Map around %s catches it by its name, and not by States.ALL', async (_what, inner) => {
  const caughtBy = async (name: string) => {
    const Catch = [{ ErrorEquals: [name], Output: '{% $states.errorOutput.Error %}', Next: 'Caught' }];
    const definition = machineOf({ M: twice(inner, { Catch }), Caught: pass });
    return outcome(await run(definition, { functions: { f } }));
  };
  expect(await caughtBy('States.DataLimitExceeded')).toEqual({
    status: 'SUCCEEDED',
    output: 'States.DataLimitExceeded',
  });
  expect(await caughtBy('States.ALL')).toEqual(TOO_BIG);
});
