import { InvalidDefinitionError, loadDefinition } from '../../src/interpreter/index.ts';
import { arnOf, distributed, graph, LAMBDA_INVOKE, machineOf, mapOf, pass, task } from './run-definition.ts';

const waiting = { Type: 'Wait', End: true };
const inline = graph('I', pass);
const map = mapOf(pass, { Items: [1] });
const dmap = distributed(pass, { Items: [1] });
const assigning = (v: number, name = 'I') => graph(name, { ...pass, Assign: { v } });
const parallel = { Type: 'Parallel', Branches: [assigning(2, 'B')], End: true };
const one = (state: object) => machineOf({ A: state });
const out = (expression: string) => one({ ...pass, Output: `{% ${expression} %}` });

/** The fault, where it has to be reported, and with which words. */
type Refused = readonly [string, unknown, string, RegExp];

/** Definitions whose only state A, or a part of it, has other fields. The places are below that part. */
const changing =
  (make: (fields: object) => object, place: string) =>
  (...rows: ReadonlyArray<readonly [string, object, string, RegExp]>): Refused[] =>
    rows.map(([what, fields, path, words]) => [what, one(make(fields)), `${place}${path}`, words]);
const withFields = (state: object) => changing(fields => ({ ...state, ...fields }), '/States/A');
const invoking = changing(
  Arguments => ({ ...task, Resource: LAMBDA_INVOKE, Arguments }),
  '/States/A/Arguments',
);
const retrying = changing(
  fields => ({ ...task, Retry: [{ ErrorEquals: ['E'], ...fields }] }),
  '/States/A/Retry/0',
);
const inProcessor = changing(
  fields => ({ ...map, ItemProcessor: { ...inline, ...fields } }),
  '/States/A/ItemProcessor',
);

