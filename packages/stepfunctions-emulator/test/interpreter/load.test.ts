import { InvalidDefinitionError, loadDefinition } from '../../src/interpreter/index.ts';
import { arnOf, LAMBDA_INVOKE, machineOf } from './run-definition.ts';

const pass = { Type: 'Pass', End: true };
const task = { Type: 'Task', Resource: arnOf('f'), End: true };
const inline = { StartAt: 'I', States: { I: pass } };
const distributed = { ...inline, ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' } };
const map = { Type: 'Map', Items: [1], ItemProcessor: inline, End: true };
const dmap = { ...map, ItemProcessor: distributed };
const one = (state: object) => machineOf({ A: state });
const out = (expression: string) => one({ ...pass, Output: `{% ${expression} %}` });
const retry = (retrier: object) => one({ ...task, Retry: [{ ErrorEquals: ['E'], ...retrier }] });

/** The fault, where it has to be reported, and with which words. */
const REFUSED: ReadonlyArray<readonly [string, unknown, string, RegExp]> = [
  ['text that is not JSON', '{', '', /expected JSON/],
  ['a definition that is no object', '[]', '', /an object/],
  ['no StartAt', { QueryLanguage: 'JSONata', States: { A: pass } }, '/StartAt', /a string, got nothing/],
  ['StartAt of a missing state', machineOf({ A: pass }, { StartAt: 'B' }), '/StartAt', /got "B"/],
  ['no States', { QueryLanguage: 'JSONata', StartAt: 'A' }, '/States', /at least one state/],
  ['empty States', { QueryLanguage: 'JSONata', StartAt: 'A', States: {} }, '/States', /at least one state/],
  ['an unknown top-level field', machineOf({ A: pass }, { Foo: 1 }), '/Foo', /"Foo"/],
  ['a Version from the future', machineOf({ A: pass }, { Version: '2.0' }), '/Version', /"1.0"/],
  ['TimeoutSeconds of 0', machineOf({ A: pass }, { TimeoutSeconds: 0 }), '/TimeoutSeconds', /integer from 1/],
  [
    'the default language',
    { StartAt: 'A', States: { A: pass } },
    '/States/A/QueryLanguage',
    /JSONPath, the default/,
  ],
  ['a JSONPath state', one({ ...pass, QueryLanguage: 'JSONPath' }), '/States/A/QueryLanguage', /JSONata/],
  ['a state name of 81 characters', machineOf({ ['n'.repeat(81)]: pass }), `/States/${'n'.repeat(81)}`, /80/],
  ['no Type', one({ End: true }), '/States/A/Type', /got nothing/],
  ['an unknown Type', one({ Type: 'Loop', End: true }), '/States/A/Type', /got "Loop"/],
  ['an unknown field', one({ ...pass, Foo: 1 }), '/States/A/Foo', /JSONata Pass state/],
  ...['InputPath', 'OutputPath', 'Parameters', 'Result', 'ResultPath'].map(
    field =>
      [`${field} of JSONPath`, one({ ...pass, [field]: '$' }), `/States/A/${field}`, /JSONPath/] as const,
  ),
  ['neither Next nor End', one({ Type: 'Pass' }), '/States/A', /neither/],
  ['Next and End', machineOf({ A: { ...pass, Next: 'B' }, B: pass }), '/States/A', /both/],
  ['"End": false alone', one({ Type: 'Pass', End: false }), '/States/A', /neither/],
  ['Next to nowhere', one({ Type: 'Pass', Next: 'B' }), '/States/A/Next', /got "B"/],
  [
    'a loop without an end',
    machineOf({ A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } }),
    '',
    /a state that ends the state machine/,
  ],
  [
    'a Choice as the only end',
    machineOf({ A: { Type: 'Choice', Choices: [{ Condition: true, Next: 'A' }] } }),
    '',
    /a state that ends the state machine/,
  ],
  [
    'a state in a Map that has JSONata to itself',
    {
      StartAt: 'A',
      States: { A: { ...map, QueryLanguage: 'JSONata' } },
    },
    '/States/A/ItemProcessor/States/I/QueryLanguage',
    /JSONPath, the default/,
  ],
  ['a state that nothing leads to', machineOf({ A: pass, B: pass }), '/States/B', /nothing leads to/],
  [
    'a Choice without Choices',
    machineOf({ A: { Type: 'Choice', Default: 'B' }, B: pass }),
    '/States/A/Choices',
    /got nothing/,
  ],
  [
    'a rule without Condition',
    machineOf({ A: { Type: 'Choice', Choices: [{ Next: 'B' }] }, B: pass }),
    '/States/A/Choices/0/Condition',
    /got nothing/,
  ],
  [
    'a Condition in plain text',
    machineOf({ A: { Type: 'Choice', Choices: [{ Condition: 'true', Next: 'B' }] }, B: pass }),
    '/States/A/Choices/0/Condition',
    /boolean/,
  ],
  ['a Wait for nothing', one({ Type: 'Wait', End: true }), '/States/A', /neither/],
  [
    'a Wait for two things',
    one({ Type: 'Wait', Seconds: 1, Timestamp: '2030-01-01T00:00:00Z', End: true }),
    '/States/A',
    /both/,
  ],
  ['negative Seconds', one({ Type: 'Wait', Seconds: -1, End: true }), '/States/A/Seconds', /from 0/],
  [
    'too many Seconds',
    one({ Type: 'Wait', Seconds: 100_000_000, End: true }),
    '/States/A/Seconds',
    /99999999/,
  ],
  [
    'a Timestamp without zone',
    one({ Type: 'Wait', Timestamp: '2030-01-01T00:00:00', End: true }),
    '/States/A/Timestamp',
    /a time such as/,
  ],
  ['Next in a Succeed', one({ Type: 'Succeed', Next: 'A' }), '/States/A/Next', /Succeed/],
  ['a Fail with a number as Cause', one({ Type: 'Fail', Cause: 1 }), '/States/A/Cause', /a string/],
  ['no Resource', one({ Type: 'Task', End: true }), '/States/A/Resource', /got nothing/],
  ...[
    'arn:aws:states:::dynamodb:putItem',
    'arn:aws:states:::lambda:invoke.waitForTaskToken',
    'arn:aws:states:::states:startExecution.sync:2',
    'arn:aws:states:us-east-1:111111111111:activity:a',
    'my-function',
  ].map(
    resource =>
      [
        resource,
        one({ ...task, Resource: resource }),
        '/States/A/Resource',
        /nothing else is implemented/,
      ] as const,
  ),
  [
    'lambda:invoke without Arguments',
    one({ ...task, Resource: LAMBDA_INVOKE }),
    '/States/A/Arguments',
    /FunctionName/,
  ],
  [
    'lambda:invoke without FunctionName',
    one({ ...task, Resource: LAMBDA_INVOKE, Arguments: { Payload: 1 } }),
    '/States/A/Arguments',
    /FunctionName/,
  ],
  [
    'an unknown argument of lambda:invoke',
    one({ ...task, Resource: LAMBDA_INVOKE, Arguments: { FunctionName: 'f', Foo: 1 } }),
    '/States/A/Arguments/Foo',
    /FunctionName/,
  ],
  ...(
    [
      ['LogType', 'Tail', /expected None, .* got "Tail"/],
      ['InvocationType', 'Event', /expected RequestResponse, .* got "Event"/],
      ['InvocationType', 'DryRun', /got "DryRun"/],
      ['Qualifier', 1, /a STRING, got 1/],
      ['FunctionName', ['f'], /a STRING, got \["f"\]/],
      ['Payload', 1, /a STRING .* got 1/],
      ['Payload', true, /a STRING .* got true/],
    ] as const
  ).map(
    ([name, value, words]) =>
      [
        `${name} ${JSON.stringify(value)} of lambda:invoke`,
        one({ ...task, Resource: LAMBDA_INVOKE, Arguments: { FunctionName: 'f', [name]: value } }),
        `/States/A/Arguments/${name}`,
        words,
      ] as const,
  ),
  ['Credentials', one({ ...task, Credentials: {} }), '/States/A/Credentials', /not implemented/],
  ['TimeoutSeconds in a Map', one({ ...map, TimeoutSeconds: 1 }), '/States/A/TimeoutSeconds', /Map/],
  [
    'a heartbeat as long as the timeout',
    one({ ...task, TimeoutSeconds: 5, HeartbeatSeconds: 5 }),
    '/States/A/HeartbeatSeconds',
    /less than/,
  ],
  ['Retry in a Pass', one({ ...pass, Retry: [] }), '/States/A/Retry', /Pass/],
  ['a Retry that is no array', one({ ...task, Retry: {} }), '/States/A/Retry', /an array/],
  [
    'a retrier without ErrorEquals',
    one({ ...task, Retry: [{ MaxAttempts: 1 }] }),
    '/States/A/Retry/0/ErrorEquals',
    /got nothing/,
  ],
  ['empty ErrorEquals', retry({ ErrorEquals: [] }), '/States/A/Retry/0/ErrorEquals', /non-empty/],
  [
    'States.ALL with company',
    retry({ ErrorEquals: ['States.ALL', 'E'] }),
    '/States/A/Retry/0/ErrorEquals',
    /alone/,
  ],
  [
    'States.ALL before others',
    one({ ...task, Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }] }),
    '/States/A/Retry/0/ErrorEquals',
    /last/,
  ],
  [
    'an error that States does not have',
    retry({ ErrorEquals: ['States.Foo'] }),
    '/States/A/Retry/0/ErrorEquals',
    /States.Foo/,
  ],
  ['IntervalSeconds of 0', retry({ IntervalSeconds: 0 }), '/States/A/Retry/0/IntervalSeconds', /from 1/],
  ['negative MaxAttempts', retry({ MaxAttempts: -1 }), '/States/A/Retry/0/MaxAttempts', /from 0/],
  ['BackoffRate below 1', retry({ BackoffRate: 0.9 }), '/States/A/Retry/0/BackoffRate', /at least 1/],
  [
    'MaxDelaySeconds not above the interval',
    retry({ IntervalSeconds: 5, MaxDelaySeconds: 5 }),
    '/States/A/Retry/0/MaxDelaySeconds',
    /more than/,
  ],
  ['an unknown jitter', retry({ JitterStrategy: 'HALF' }), '/States/A/Retry/0/JitterStrategy', /FULL, NONE/],
  ['an unknown field of a retrier', retry({ Foo: 1 }), '/States/A/Retry/0/Foo', /retrier/],
  [
    'a catcher without Next',
    one({ ...task, Catch: [{ ErrorEquals: ['E'] }] }),
    '/States/A/Catch/0/Next',
    /got nothing/,
  ],
  [
    'a catcher to nowhere',
    one({ ...task, Catch: [{ ErrorEquals: ['E'], Next: 'B' }] }),
    '/States/A/Catch/0/Next',
    /got "B"/,
  ],
  ['a Map without ItemProcessor', one({ Type: 'Map', End: true }), '/States/A/ItemProcessor', /got nothing/],
  ...['ItemReader', 'ItemBatcher', 'ResultWriter', 'Iterator'].map(
    field => [field, one({ ...dmap, [field]: {} }), `/States/A/${field}`, /not implemented/] as const,
  ),
  ['ItemsPath', one({ ...map, ItemsPath: '$' }), '/States/A/ItemsPath', /JSONPath/],
  ['Items that can be no array', one({ ...map, Items: 'x' }), '/States/A/Items', /array/],
  ['an object as Items of an inline Map', one({ ...map, Items: { a: 1 } }), '/States/A/Items', /array/],
  ['Label in an inline Map', one({ ...map, Label: 'L' }), '/States/A/Label', /DISTRIBUTED/],
  [
    'ExecutionType in an inline Map',
    one({
      ...map,
      ItemProcessor: { ...inline, ProcessorConfig: { Mode: 'INLINE', ExecutionType: 'EXPRESS' } },
    }),
    '/States/A/ItemProcessor/ProcessorConfig/ExecutionType',
    /INLINE/,
  ],
  [
    'a distributed Map without ExecutionType',
    one({ ...map, ItemProcessor: { ...inline, ProcessorConfig: { Mode: 'DISTRIBUTED' } } }),
    '/States/A/ItemProcessor/ProcessorConfig/ExecutionType',
    /got nothing/,
  ],
  ['a Label of 41 characters', one({ ...dmap, Label: 'l'.repeat(41) }), '/States/A/Label', /40/],
  ['a Label with a blank', one({ ...dmap, Label: 'a b' }), '/States/A/Label', /white space/],
  ['negative MaxConcurrency', one({ ...map, MaxConcurrency: -1 }), '/States/A/MaxConcurrency', /at least 0/],
  [
    'a percentage of 101',
    one({ ...dmap, ToleratedFailurePercentage: 101 }),
    '/States/A/ToleratedFailurePercentage',
    /0 to 100/,
  ],
  [
    'a name that an inner state has as well',
    machineOf({ A: { ...map, ItemProcessor: { StartAt: 'A', States: { A: pass } } } }),
    '/States/A/ItemProcessor/States/A',
    /no other state/,
  ],
  [
    'a transition out of a Map',
    one({ ...map, ItemProcessor: { StartAt: 'I', States: { I: { Type: 'Pass', Next: 'A' } } } }),
    '/States/A/ItemProcessor/States/I/Next',
    /beside/,
  ],
  [
    'a distributed Map inside Express children',
    one({ ...dmap, ItemProcessor: { ...distributed, StartAt: 'M', States: { M: dmap } } }),
    '/States/A/ItemProcessor/States/M/ItemProcessor/ProcessorConfig/Mode',
    /Express/,
  ],
  [
    'an inner assignment of an outer variable',
    one({
      ...map,
      Assign: { v: 1 },
      ItemProcessor: { StartAt: 'I', States: { I: { ...pass, Assign: { v: 2 } } } },
    }),
    '/States/A/ItemProcessor/States/I/Assign/v',
    /outer scope/,
  ],
  [
    'an inner assignment of a variable that the Parallel itself assigns',
    one({
      Type: 'Parallel',
      Branches: [{ StartAt: 'B', States: { B: { ...pass, Assign: { v: 2 } } } }],
      Assign: { v: 1 },
      End: true,
    }),
    '/States/A/Branches/0/States/B/Assign/v',
    /A assigns/,
  ],
  [
    'an inner assignment of a variable that a Catch beside assigns',
    machineOf({
      T: { ...task, Catch: [{ ErrorEquals: ['E'], Assign: { v: 1 }, Next: 'M' }], End: undefined, Next: 'M' },
      M: { ...map, ItemProcessor: { StartAt: 'I', States: { I: { ...pass, Assign: { v: 2 } } } } },
    }),
    '/States/M/ItemProcessor/States/I/Assign/v',
    /T assigns/,
  ],
  ['the variable states', one({ ...pass, Assign: { states: 1 } }), '/States/A/Assign/states', /reserved/],
  ['a variable with a path', one({ ...pass, Assign: { 'x.y': 1 } }), '/States/A/Assign/x.y', /letter/],
  [
    'a variable of 81 characters',
    one({ ...pass, Assign: { ['v'.repeat(81)]: 1 } }),
    `/States/A/Assign/${'v'.repeat(81)}`,
    /80/,
  ],
  ['a JSONata syntax error', out('1 +'), '/States/A/Output', /S0207/],
  ['an empty expression', one({ ...pass, Output: '{%%}' }), '/States/A/Output', /S0207/],
  ['an expression without an end', one({ ...pass, Output: '{% 1' }), '/States/A/Output', /both/],
  ['an expression without a start', one({ ...pass, Output: '1 %}' }), '/States/A/Output', /both/],
  [
    'an expression deep inside',
    one({ ...pass, Output: { a: [1, { 'b/c': '{% ( %}' }] } }),
    '/States/A/Output/a/1/b~1c',
    /S0203/,
  ],
  ['$eval', out("$eval('1')"), '/States/A/Output', /\$eval/],
  [
    'a function that does not exist',
    out('$foo(1)'),
    '/States/A/Output',
    /\$foo, which does not exist: AWS would accept it and fail when it is called/,
  ],
  [
    'an operator that JSONata 2.0.6 does not have',
    out('$states.input.a ?? 1'),
    '/States/A/Output',
    /S0211: The symbol "\?"/,
  ],
  ['$ at the top level', out('$'), '/States/A/Output', /top level/],
  ['$$', out('$states.input.a[$$.b]'), '/States/A/Output', /\$\$/],
  ['a bare field name', out('foo.bar'), '/States/A/Output', /foo/],
  ['$states.result of a Pass', out('$states.result'), '/States/A/Output', /\$states\.result/],
  [
    '$states.result in Arguments',
    one({ ...task, Arguments: '{% $states.result %}' }),
    '/States/A/Arguments',
    /\$states\.result/,
  ],
  [
    '$states.errorOutput in Output',
    one({ ...task, Output: '{% $states.errorOutput.Cause %}' }),
    '/States/A/Output',
    /errorOutput/,
  ],
  [
    '$states.result in a Catch',
    machineOf({
      A: { ...task, Catch: [{ ErrorEquals: ['E'], Next: 'B', Output: '{% $states.result %}' }] },
      B: pass,
    }),
    '/States/A/Catch/0/Output',
    /\$states\.result/,
  ],
];

