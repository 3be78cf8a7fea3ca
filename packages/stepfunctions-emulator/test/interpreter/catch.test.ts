import { arnOf, eventTypes, machineOf, outcome, run } from './run-definition.ts';

const raise = (name: string) => () => {
  throw Object.assign(new Error('why'), { name });
};
const caught = { Type: 'Pass', End: true };
const taskWith = (catchers: readonly object[], rest: object = {}) =>
  machineOf({
    A: { Type: 'Task', Resource: arnOf('f'), Catch: catchers, End: true, ...rest },
    Caught: caught,
  });

/** errors that a function or the state can produce, and whether States.ALL and States.TaskFailed catch them */
test.each([
  ['Custom', raise('Custom'), {}, true, true],
  [
    'States.Timeout',
    (_e: unknown, clock: { sleep(ms: number): Promise<void> }) => clock.sleep(9e4),
    { TimeoutSeconds: 1 },
    true,
    false,
  ],
  ['States.QueryEvaluationError', () => 1, { Output: '{% $nothing %}' }, true, true],
  // The result of the Task itself, as recorded on AWS, and what its state makes of it, as documented.
  ['States.DataLimitExceeded', () => 'x'.repeat(300_000), {}, true, true],
  ['States.DataLimitExceeded', () => 1, { Output: '{% $pad("", 300000, "x") %}' }, false, false],
  ['States.Runtime', raise('States.Runtime'), {}, false, false],
])('%s', async (error, f, rest, byAll, byTaskFailed) => {
  for (const [name, catches] of [
    ['States.ALL', byAll],
    ['States.TaskFailed', byTaskFailed],
    // It is not handled under its own name either; see below.
    [error, error !== 'States.Runtime'],
    ['Other', false],
  ] as const) {
    const execution = await run(taskWith([{ ErrorEquals: [name], Next: 'Caught' }], rest), {
      functions: { f },
    });
    expect([name, execution.status]).toEqual([name, catches ? 'SUCCEEDED' : 'FAILED']);
    if (catches) expect(execution.output).toMatchObject({ Error: error });
    else expect(execution.error).toBe(error);
  }
});

test('a missed heartbeat is caught under either of its names', async () => {
  const f = (_e: unknown, clock: { sleep(ms: number): Promise<void> }) => clock.sleep(9e4);
  for (const name of ['States.HeartbeatTimeout', 'States.Timeout']) {
    const definition = taskWith([{ ErrorEquals: [name], Next: 'Caught' }], { HeartbeatSeconds: 1 });
    expect((await run(definition, { functions: { f } })).status).toBe('SUCCEEDED');
  }
  const definition = taskWith([{ ErrorEquals: ['States.HeartbeatTimeout'], Next: 'Caught' }], {
    TimeoutSeconds: 1,
  });
  expect((await run(definition, { functions: { f } })).status).toBe('FAILED');
});

test('the first catcher that matches takes it, after the retries', async () => {
  const definition = machineOf({
    A: {
      Type: 'Task',
      Resource: arnOf('f'),
      Retry: [{ ErrorEquals: ['E'], MaxAttempts: 1 }],
      Catch: [
        { ErrorEquals: ['Other'], Next: 'Wrong' },
        { ErrorEquals: ['E'], Next: 'Right' },
        { ErrorEquals: ['States.ALL'], Next: 'Wrong' },
      ],
      End: true,
    },
    Right: { Type: 'Pass', Output: 'right', End: true },
    Wrong: { Type: 'Pass', Output: 'wrong', End: true },
  });
  const execution = await run(definition, { functions: { f: raise('E') } });
  expect(execution.output).toBe('right');
  expect(eventTypes(execution).filter(type => type === 'LambdaFunctionFailed')).toHaveLength(2);
});

test('Assign and Output see the error and the input, and only the assignments of the catcher are made', async () => {
  const definition = machineOf({
    A: {
      Type: 'Task',
      Resource: arnOf('f'),
      Assign: { normal: 1 },
      Catch: [
        {
          ErrorEquals: ['States.ALL'],
          Assign: { error: '{% $states.errorOutput.Error %}' },
          Output: { in: '{% $states.input.a %}', keys: '{% $keys($states.errorOutput) %}' },
          Next: 'B',
        },
      ],
      End: true,
    },
    B: {
      Type: 'Pass',
      Output: '{% $merge([$states.input, {"error": $error, "normal": $exists($normal)}]) %}',
      End: true,
    },
  });
  const execution = await run(definition, { functions: { f: raise('E') }, input: { a: 5 } });
  expect(execution.output).toEqual({ in: 5, keys: ['Error', 'Cause'], error: 'E', normal: false });
});

test('a failure without error and cause is caught with empty strings', async () => {
  const definition = machineOf({
    A: {
      Type: 'Parallel',
      Branches: [{ StartAt: 'F', States: { F: { Type: 'Fail' } } }],
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
      End: true,
    },
    Caught: caught,
  });
  const execution = await run(definition);
  expect(execution.output).toEqual({ Error: '', Cause: '' });
  expect(eventTypes(execution)).toEqual([
    'ExecutionStarted',
    'ParallelStateEntered',
    'ParallelStateStarted',
    'FailStateEntered',
    'ParallelStateFailed',
    'ParallelStateExited',
    'PassStateEntered',
    'PassStateExited',
    'ExecutionSucceeded',
  ]);
});

test('fails when the Output of the catcher fails, and does not catch that', async () => {
  const definition = taskWith([{ ErrorEquals: ['States.ALL'], Output: '{% $nothing %}', Next: 'Caught' }]);
  const execution = await run(definition, { functions: { f: raise('E') } });
  expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  expect(execution.cause).toContain("'Catch[0]/Output'");
});

/** The Developer Guide, "Error names": States.Runtime "isn't retriable, and will always cause the execution to fail". */
test.each(['States.ALL', 'States.TaskFailed', 'States.Runtime'])(
  'States.Runtime is not handled as %s, by a Map around it neither',
  async name => {
    // Arguments that lambda:invoke cannot use, as recorded on AWS.
    const task = {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Arguments: '{% {} %}',
      End: true,
    };
    const map = {
      Type: 'Map',
      Items: [1],
      ItemProcessor: { StartAt: 'I', States: { I: task } },
      End: true,
    };
    const handled = { Retry: [{ ErrorEquals: [name] }], Catch: [{ ErrorEquals: [name], Next: 'Caught' }] };
    for (const state of [task, map]) {
      const execution = await run(machineOf({ A: { ...state, ...handled }, Caught: caught }));
      expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'States.Runtime' });
      expect(execution.stopDate).toBe(execution.startDate);
    }
  },
);
