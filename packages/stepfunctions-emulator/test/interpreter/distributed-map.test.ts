import type { VirtualClock } from '../../src/clock.ts';
import type { Execution, JsonObject } from '../../src/interpreter/index.ts';
import {
  ACCOUNT,
  countingFunction,
  distributed,
  eventTypes,
  machineOf,
  outcome,
  pass,
  run,
  start,
  task,
  wait,
} from './run-definition.ts';

const map = (...args: Parameters<typeof distributed>) => machineOf({ M: distributed(...args) });
const odd = (n: unknown) => {
  if (Number(n) % 2 === 1) throw Object.assign(new Error('odd'), { name: 'Odd' });
  return n;
};
const mapRunOf = (execution: Execution) => {
  const [mapRun] = execution.mapRuns;
  if (mapRun === undefined) throw new Error('no Map Run');
  return mapRun;
};

test('runs a child execution for each item, with a history of its own', async () => {
  const execution = await run(map(task, { Label: 'Each' }), {
    input: [1, 2],
    functions: { f: n => Number(n) * 10 },
  });
  expect(execution.output).toEqual([10, 20]);
  expect(eventTypes(execution)).toEqual([
    'ExecutionStarted',
    'MapStateEntered',
    'MapStateStarted',
    'MapRunStarted',
    'MapRunSucceeded',
    'MapStateSucceeded',
    'MapStateExited',
    'ExecutionSucceeded',
  ]);
  const mapRun = mapRunOf(execution);
  const prefix = `arn:aws:states:us-east-1:${ACCOUNT}`;
  expect(mapRun.settings.arn).toMatch(new RegExp(`^${prefix}:mapRun:TestMachine/Each:[0-9a-f-]{36}$`));
  expect(execution.history[3]).toMatchObject({
    mapRunStartedEventDetails: { mapRunArn: mapRun.settings.arn },
  });
  const children = mapRun.executions as Execution[];
  expect(children[0]?.arn).toMatch(
    new RegExp(`^${prefix}:express:TestMachine/Each:[0-9a-f-]{36}:[0-9a-f-]{36}$`),
  );
  expect(children[0]?.mapRunArn).toBe(mapRun.settings.arn);
  expect(children.map(child => [child.status, child.input, child.output])).toEqual([
    ['SUCCEEDED', 1, 10],
    ['SUCCEEDED', 2, 20],
  ]);
  expect(eventTypes(children[0] as Execution)[0]).toBe('ExecutionStarted');
});

test('Standard children have ARNs of Standard executions and the name of the state as label', async () => {
  const execution = await run(map(task, {}, 'STANDARD'), { input: [1], functions: { f: n => n } });
  const [child] = mapRunOf(execution).executions;
  expect(child?.arn).toMatch(/:execution:TestMachine\/M:[0-9a-f-]{36}$/);
});

test('a child sees neither outer variables nor the context of its parent', async () => {
  const definition = machineOf({
    A: { Type: 'Pass', Assign: { outer: 1 }, Output: [5], Next: 'M' },
    M: distributed(
      {
        ...pass,
        Output: {
          input: '{% $states.input %}',
          outer: '{% $exists($outer) %}',
          map: '{% $exists($states.context.Map) %}',
          machine: '{% $states.context.StateMachine.Name %}',
          executionInput: '{% $states.context.Execution.Input %}',
        },
      },
      { ItemSelector: { item: '{% $states.context.Map.Item.Value %}', passed: '{% $outer %}' } },
    ),
  });
  const { output } = await run(definition);
  const input = { item: 5, passed: 1 };
  expect(output).toEqual([
    { input, outer: false, map: false, machine: 'TestMachine/M', executionInput: input },
  ]);
});

test.each([
  ['an array', { Items: [1, 2] }, [1, 2]],
  ['an expression', { Items: '{% [3, 4] %}' }, [3, 4]],
  [
    'an object',
    { Items: { a: 1, b: '{% 2 %}' } },
    [
      { Key: 'a', Value: 1 },
      { Key: 'b', Value: 2 },
    ],
  ],
  ['nothing', { Items: [] }, []],
  [
    'an object and a selector',
    {
      Items: '{% {"a": 1} %}',
      ItemSelector: '{% $states.context.Map.Item.Key & $states.context.Map.Item.Value %}',
    },
    ['a1'],
  ],
])('takes items from %s', async (_name, rest, expected) => {
  expect((await run(map(pass, rest))).output).toEqual(expected);
});

test('fails on items that are neither an array nor an object', async () => {
  const execution = await run(map(pass), { input: 'x' });
  expect(execution.error).toBe('States.QueryEvaluationError');
  expect(eventTypes(execution).slice(2)).toEqual(['EvaluationFailed', 'MapStateFailed', 'ExecutionFailed']);
});

