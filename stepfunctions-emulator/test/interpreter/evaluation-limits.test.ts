import type { Execution } from '../../src/interpreter/index.ts';
import { machineOf, run } from './run-definition.ts';

const evaluate = (expression: string, input: unknown = {}): Promise<Execution> =>
  run(machineOf({ A: { Type: 'Pass', Output: `{% $string(${expression}) %}`, End: true } }), { input });

const STACK_OVERFLOW =
  'threw an error during evaluation: Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.';
const TOO_MUCH_MEMORY =
  'threw an error during evaluation: Expression evaluation memory limit exceeded: Check for excessive memory usage';

// Of the limits this is not about time, which a busy machine would be over: an evaluation is timed by this clock.
beforeEach(() => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now);
});
afterEach(() => jest.restoreAllMocks());

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
/** The same result without a group-by. */
const MERGE = `(
  $pairs := $states.input.pairs;
  $merge($map($distinct($pairs.key), function($key) { {$key: $sum($pairs[key = $key].value)} }))
)`;

describe('how deep an evaluation may go', () => {
  test.each([
    ['99 operands', sumOfOnes(99), 0],
    ['a group-by of 32 keys', GROUP_BY, 32],
    ['100 keys, merged', MERGE, 100],
    ['a function that calls itself 30 times', countDown(30), 0],
    ['10,000 calls in tail position', countDownByTailCalls(10_000), 0],
    ['$map over 1,000 numbers', '$count($map([1..1000], function($n) { $n + 1 }))', 0],
    ['$sort of 1,000 numbers', '$count($sort([1..1000], function($one, $other) { $one < $other }))', 0],
    ['a path over 1,000 pairs', '$count($states.input.pairs.(key & "!"))', 1000],
  ])('%s: deep enough', async (_case, expression, keys) => {
    const { status, cause } = await evaluate(expression, { pairs: pairs(keys) });
    expect({ status, cause }).toEqual({ status: 'SUCCEEDED', cause: undefined });
  });

  test.each([
    ['100 operands', sumOfOnes(100), 0],
    ['a group-by of 33 keys', GROUP_BY, 33],
    ['a group-by of 100 keys', GROUP_BY, 100],
    ['an object of 50 sums', `{${Array.from({ length: 50 }, (_, index) => `"${index}": 1 + 1`)}}`, 0],
    ['a function that calls itself 32 times', countDown(32), 0],
  ])('fails on %s as AWS does', async (_case, expression, keys) => {
    const { error, cause } = await evaluate(expression, { pairs: pairs(keys) });
    expect(error).toBe('States.QueryEvaluationError');
    expect(cause).toContain("specified for the field 'Output' ");
    expect(cause?.endsWith(STACK_OVERFLOW)).toBe(true);
  });

  test('each evaluation has its own depth, though 40 are under way with the same expression', async () => {
    const definition = machineOf({
      Items: {
        Type: 'Map',
        Items: '{% [1..40] %}',
        ItemProcessor: {
          StartAt: 'Deep',
          States: { Deep: { Type: 'Pass', Output: `{% ${sumOfOnes(90)} %}`, End: true } },
        },
        Output: '{% $sum($states.result) %}',
        End: true,
      },
    });
    expect((await run(definition)).output).toBe(3600);
  });

  test('and begins at nothing again after one that went too deep', async () => {
    const state = (Next: string) => ({
      Type: 'Pass',
      Output: `{% $states.input > 0 ? ${sumOfOnes(101)} : ${sumOfOnes(50)} %}`,
      Next,
    });
    const definition = machineOf({
      Both: {
        Type: 'Map',
        Items: [1, 0],
        MaxConcurrency: 1,
        ItemProcessor: {
          StartAt: 'Try',
          States: {
            Try: {
              Type: 'Map',
              Items: '{% [$states.input] %}',
              ItemProcessor: {
                StartAt: 'Deep',
                States: { Deep: state('Done'), Done: { Type: 'Succeed' } },
              },
              Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Output: 'too deep', Next: 'TooDeep' }],
              End: true,
            },
            TooDeep: { Type: 'Succeed' },
          },
        },
        End: true,
      },
    });
    expect((await run(definition)).output).toEqual(['too deep', [50]]);
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
