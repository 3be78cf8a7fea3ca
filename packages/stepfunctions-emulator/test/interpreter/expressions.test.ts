import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { VirtualClock } from '../../src/clock.ts';
import { arnOf, eventTypes, graph, graphOf, machineOf, outcome, pass, run } from './run-definition.ts';

jest.mock('../../src/interpreter/limits.ts', () => ({
  ...jest.requireActual<object>('../../src/interpreter/limits.ts'),
  REGEX_TIMEOUT_MS: 500,
}));

const evaluate = async (expression: string, input: unknown = {}) => {
  const execution = await run(machineOf({ A: { Type: 'Pass', Output: `{% ${expression} %}`, End: true } }), {
    input,
  });
  return execution.output === undefined ? execution.cause : execution.output;
};

describe('the functions of Step Functions', () => {
  test.each([
    ['$partition([1, 2, 3, 4, 5], 2)', [[1, 2], [3, 4], [5]]],
    ['$partition([1, 2], 5)', [[1, 2]]],
    ['$partition([], 5)', []],
    ['$partition([1, 2, 3], 2.9)', [[1, 2], [3]]],
    ['$range(0, 10, 5)', [0, 5, 10]],
    // Sequences, as AWS was recorded to make them: one number is no list, and none is nothing.
    ['$range(1, 1, 1)', 1],
    ['$range(1, 9, 9)', 1],
    ['[$range(1, 1, 1)]', [1]],
    ['$range(1, 1, 1)[]', [1]],
    ['$count($range(1, 1, 1))', 1],
    ['$range(5, 1, -2)', [5, 3, 1]],
    ['[$range(1, 5, -1)]', []],
    ['$exists($range(1, 5, -1))', false],
    // Ordinary arrays.
    ['$partition([0], 1)', [[0]]],
    ["$parse('[1]')", [1]],
    ["$map(['[1]', '2'], $parse)", [[1], 2]],
    ['$range(0.9, 2.9, 1.9)', [0, 1, 2]],
    ["$hash('a', 'MD5')", createHash('md5').update('a').digest('hex')],
    ["$hash('ä', 'SHA-1')", createHash('sha1').update('ä').digest('hex')],
    ["$hash('a', 'SHA-512')", createHash('sha512').update('a').digest('hex')],
    ['$parse(\'{"a": [1]}\')', { a: [1] }],
    ['$random(42) = $random(42)', true],
  ])('%s', async (expression, expected) => {
    expect(await evaluate(expression)).toEqual(expected);
  });

  test.each([
    ['$partition([1], 0)', /partition/],
    ['$range(1, 2, 0)', /range/],
    ["$hash('a', 'CRC')", /SHA-512, not CRC/],
    ["$parse('{')", /parse/],
    ["$uuid('a')", /T0410/],
    ["$random('a')", /T0410/],
  ])('%s fails', async (expression, words) => {
    expect(await evaluate(expression)).toMatch(words);
  });

  test('$random and $uuid come from the seed, $shuffle too', async () => {
    const expression = '[$random(), $uuid(), $string($shuffle([1..20]))]';
    const [first, second] = [await evaluate(expression), await evaluate(expression)];
    expect(second).toEqual(first);
    expect(await evaluate('$uuid()')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(await evaluate('$sort($shuffle([1..5]))')).toEqual([1, 2, 3, 4, 5]);
  });

  test('$millis and $now tell the time of the clock', async () => {
    const definition = machineOf({
      A: { Type: 'Wait', Seconds: 90, Next: 'B' },
      B: { Type: 'Pass', Output: "{% [$millis(), $now(), $now('[H01]:[m01]:[s01]')] %}", End: true },
    });
    const { output } = await run(definition, { clock: new VirtualClock(0) });
    expect(output).toEqual([90_000, '1970-01-01T00:01:30.000Z', '00:01:30']);
  });
});

describe('results', () => {
  const items = {
    a: [
      { b: 1, c: 'x' },
      { b: 2, c: 'y' },
    ],
    one: [7],
    none: [],
  };

  test.each([
    ['a sequence of one collapses', '$states.input.a[b = 1].c', 'x'],
    ['unless it is kept', '$states.input.a[b = 1].c[]', ['x']],
    ['or wrapped', '[$states.input.a[b = 1].c]', ['x']],
    ['an array of one in the data stays one', '$states.input.one', [7]],
    ['an empty array in the data stays one', '$states.input.none', []],
    ['an undefined member is left out', '{"x": $states.input.nothing, "y": null}', { y: null }],
    ['a wrapped nothing is an empty array', '[$states.input.a[b = 9]]', []],
    ['base64 is decoded', '$base64decode("bXlzdHJpbmc=") & $base64decode($base64encode("é"))', 'mystringé'],
  ])('%s', async (_name, expression, expected) => {
    const output = await evaluate(expression, items);
    expect(output).toEqual(expected);
    expect(Array.isArray(output) ? Object.keys(output) : []).toEqual(
      Array.isArray(expected) ? Object.keys(expected) : [],
    );
  });

  test.each([
    [
      'nothing',
      '$states.input.a[b = 9].c',
      "The JSONata expression '$states.input.a[b = 9].c' specified for the field 'Output' returned nothing (undefined).",
    ],
    [
      '$map over nothing',
      '$map([], $string)',
      "The JSONata expression '$map([], $string)' specified for the field 'Output' returned nothing (undefined).",
    ],
    [
      'a function',
      '$string',
      "The JSONata expression '$string' specified for the field 'Output' returned an unsupported result type.",
    ],
    ['a lambda in an object', '{"f": function($x) { $x }}', 'returned an unsupported result type.'],
    [
      'a type error',
      '1 + "a"',
      'threw an error during evaluation. T2002: The right side of the "+" operator must evaluate to a number',
    ],
    [
      'text that is no base64',
      '$base64decode("!!!")',
      'threw an error during evaluation. The argument of the base64decode function is not base64: "!!!"',
    ],
    ['an error of its own', "$error('so there')", 'threw an error during evaluation. D3137: so there'],
  ])('%s fails with States.QueryEvaluationError', async (_name, expression, words) => {
    const definition = machineOf({ A: { Type: 'Pass', Output: `{% ${expression} %}`, End: true } });
    const execution = await run(definition, { input: items });
    expect(execution.error).toBe('States.QueryEvaluationError');
    expect(execution.cause).toContain(
      "An error occurred while executing the state 'A' (entered at the event id #2). ",
    );
    expect(execution.cause).toContain(words);
    expect(eventTypes(execution)).toEqual([
      'ExecutionStarted',
      'PassStateEntered',
      'EvaluationFailed',
      'ExecutionFailed',
    ]);
  });

  test('any JSON passes through an expression unchanged, and the input is not touched by it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async value => {
        const input = JSON.parse(JSON.stringify({ value })) as { value: unknown };
        const execution = await run(
          machineOf({
            A: { Type: 'Pass', Assign: { kept: '{% {"value": $states.input.value} %}' }, Next: 'B' },
            B: { Type: 'Pass', Output: { a: '{% $states.input %}', b: '{% $kept %}' }, End: true },
          }),
          { input },
        );
        expect(execution.output).toEqual({ a: input, b: input });
      }),
      { numRuns: 100 },
    );
  });

  // No test would say so if it did take for ever: nothing else runs meanwhile, jest's own time limit neither.
  test('fails a regular expression that takes for ever', async () => {
    const cause = await evaluate(`$match('${'a'.repeat(40)}b', /(a+)+$/)`);
    expect(cause).toContain('regular expression: expected a match within');
  });

  test.each([
    ['$match(text, /[a-z]+ (d[a-z]+)/)', { match: 'and dogs', index: 5, groups: ['dogs'] }],
    ['$replace(text, /[a-z]+s/, "x")', 'x and x and x'],
    ['$split(text, / *and */)', ['cats', 'dogs', 'birds']],
    ['$contains(text, /B.*S/i)', true],
    ['$count($match(text, /\\w+/))', 5],
  ])('matches %s', async (expression, expected) => {
    expect(
      await evaluate(expression.replace('text', '$states.input.text'), { text: 'cats and dogs and birds' }),
    ).toEqual(expected);
  });

  test('fails an expression that never ends', async () => {
    let now = 0;
    // Every look at the clock takes a tenth of a second, so that the test doesn't take ten.
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
      now += 100;
      return now;
    });
    const cause = await evaluate('($f := function($n) { $f($n + 1) }; $f(0))');
    clock.mockRestore();
    expect(cause).toContain('evaluation: Expression evaluation timeout: Check for infinite loop');
  });
});

