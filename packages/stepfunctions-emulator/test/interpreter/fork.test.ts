import { VirtualClock } from '../../src/clock.ts';
import {
  countingFunction,
  eventTypes,
  graph,
  graphOf,
  machineOf,
  mapOf,
  outcome,
  pass,
  run,
  task,
} from './run-definition.ts';

const map = (inner: object, rest: object = {}) => machineOf({ M: mapOf(inner, rest) });

test('a Map keeps the order of the items, whatever order they end in', async () => {
  const f = async (n: unknown, clock: VirtualClock) => {
    await clock.sleep(1000 - 100 * Number(n));
    return n;
  };
  const execution = await run(map(task), { input: [1, 2, 3, 4], functions: { f } });
  expect(execution.output).toEqual([1, 2, 3, 4]);
});

test.each([
  ['as many as AWS allows', {}, 100, 40],
  ['as many as there are', {}, 7, 7],
  ['as many as MaxConcurrency', { MaxConcurrency: 3 }, 100, 3],
  ['no more than AWS allows', { MaxConcurrency: 1000 }, 100, 40],
  ['as many as an expression says', { MaxConcurrency: '{% 1 + 1 %}' }, 10, 2],
  ['one after the other', { MaxConcurrency: 1 }, 5, 1],
])('a Map runs %s at a time', async (_name, rest, items, expected) => {
  const { f, most } = countingFunction();
  const clock = new VirtualClock(0);
  const input = Array.from({ length: items }, (_, i) => i);
  const execution = await run(map(task, rest), { input, functions: { f }, clock });
  expect(execution.status).toBe('SUCCEEDED');
  expect(most()).toBe(expected);
  expect(clock.now()).toBe(Math.ceil(items / expected) * 10);
});

test('a Map gives each iteration what ItemSelector makes of it, and its item in the context', async () => {
  const definition = map(
    {
      Type: 'Pass',
      Output: '{% {"in": $states.input, "index": $states.context.Map.Item.Index} %}',
      End: true,
    },
    {
      Items: '{% $states.input.list %}',
      ItemSelector: {
        v: '{% $states.context.Map.Item.Value %}',
        of: '{% $count($states.input.list) %}',
        state: '{% $states.context.State.Name %}',
        source: '{% $states.context.Map.Item.Source %}',
      },
    },
  );
  const { output } = await run(definition, { input: { list: ['a', 'b'] } });
  const rest = { of: 2, state: 'M', source: 'STATE_DATA' };
  expect(output).toEqual([
    { in: { v: 'a', ...rest }, index: 0 },
    { in: { v: 'b', ...rest }, index: 1 },
  ]);
});

test('an inner Map shows its own item', async () => {
  const inner = mapOf(pass, {
    ItemProcessor: graph('J', { ...pass, Output: '{% $states.context.Map.Item.Value %}' }),
    Output: '{% {"outer": $states.context.Map.Item.Index, "inner": $states.result} %}',
  });
  const { output } = await run(map(inner), { input: [[1, 2], [3]] });
  expect(output).toEqual([
    { outer: 0, inner: [1, 2] },
    { outer: 1, inner: [3] },
  ]);
});

test('a Map fails with the first failure and cuts the other iterations off', async () => {
  const f = async (n: unknown, clock: VirtualClock) => {
    await clock.sleep(n === 2 ? 50 : 100);
    if (n === 2) throw Object.assign(new Error('no'), { name: 'Two' });
    return n;
  };
  const clock = new VirtualClock(0);
  const execution = await run(map(task), { input: [1, 2, 3], functions: { f }, clock });
  expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'Two' });
  expect(execution.stopDate).toBe(50);
  const types = eventTypes(execution);
  expect(types.slice(-7)).toEqual([
    'TaskStateAborted',
    'MapIterationAborted',
    'TaskStateAborted',
    'MapIterationAborted',
    'TaskStateAborted',
    'MapStateFailed',
    'ExecutionFailed',
  ]);
  const failed = execution.history.find(event => event.type === 'MapIterationFailed');
  expect(failed).toMatchObject({ mapIterationFailedEventDetails: { name: 'M', index: 1 } });
});

test.each([
  ['MaxConcurrency', '{% -1 %}', 'an integer of at least 0, but was: -1'],
  ['MaxConcurrency', '{% 1.5 %}', 'an integer of at least 0, but was: 1.5'],
  ['ToleratedFailureCount', '{% -1 %}', 'an integer of at least 0'],
  ['ToleratedFailurePercentage', '{% 100.1 %}', 'a number from 0 to 100, but was: 100.1'],
  ['ToleratedFailurePercentage', "{% '1' %}", "Expected 'number', but was 'string'"],
])('a Map fails on %s of %s', async (field, value, words) => {
  const execution = await run(map(pass, { [field]: value }), { input: [1] });
  expect(execution.error).toBe('States.QueryEvaluationError');
  expect(execution.cause).toContain(words);
});