function problemsOf(definition: unknown) {
  try {
    loadDefinition(definition);
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return error.problems;
    throw error;
  }
  return [];
}

test.each(REFUSED)('fails on %s', (_name, definition, path, words) => {
  const problems = problemsOf(definition);
  const found = problems.find(problem => problem.path === path);
  expect(problems.map(problem => problem.path)).toContain(path);
  expect(`expected ${found?.expected}, got ${found?.got}`).toMatch(words);
});

test('fails on an Express state machine with a distributed Map', () => {
  expect(() => loadDefinition(one(dmap), 'EXPRESS')).toThrow(/ProcessorConfig\/Mode: expected INLINE/);
});

test('fails with all problems at once, each in the message', () => {
  const definition = machineOf({ A: { Type: 'Pass', Foo: 1, Next: 'B' }, B: { Type: 'Wait', End: true } });
  expect(problemsOf(definition).map(problem => problem.path)).toEqual(['/States/A/Foo', '/States/B']);
  expect(() => loadDefinition(definition)).toThrow(/Foo.*; .*States\/B/);
});

const ACCEPTED: ReadonlyArray<readonly [string, unknown]> = [
  [
    'a state that overrides the language',
    { StartAt: 'A', States: { A: { ...pass, QueryLanguage: 'JSONata' } } },
  ],
  [
    'inner states that name their language, as their Map does',
    {
      StartAt: 'A',
      States: {
        A: {
          ...map,
          QueryLanguage: 'JSONata',
          ItemProcessor: { StartAt: 'I', States: { I: { ...pass, QueryLanguage: 'JSONata' } } },
        },
      },
    },
  ],
  [
    'a loop without an end inside of a Map',
    one({ ...map, ItemProcessor: { StartAt: 'I', States: { I: { Type: 'Pass', Next: 'I' } } } }),
  ],
  ['comments and a version', machineOf({ A: { ...pass, Comment: 'c' } }, { Comment: 'c', Version: '1.0' })],
  ['a state name of 80 characters', machineOf({ ['n'.repeat(80)]: pass })],
  ['a name with blanks and slashes', machineOf({ 'A b/c~d': pass })],
  ['"End": false beside Next', machineOf({ A: { Type: 'Pass', End: false, Next: 'B' }, B: pass })],
  [
    'the same variable in two branches',
    one({
      Type: 'Parallel',
      End: true,
      Branches: ['B', 'C'].map(name => ({
        StartAt: name,
        States: { [name]: { ...pass, Assign: { v: 1 } } },
      })),
    }),
  ],
  [
    '$ and field names where there is a context',
    out('$states.input.a[$.b = 1 and c > 2].{"d": $, "e": f}^(g)'),
  ],
  ['functions of its own', out('($f := function($x) { $x + 1 }; $f(1) ~> $string)')],
  ['$eval as a name of its own', out('($eval := function($x) { $x }; $eval(1))')],
  ['positional and context binding', out('$states.input.a@$i#$n.{"i": $i, "n": $n}')],
  ['transform and partial application', out('[$states.input ~> |a|{"b": 1}|, $map([1], $power(?, 2))]')],
  ['empty Retry and Catch', one({ ...task, Retry: [], Catch: [] })],
  [
    'a variable that a branch and the own Catch of the Parallel assign',
    machineOf({
      P: {
        Type: 'Parallel',
        Branches: [{ StartAt: 'B', States: { B: { ...pass, Assign: { v: 1 } } } }],
        Catch: [{ ErrorEquals: ['States.ALL'], Assign: { v: 2 }, Next: 'C' }],
        End: true,
      },
      C: pass,
    }),
  ],
  ['States.Http errors', one({ ...task, Retry: [{ ErrorEquals: ['States.Http.StatusCode.503'] }] })],
  ['object Items in a distributed Map', one({ ...dmap, Items: { a: 1 } })],
  ['a version of a function', one({ ...task, Resource: `${arnOf('f')}:12` })],
  [
    'a distributed Map inside Standard children',
    one({
      ...map,
      ItemProcessor: {
        ...distributed,
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        StartAt: 'M',
        States: { M: dmap },
      },
    }),
  ],
  ['an end of a string that only looks like a marker', one({ ...pass, Output: ' {% no %} ' })],
];

test.each(ACCEPTED)('accepts %s', (_name, definition) => {
  expect(problemsOf(definition)).toEqual([]);
});

test('reads the JSON text of a definition as well as its value', () => {
  expect(loadDefinition(JSON.stringify(one(pass))).states.get('A')?.type).toBe('Pass');
  expect(loadDefinition(one(pass)).startAt).toBe('A');
});