const end = (output: unknown) => ({ Type: 'Pass', Output: output, End: true });

test('assignments are made together, from the values on entry, and Output does not see them', async () => {
  const definition = machineOf({
    A: { Type: 'Pass', Assign: { x: 3, a: 6 }, Next: 'B' },
    B: { Type: 'Pass', Assign: { x: '{% $a %}', nextX: '{% $x %}' }, Output: '{% $x %}', Next: 'C' },
    C: end('{% [$states.input, $x, $nextX] %}'),
  });
  expect((await run(definition)).output).toEqual([3, 6, 3]);
});

test('every kind of state that assigns does', async () => {
  const inner = (name: string) => graph(name, pass);
  const definition = machineOf({
    P: { Type: 'Pass', Assign: { p: 1 }, Next: 'W' },
    W: { Type: 'Wait', Seconds: 0, Assign: { w: 2 }, Next: 'T' },
    T: { Type: 'Task', Resource: arnOf('f'), Assign: { t: '{% $states.result %}' }, Next: 'M' },
    M: {
      Type: 'Map',
      Items: [4],
      ItemProcessor: inner('MI'),
      Assign: { m: '{% $states.result[0] %}' },
      Next: 'L',
    },
    L: {
      Type: 'Parallel',
      Arguments: 5,
      Branches: [inner('LI')],
      Assign: { l: '{% $states.result[0] %}' },
      Next: 'C',
    },
    C: {
      Type: 'Choice',
      Choices: [{ Condition: true, Assign: { c: 6 }, Next: 'End' }],
      Assign: { c: 'default' },
      Default: 'End',
    },
    End: end('{% [$p, $w, $t, $m, $l, $c] %}'),
  });
  expect((await run(definition, { functions: { f: () => 3 } })).output).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a Choice takes the Output and Assign of the rule, or its own for the default', async () => {
  const definition = machineOf({
    C: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $states.input = 1 %}', Output: 'rule', Assign: { v: 'rule' }, Next: 'End' }],
      Output: 'default',
      Assign: { v: 'default' },
      Default: 'End',
    },
    End: end('{% [$states.input, $v] %}'),
  });
  expect((await run(definition, { input: 1 })).output).toEqual(['rule', 'rule']);
  expect((await run(definition, { input: 2 })).output).toEqual(['default', 'default']);
});

