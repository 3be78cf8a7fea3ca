import { VirtualClock } from '../../src/clock.ts';
import { type Execution, NotRedrivableError } from '../../src/interpreter/index.ts';
import { arnOf, eventTypes, machineOf, type RunOptions, run, start } from './run-definition.ts';

const task = { Type: 'Task', Resource: arnOf('f'), End: true };

/** A function that fails for `broken` events until they are taken out, and what it was called with. */
function flaky(...broken: unknown[]) {
  const bad = new Set(broken);
  const calls: unknown[] = [];
  const f = (event: unknown) => {
    calls.push(event);
    if (bad.has(event)) throw Object.assign(new Error('broken'), { name: 'Broken' });
    return event;
  };
  return { bad, calls, options: { functions: { f } } satisfies RunOptions };
}

async function repairAndRedrive(execution: Execution, bad: Set<unknown>): Promise<Execution> {
  expect(execution.status).toBe('FAILED');
  bad.clear();
  await execution.redrive();
  expect(execution.status).toBe('RUNNING');
  return execution.done;
}

test('goes on from the state that failed, with its input and variables', async () => {
  const { bad, calls, options } = flaky(2);
  const definition = machineOf({
    A: { Type: 'Task', Resource: arnOf('f'), Arguments: 1, Assign: { v: 7 }, Next: 'B' },
    B: {
      Type: 'Task',
      Resource: arnOf('f'),
      Arguments: '{% $states.input + 1 %}',
      Output:
        '{% [$states.result, $v, $states.context.Execution.RedriveCount, $states.context.Execution.RedriveTime] %}',
      End: true,
    },
  });
  const clock = new VirtualClock(0);
  const execution = await run(definition, { ...options, clock });
  const before = eventTypes(execution);
  await clock.sleep(1000);
  await repairAndRedrive(execution, bad);
  expect(execution).toMatchObject({
    status: 'SUCCEEDED',
    output: [2, 7, 1, '1970-01-01T00:00:01.000Z'],
    error: undefined,
    redriveCount: 1,
    redriveDate: 1000,
  });
  expect(calls).toEqual([1, 2, 2]);
  expect(eventTypes(execution)).toEqual([
    ...before,
    'ExecutionRedriven',
    'LambdaFunctionScheduled',
    'LambdaFunctionStarted',
    'LambdaFunctionSucceeded',
    'TaskStateExited',
    'ExecutionSucceeded',
  ]);
});

test('retries count from the beginning', async () => {
  const { calls, options } = flaky(1);
  const retry = [{ ErrorEquals: ['Broken'], MaxAttempts: 2 }];
  const execution = await run(machineOf({ A: { ...task, Retry: retry } }), { ...options, input: 1 });
  await execution.redrive();
  await execution.done;
  expect(execution.status).toBe('FAILED');
  expect(calls).toHaveLength(6);
});

test('runs only the iterations of an inline Map that did not succeed, each from where it was', async () => {
  const { bad, calls, options } = flaky('b2', 'c3');
  const step = (n: number, rest: object) => ({
    Type: 'Task',
    Resource: arnOf('f'),
    Arguments: `{% $name & '${n}' %}`,
    ...rest,
  });
  const definition = machineOf({
    M: {
      Type: 'Map',
      MaxConcurrency: 1,
      ItemProcessor: {
        StartAt: 'Name',
        States: {
          Name: { Type: 'Pass', Assign: { name: '{% $states.input %}' }, Next: 'One' },
          One: step(1, { Next: 'Two' }),
          Two: step(2, { Next: 'Three' }),
          Three: step(3, { End: true }),
        },
      },
      End: true,
    },
  });
  const execution = await run(definition, { ...options, input: ['a', 'b', 'c'] });
  expect(calls).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  await repairAndRedrive(execution, bad);
  expect(execution.output).toEqual(['a3', 'b3', 'c3']);
  expect(calls.slice(5)).toEqual(['b2', 'b3', 'c1', 'c2', 'c3']);
});