describe('tolerated failures', () => {
  test.each([
    ['none by default', {}, [1], false],
    ['no failures need no tolerance', {}, [2, 4], true],
    ['as many as the count', { ToleratedFailureCount: 2 }, [1, 3, 2], true],
    ['one more than the count', { ToleratedFailureCount: 2 }, [1, 3, 5], false],
    ['as many as the percentage', { ToleratedFailurePercentage: 50 }, [1, 3, 2, 4], true],
    ['more than the percentage', { ToleratedFailurePercentage: 49.9 }, [1, 3, 2, 4], false],
    ['all of them', { ToleratedFailurePercentage: 100 }, [1, 3], true],
    ['the stricter of the two', { ToleratedFailurePercentage: 100, ToleratedFailureCount: 1 }, [1, 3], false],
    ['from expressions', { ToleratedFailureCount: '{% 1 + 1 %}' }, [1, 3], true],
  ])('%s', async (_name, rest, input, tolerated) => {
    const execution = await run(map(task, rest), { input, functions: { f: odd } });
    if (tolerated) expect(execution.status).toBe('SUCCEEDED');
    else
      expect(outcome(execution)).toEqual({
        status: 'FAILED',
        error: 'States.ExceedToleratedFailureThreshold',
      });
    expect(mapRunOf(execution).status).toBe(tolerated ? 'SUCCEEDED' : 'FAILED');
  });

  test('leave an object about the child in the place of its output', async () => {
    const definition = map(task, { ToleratedFailurePercentage: 100 });
    const execution = await run(definition, { input: [2, 3, 4], functions: { f: odd } });
    const output = execution.output as [number, JsonObject, number];
    expect([output[0], output[2]]).toEqual([2, 4]);
    const [, child] = mapRunOf(execution).executions;
    expect(output[1]).toMatchObject({ ExecutionArn: child?.arn, Input: '3', Status: 'FAILED', Error: 'Odd' });
    expect(JSON.parse(String(output[1]['Cause']))).toMatchObject({ errorMessage: 'odd' });
    expect(mapRunOf(execution).counts).toMatchObject({
      total: 3,
      succeeded: 2,
      failed: 1,
      pending: 0,
      running: 0,
    });
  });

  test('count children that time out', async () => {
    const definition = map(wait(600), { ToleratedFailurePercentage: 100 });
    const execution = await run(definition, { input: [1] });
    expect(execution.output).toMatchObject([{ Status: 'TIMED_OUT' }]);
    expect(mapRunOf(execution).counts.timedOut).toBe(1);
  });

  test('too many of them stop the other children and start no more', async () => {
    const started: unknown[] = [];
    const f = async (n: unknown, clock: VirtualClock) => {
      started.push(n);
      await clock.sleep(n === 1 ? 10 : 10_000);
      return odd(n);
    };
    const definition = map(task, { MaxConcurrency: 2 });
    const execution = await run(definition, { input: [1, 2, 4, 6], functions: { f } });
    expect(started).toEqual([1, 2]);
    expect((execution.stopDate ?? 0) - execution.startDate).toBe(10);
    expect(eventTypes(execution).slice(3)).toEqual([
      'MapRunStarted',
      'MapRunFailed',
      'MapStateFailed',
      'ExecutionFailed',
    ]);
    expect(mapRunOf(execution).counts).toMatchObject({ failed: 1, aborted: 1, pending: 2, running: 0 });
  });
});

test('runs no more children at a time than MaxConcurrency', async () => {
  const { f, most } = countingFunction();
  await run(map(task, { MaxConcurrency: 4 }), {
    input: Array.from({ length: 20 }, (_, i) => i),
    functions: { f },
  });
  expect(most()).toBe(4);
});

test('stopping the parent stops the children', async () => {
  const execution = start(map(wait(100)), {
    input: [1, 2],
    type: 'STANDARD',
  });
  while (execution.mapRuns[0]?.executions.length !== 2) await Promise.resolve();
  execution.stop('Operator', 'enough');
  await execution.done;
  expect(execution.status).toBe('ABORTED');
  expect(mapRunOf(execution).status).toBe('ABORTED');
  expect(mapRunOf(execution).executions.map(child => child.status)).toEqual(['ABORTED', 'ABORTED']);
});

test('fails on the input of a child that is too big', async () => {
  const input = await run(map(pass, { ItemSelector: '{% $pad("", 300000, "x") %}' }), { input: [1] });
  expect(outcome(input)).toEqual({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  expect(eventTypes(input).slice(3)).toEqual([
    'MapRunStarted',
    'MapRunFailed',
    'MapStateFailed',
    'ExecutionFailed',
  ]);
});

test('a retry makes another Map Run', async () => {
  let calls = 0;
  const f = () => {
    calls += 1;
    if (calls === 1) throw new Error('first');
    return 'ok';
  };
  const retry = { Retry: [{ ErrorEquals: ['States.ExceedToleratedFailureThreshold'] }] };
  const execution = await run(map(task, retry), { input: [1], functions: { f } });
  expect(execution.output).toEqual(['ok']);
  expect(execution.mapRuns.map(mapRun => mapRun.status)).toEqual(['FAILED', 'SUCCEEDED']);
});