test('branches and iterations read outer variables, and keep theirs to themselves', async () => {
  const definition = machineOf({
    A: { Type: 'Pass', Assign: { outer: 10 }, Next: 'M' },
    M: {
      ...{ Type: 'Map', Items: [1, 2], Next: 'B' },
      ItemProcessor: graphOf({
        I: { Type: 'Pass', Assign: { inner: '{% $states.input %}' }, Next: 'J' },
        J: end('{% $outer + $inner %}'),
      }),
    },
    B: end('{% {"sums": $states.input, "leaked": $exists($inner)} %}'),
  });
  expect((await run(definition)).output).toEqual({ sums: [11, 12], leaked: false });
});

test.each([
  [
    'assignments are',
    { x: { a: 1 }, y: 'z' },
    {
      assignedVariables: { x: '{"a":1}', y: '"z"' },
      assignedVariablesDetails: { truncated: false },
    },
  ],
  ['an empty Assign is not', {}, {}],
])('%s shown in the event that leaves the state', async (_what, Assign, shown) => {
  const { history } = await run(machineOf({ A: { Type: 'Pass', Assign, Output: 1, End: true } }));
  expect(history[2]).toMatchObject({ type: 'PassStateExited' });
  expect(history[2]?.['stateExitedEventDetails']).toEqual({
    name: 'A',
    output: '1',
    outputDetails: { truncated: false },
    ...shown,
  });
});

test.each([
  ['one variable of 256 KiB passes', ['262142'], undefined],
  ['one byte more does not', ['262143'], 'States.DataLimitExceeded'],
  ['nor do two that are too big together', ['200000', '200000'], 'States.DataLimitExceeded'],
])('%s', async (_name, sizes, error) => {
  const assign = Object.fromEntries(sizes.map((size, i) => [`v${i}`, `{% $pad("", ${size}, "x") %}`]));
  expect((await run(machineOf({ A: { Type: 'Pass', Assign: assign, End: true } }))).error).toBe(error);
});

test('fails when all variables together exceed 10 MiB, but not for assigning one again and again', async () => {
  const input = 'x'.repeat(250_000);
  const assigning = (name: string) => ({ Type: 'Pass', Assign: { [name]: '{% $states.input %}' } });
  const chain = (names: readonly string[]) =>
    machineOf({
      ...Object.fromEntries(
        names.map((name, i) => [
          `S${i}`,
          { ...assigning(name), Next: i + 1 < names.length ? `S${i + 1}` : 'E' },
        ]),
      ),
      E: { Type: 'Succeed' },
    });
  const names = Array.from({ length: 45 }, (_, i) => `v${i}`);
  expect(outcome(await run(chain(names), { input }))).toEqual({
    status: 'FAILED',
    error: 'States.DataLimitExceeded',
  });
  expect((await run(chain(names.map(() => 'v')), { input })).status).toBe('SUCCEEDED');
});