test('runs only the branches of a Parallel state that did not succeed', async () => {
  const { bad, calls, options } = flaky('two');
  const branch = (name: string, seconds: number) => ({
    StartAt: `${name}Wait`,
    States: {
      [`${name}Wait`]: { Type: 'Wait', Seconds: seconds, Next: name },
      [name]: { Type: 'Task', Resource: arnOf('f'), Arguments: name, End: true },
    },
  });
  const branches = [branch('one', 1), branch('two', 2), branch('three', 3)];
  const execution = await run(machineOf({ P: { Type: 'Parallel', Branches: branches, End: true } }), options);
  expect(calls).toEqual(['one', 'two']);
  await repairAndRedrive(execution, bad);
  expect(execution.output).toEqual(['one', 'two', 'three']);
  expect(calls).toEqual(['one', 'two', 'two', 'three']);
});

test.each(['EXPRESS', 'STANDARD'])(
  'runs only the %s children of a distributed Map that did not succeed',
  async type => {
    const { bad, calls, options } = flaky(2, 3);
    const definition = machineOf({
      M: {
        Type: 'Map',
        ToleratedFailureCount: 1,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: type },
          StartAt: 'First',
          States: {
            First: {
              Type: 'Task',
              Resource: arnOf('f'),
              Arguments: 'first',
              Output: '{% $states.input %}',
              Next: 'Second',
            },
            Second: task,
          },
        },
        MaxConcurrency: 1,
        End: true,
      },
    });
    const execution = await run(definition, { ...options, input: [1, 2, 3, 4] });
    expect(execution.error).toBe('States.ExceedToleratedFailureThreshold');
    const [mapRun] = execution.mapRuns;
    expect(mapRun?.itemCounts).toMatchObject({ succeeded: 1, failed: 2, pending: 1 });
    calls.length = 0;
    await repairAndRedrive(execution, bad);
    expect(execution.output).toEqual([1, 2, 3, 4]);
    // A Standard child goes on with its second state, an Express child begins anew.
    expect(calls).toEqual(type === 'EXPRESS' ? ['first', 2, 'first', 3, 'first', 4] : [2, 3, 'first', 4]);
    expect(execution.mapRuns).toHaveLength(1);
    expect(mapRun).toMatchObject({ status: 'SUCCEEDED', redriveCount: 1 });
    expect(mapRun?.itemCounts).toMatchObject({ succeeded: 4, failed: 0, pending: 0, running: 0 });
    expect(mapRun?.executions).toHaveLength(type === 'EXPRESS' ? 6 : 4);
    expect(eventTypes(execution).slice(-5)).toEqual([
      'MapRunRedriven',
      'MapRunSucceeded',
      'MapStateSucceeded',
      'MapStateExited',
      'ExecutionSucceeded',
    ]);
  },
);

test('a stopped and a timed-out execution can be redriven as well, at once', async () => {
  const wait = { Type: 'Wait', Seconds: 100, End: true };
  const stopped = start(machineOf({ A: wait }));
  await Promise.resolve();
  stopped.stop();
  await stopped.redrive();
  expect((await stopped.done).status).toBe('SUCCEEDED');

  let slow = true;
  const f = async (_event: unknown, clock: VirtualClock) => clock.sleep(slow ? 60_000 : 1);
  const timedOut = await run(machineOf({ A: task }, { TimeoutSeconds: 30 }), { functions: { f } });
  expect(timedOut.status).toBe('TIMED_OUT');
  slow = false;
  await timedOut.redrive();
  expect((await timedOut.done).status).toBe('SUCCEEDED');
});

test.each([
  ['a running execution', () => start(machineOf({ A: { Type: 'Wait', Seconds: 1, End: true } }))],
  ['one that succeeded', () => run(machineOf({ A: { Type: 'Succeed' } }))],
  ['an Express execution', () => run(machineOf({ A: { Type: 'Fail' } }), { type: 'EXPRESS' })],
  ['a full history', () => run(machineOf({ A: { Type: 'Fail' } }), { limits: { standardHistoryEvents: 4 } })],
])('fails on %s', async (_name, make) => {
  const execution = await make();
  await expect(execution.redrive()).rejects.toThrow(NotRedrivableError);
});