describe('a Map in a Map, in an Express execution', () => {
  const inner = (rest: object = {}) => ({
    Type: 'Map',
    Items: '{% [1..10] %}',
    ItemSelector: { outer: '{% $states.input %}', inner: '{% $states.context.Map.Item.Value %}' },
    ItemProcessor: graph('J', task),
    End: true,
    ...rest,
  });
  const outer = (items: number, rest: object = {}) => map(inner(rest), { Items: `{% [1..${items}] %}` });

  test.each([
    ['40 × 10 calls at once', 40, {}, 400, 10],
    ['40 of the outer iterations at a time', 50, {}, 400, 20],
    ['as many of each inner Map as its MaxConcurrency', 40, { MaxConcurrency: 4 }, 160, 30],
  ])('runs %s', async (_what, items, rest, atOnce, takesMs) => {
    const { f, most } = countingFunction();
    const clock = new VirtualClock(0);
    const execution = await run(outer(items, rest), { type: 'EXPRESS', functions: { f }, clock });
    expect(execution.output).toHaveLength(items);
    expect([most(), clock.now()]).toEqual([atOnce, takesMs]);
  });

  const failsAt = (outerIndex: number, innerIndex: number) => {
    const ended: unknown[] = [];
    const f = async (event: unknown, clock: VirtualClock) => {
      const { outer: at, inner: item } = event as { readonly outer: number; readonly inner: number };
      const fails = at === outerIndex && item === innerIndex;
      await clock.sleep(fails ? 50 : 100);
      if (fails) throw Object.assign(new Error('no'), { name: 'E' });
      ended.push(item);
    };
    return { f, ended };
  };

  test('one failure ends both Maps at once, and all that runs in them', async () => {
    const { f } = failsAt(3, 7);
    const execution = await run(outer(40), { type: 'EXPRESS', functions: { f } });
    expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'E' });
    expect(execution.stopDate).toBe(execution.startDate + 50);
    const types = eventTypes(execution);
    const count = (type: string) => types.filter(one => one === type).length;
    expect([count('MapIterationFailed'), count('TaskSucceeded'), count('LambdaFunctionSucceeded')]).toEqual([
      2, 0, 0,
    ]);
    expect(types.slice(-2)).toEqual(['MapStateFailed', 'ExecutionFailed']);
  });

  test('a failure that the inner Map catches ends its own iterations only', async () => {
    const { f, ended } = failsAt(3, 7);
    const definition = machineOf({
      M: mapOf(pass, {
        Items: '{% [1..40] %}',
        ItemProcessor: graphOf({
          I: inner({ Catch: [{ ErrorEquals: ['States.ALL'], Output: 'failed', Next: 'Caught' }] }),
          Caught: pass,
        }),
      }),
    });
    const execution = await run(definition, { type: 'EXPRESS', functions: { f } });
    const output = execution.output as unknown[];
    expect(output.map(result => result === 'failed').indexOf(true)).toBe(2);
    expect(output.filter(result => result !== 'failed')).toHaveLength(39);
    // The called functions go on, as on AWS: nobody waits for them.
    expect(ended).toHaveLength(399);
    expect(execution.stopDate).toBe(execution.startDate + 100);
  });
});

test.each([
  [1, { status: 'SUCCEEDED', output: [{}, {}, {}] }],
  [2, { status: 'FAILED', error: 'States.DataLimitExceeded' }],
])(
  'variables of an iteration count until it has ended, with %i at a time',
  async (MaxConcurrency, expected) => {
    const States = {
      I: { Type: 'Pass', Assign: { text: '{% $pad("", 60, "x") %}' }, Output: {}, Next: 'W' },
      W: { Type: 'Wait', Seconds: 1, End: true },
    };
    const definition = machineOf({
      M: { Type: 'Map', MaxConcurrency, ItemProcessor: { StartAt: 'I', States }, End: true },
    });
    const execution = await run(definition, { input: [1, 2, 3], limits: { allVariablesBytes: 100 } });
    expect(outcome(execution)).toEqual(expected);
  },
);

const branch = (name: string, seconds: number, fields: object = {}) => ({
  StartAt: `Wait ${name}`,
  States: {
    [`Wait ${name}`]: { Type: 'Wait', Seconds: seconds, Next: name },
    [name]: { Type: 'Pass', End: true, ...fields },
  },
});
const parallel = (branches: object[], rest: object = {}) =>
  machineOf({ P: { Type: 'Parallel', Branches: branches, End: true, ...rest } });

test('a Parallel runs branches at the same time and keeps their order in the result', async () => {
  const clock = new VirtualClock(0);
  const branches = [branch('A', 5, { Output: 'a' }), branch('B', 3, { Output: 'b' })];
  const execution = await run(parallel(branches), { clock });
  expect(execution.output).toEqual(['a', 'b']);
  expect(clock.now()).toBe(5000);
});

test.each([
  ['Arguments', { Arguments: { y: '{% $states.input.x + 1 %}' } }, { y: 2 }],
  ['or else the input', {}, { x: 1 }],
])('a Parallel gives every branch the %s', async (_what, fields, given) => {
  const execution = await run(parallel([branch('A', 0), branch('B', 0)], fields), { input: { x: 1 } });
  expect(execution.output).toEqual([given, given]);
});