const REFUSED: readonly Refused[] = [
  ['text that is not JSON', '{', '', /expected JSON/],
  ['a definition that is no object', '[]', '', /an object/],
  ['no StartAt', { QueryLanguage: 'JSONata', States: { A: pass } }, '/StartAt', /a string, got nothing/],
  ['StartAt of a missing state', machineOf({ A: pass }, { StartAt: 'B' }), '/StartAt', /in States, got "B"/],
  ['a state that nothing leads to', machineOf({ A: pass, B: pass }), '/States/B', /nothing leads to/],
  ['no States', { QueryLanguage: 'JSONata', StartAt: 'A' }, '/States', /at least one state/],
  ['empty States', { QueryLanguage: 'JSONata', StartAt: 'A', States: {} }, '/States', /at least one state/],
  ['an unknown top-level field', machineOf({ A: pass }, { Foo: 1 }), '/Foo', /"Foo"/],
  ['a Version from the future', machineOf({ A: pass }, { Version: '2.0' }), '/Version', /"1.0"/],
  ['TimeoutSeconds of 0', machineOf({ A: pass }, { TimeoutSeconds: 0 }), '/TimeoutSeconds', /integer from 1/],
  ['the default language', graph('A', pass), '/States/A/QueryLanguage', /JSONPath, the default/],
  [
    'a state in a Map that has JSONata to itself',
    graph('A', { ...map, QueryLanguage: 'JSONata' }),
    '/States/A/ItemProcessor/States/I/QueryLanguage',
    /JSONPath, the default/,
  ],
  ['a state name of 81 characters', machineOf({ ['n'.repeat(81)]: pass }), `/States/${'n'.repeat(81)}`, /80/],
  ...withFields({})(
    ['no Type', { End: true }, '/Type', /got nothing/],
    ['an unknown Type', { Type: 'Loop', End: true }, '/Type', /got "Loop"/],
    ['neither Next nor End', { Type: 'Pass' }, '', /neither/],
    ['"End": false alone', { Type: 'Pass', End: false }, '', /neither/],
    ['Next in a Succeed', { Type: 'Succeed', Next: 'A' }, '/Next', /Succeed/],
    ['a Fail with a number as Cause', { Type: 'Fail', Cause: 1 }, '/Cause', /a string/],
    ['no Resource', { Type: 'Task', End: true }, '/Resource', /got nothing/],
    ['a Map without ItemProcessor', { Type: 'Map', End: true }, '/ItemProcessor', /got nothing/],
    ['a Choice without Choices', { Type: 'Choice', Default: 'A' }, '/Choices', /got nothing/],
    ['a Choice with empty Choices', { Type: 'Choice', Choices: [], Default: 'A' }, '/Choices', /non-empty/],
    ['a Parallel without Branches', { Type: 'Parallel', End: true }, '/Branches', /got nothing/],
    [
      'a Parallel with empty Branches',
      { Type: 'Parallel', Branches: [], End: true },
      '/Branches',
      /non-empty/,
    ],
  ),
  ...changing(rule => ({ Type: 'Choice', Choices: [{ Next: 'A', ...rule }] }), '')(
    ['a Choice as the only end', { Condition: true }, '', /a state that ends the state machine/],
    ['a rule without Condition', {}, '/States/A/Choices/0/Condition', /got nothing/],
    ['a Condition in plain text', { Condition: 'true' }, '/States/A/Choices/0/Condition', /boolean/],
  ),
  ...withFields(pass)(
    ['a JSONPath state', { QueryLanguage: 'JSONPath' }, '/QueryLanguage', /JSONata/],
    ['an unknown field', { Foo: 1 }, '/Foo', /JSONata Pass state/],
    ...['InputPath', 'OutputPath', 'Parameters', 'Result', 'ResultPath'].map(
      field => [field, { [field]: '$' }, `/${field}`, /JSONPath/] as const,
    ),
    ['Next and End', { Next: 'A' }, '', /both/],
    ['Retry in a Pass', { Retry: [] }, '/Retry', /Pass/],
    ['the variable states', { Assign: { states: 1 } }, '/Assign/states', /reserved/],
    ['a variable with a path', { Assign: { 'x.y': 1 } }, '/Assign/x.y', /letter/],
    ['a variable of 81 characters', { Assign: { ['v'.repeat(81)]: 1 } }, `/Assign/${'v'.repeat(81)}`, /80/],
    ['a JSONata syntax error', { Output: '{% 1 + %}' }, '/Output', /S0207/],
    ['an empty expression', { Output: '{%%}' }, '/Output', /S0207/],
    ['an expression without an end', { Output: '{% 1' }, '/Output', /both/],
    ['an expression without a start', { Output: '1 %}' }, '/Output', /both/],
    ['an expression deep inside', { Output: { a: [1, { 'b/c': '{% ( %}' }] } }, '/Output/a/1/b~1c', /S0203/],
    ['$eval', { Output: "{% $eval('1') %}" }, '/Output', /\$eval/],
    [
      'a function that does not exist',
      { Output: '{% $foo(1) %}' },
      '/Output',
      /\$foo, which does not exist: AWS would accept it and fail when it is called/,
    ],
    ['an operator of a later JSONata', { Output: '{% $a ?? 1 %}' }, '/Output', /S0211: The symbol "\?"/],
    ['$ at the top level', { Output: '{% $ %}' }, '/Output', /top level/],
    ['$$', { Output: '{% $states.input.a[$$.b] %}' }, '/Output', /\$\$/],
    ['a bare field name', { Output: '{% foo.bar %}' }, '/Output', /foo/],
    ['$states.result of a Pass', { Output: '{% $states.result %}' }, '/Output', /\$states\.result/],
  ),
  ...withFields(waiting)(
    ['a Wait for nothing', {}, '', /neither/],
    ['a Wait for two things', { Seconds: 1, Timestamp: '2030-01-01T00:00:00Z' }, '', /both/],
    ['negative Seconds', { Seconds: -1 }, '/Seconds', /from 0/],
    ['too many Seconds', { Seconds: 100_000_000 }, '/Seconds', /99999999/],
    ['a Timestamp without zone', { Timestamp: '2030-01-01T00:00:00' }, '/Timestamp', /a time such as/],
  ),
  ...withFields(task)(
    ...[
      'arn:aws:states:::dynamodb:putItem',
      'arn:aws:states:::lambda:invoke.waitForTaskToken',
      'arn:aws:states:::states:startExecution.sync:2',
      'arn:aws:states:us-east-1:111111111111:activity:a',
      'my-function',
    ].map(Resource => [Resource, { Resource }, '/Resource', /nothing else is implemented/] as const),
    ['lambda:invoke without Arguments', { Resource: LAMBDA_INVOKE }, '/Arguments', /FunctionName/],
    ['Credentials', { Credentials: {} }, '/Credentials', /not implemented/],
    [
      'a heartbeat as long as the timeout',
      { TimeoutSeconds: 5, HeartbeatSeconds: 5 },
      '/HeartbeatSeconds',
      /less than/,
    ],
    ['a Retry that is no array', { Retry: {} }, '/Retry', /an array/],
    [
      'States.ALL before others',
      { Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }] },
      '/Retry/0/ErrorEquals',
      /last/,
    ],
    ['a catcher without Next', { Catch: [{ ErrorEquals: ['E'] }] }, '/Catch/0/Next', /got nothing/],
    ['a catcher to nowhere', { Catch: [{ ErrorEquals: ['E'], Next: 'B' }] }, '/Catch/0/Next', /got "B"/],
    [
      '$states.result in a Catch',
      { Catch: [{ ErrorEquals: ['E'], Next: 'A', Output: '{% $states.result %}' }] },
      '/Catch/0/Output',
      /\$states\.result/,
    ],
    ['$states.result in Arguments', { Arguments: '{% $states.result %}' }, '/Arguments', /\$states\.result/],
    [
      '$states.errorOutput in Output',
      { Output: '{% $states.errorOutput.Cause %}' },
      '/Output',
      /errorOutput/,
    ],
  ),
  ...invoking(
    ['lambda:invoke without FunctionName', { Payload: 1 }, '', /FunctionName/],
    ['an unknown argument of it', { FunctionName: 'f', Foo: 1 }, '/Foo', /FunctionName/],
    ['logs', { FunctionName: 'f', LogType: 'Tail' }, '/LogType', /expected None, .* got "Tail"/],
    [
      'an event',
      { FunctionName: 'f', InvocationType: 'Event' },
      '/InvocationType',
      /RequestResponse, .* got "Event"/,
    ],
    ['a dry run', { FunctionName: 'f', InvocationType: 'DryRun' }, '/InvocationType', /got "DryRun"/],
    ['a number as Qualifier', { FunctionName: 'f', Qualifier: 1 }, '/Qualifier', /a STRING, got 1/],
    ['a list as FunctionName', { FunctionName: ['f'] }, '/FunctionName', /a STRING, got \["f"\]/],
    ['a number as Payload', { FunctionName: 'f', Payload: 1 }, '/Payload', /a STRING .* got 1/],
    ['a boolean as Payload', { FunctionName: 'f', Payload: true }, '/Payload', /a STRING .* got true/],
  ),
  ...retrying(
    ['a retrier without ErrorEquals', { ErrorEquals: undefined }, '/ErrorEquals', /got nothing/],
    ['empty ErrorEquals', { ErrorEquals: [] }, '/ErrorEquals', /non-empty/],
    ['States.ALL with company', { ErrorEquals: ['States.ALL', 'E'] }, '/ErrorEquals', /alone/],
    ['an error that States does not have', { ErrorEquals: ['States.Foo'] }, '/ErrorEquals', /States.Foo/],
    ['IntervalSeconds of 0', { IntervalSeconds: 0 }, '/IntervalSeconds', /from 1/],
    ['negative MaxAttempts', { MaxAttempts: -1 }, '/MaxAttempts', /from 0/],
    ['BackoffRate below 1', { BackoffRate: 0.9 }, '/BackoffRate', /at least 1/],
    [
      'MaxDelaySeconds not above the interval',
      { IntervalSeconds: 5, MaxDelaySeconds: 5 },
      '/MaxDelaySeconds',
      /more than/,
    ],
    ['an unknown jitter', { JitterStrategy: 'HALF' }, '/JitterStrategy', /FULL, NONE/],
    ['an unknown field of a retrier', { Foo: 1 }, '/Foo', /retrier/],
  ),
  ...withFields(map)(
    ['TimeoutSeconds in a Map', { TimeoutSeconds: 1 }, '/TimeoutSeconds', /Map/],
    ['ItemsPath', { ItemsPath: '$' }, '/ItemsPath', /JSONPath/],
    ['Items that can be no array', { Items: 'x' }, '/Items', /array/],
    ['an object as Items of an inline Map', { Items: { a: 1 } }, '/Items', /array/],
    ['Label in an inline Map', { Label: 'L' }, '/Label', /DISTRIBUTED/],
    ['negative MaxConcurrency', { MaxConcurrency: -1 }, '/MaxConcurrency', /at least 0/],
    [
      'an inner assignment of an outer variable',
      { Assign: { v: 1 }, ItemProcessor: assigning(2) },
      '/ItemProcessor/States/I/Assign/v',
      /outer scope/,
    ],
  ),
  ...inProcessor(
    [
      'ExecutionType in an inline Map',
      { ProcessorConfig: { Mode: 'INLINE', ExecutionType: 'EXPRESS' } },
      '/ProcessorConfig/ExecutionType',
      /INLINE/,
    ],
    [
      'a distributed Map without ExecutionType',
      { ProcessorConfig: { Mode: 'DISTRIBUTED' } },
      '/ProcessorConfig/ExecutionType',
      /got nothing/,
    ],
    ['a name that an inner state has as well', graph('A', pass), '/States/A', /no other state/],
    ['a transition out of a Map', graph('I', { Type: 'Pass', Next: 'A' }), '/States/I/Next', /beside/],
    [
      'a distributed Map inside Express children',
      { ...dmap.ItemProcessor, ...graph('M', dmap) },
      '/States/M/ItemProcessor/ProcessorConfig/Mode',
      /Express/,
    ],
  ),
  ...withFields(dmap)(
    ...['ItemReader', 'ItemBatcher', 'ResultWriter', 'Iterator'].map(
      field => [field, { [field]: {} }, `/${field}`, /not implemented/] as const,
    ),
    ['a Label of 41 characters', { Label: 'l'.repeat(41) }, '/Label', /40/],
    ['a Label with a blank', { Label: 'a b' }, '/Label', /white space/],
    ['101 %', { ToleratedFailurePercentage: 101 }, '/ToleratedFailurePercentage', /0 to 100/],
  ),
  [
    'an inner assignment of a variable that the Parallel itself assigns',
    one({ ...parallel, Assign: { v: 1 } }),
    '/States/A/Branches/0/States/B/Assign/v',
    /A assigns/,
  ],
  [
    'an inner assignment of a variable that a Catch beside assigns',
    machineOf({
      T: { ...task, Catch: [{ ErrorEquals: ['E'], Assign: { v: 1 }, Next: 'M' }], End: undefined, Next: 'M' },
      M: { ...map, ItemProcessor: assigning(2) },
    }),
    '/States/M/ItemProcessor/States/I/Assign/v',
    /T assigns/,
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

test.each<[string, unknown]>([
  ['a state that overrides the language', graph('A', { ...pass, QueryLanguage: 'JSONata' })],
  [
    'inner states that name their language, as their Map does',
    graph('A', {
      ...map,
      QueryLanguage: 'JSONata',
      ItemProcessor: graph('I', { ...pass, QueryLanguage: 'JSONata' }),
    }),
  ],
  [
    'a loop without an end inside of a Map',
    one({ ...map, ItemProcessor: graph('I', { Type: 'Pass', Next: 'I' }) }),
  ],
  ['comments and a version', machineOf({ A: { ...pass, Comment: 'c' } }, { Comment: 'c', Version: '1.0' })],
  ['a state name of 80 characters', machineOf({ ['n'.repeat(80)]: pass })],
  ['a name with blanks and slashes', machineOf({ 'A b/c~d': pass })],
  ['"End": false beside Next', machineOf({ A: { Type: 'Pass', End: false, Next: 'B' }, B: pass })],
  [
    'the same variable in two branches',
    one({ ...parallel, Branches: [assigning(1, 'B'), assigning(1, 'C')] }),
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
      P: { ...parallel, Catch: [{ ErrorEquals: ['States.ALL'], Assign: { v: 2 }, Next: 'C' }] },
      C: pass,
    }),
  ],
  ['States.Http errors', one({ ...task, Retry: [{ ErrorEquals: ['States.Http.StatusCode.503'] }] })],
  ['object Items in a distributed Map', one({ ...dmap, Items: { a: 1 } })],
  ['a version of a function', one({ ...task, Resource: `${arnOf('f')}:12` })],
  [
    'a distributed Map inside Standard children',
    one(
      distributed(
        distributed(pass, { ItemProcessor: { ...dmap.ItemProcessor, ...graph('J', pass) } }),
        {},
        'STANDARD',
      ),
    ),
  ],
  ['an end of a string that only looks like a marker', one({ ...pass, Output: ' {% no %} ' })],
  ['JSON text', JSON.stringify(one(pass))],
])('accepts %s', (_name, definition) => {
  expect(problemsOf(definition)).toEqual([]);
});
