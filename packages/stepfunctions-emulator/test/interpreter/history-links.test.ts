import { VirtualClock } from '../../src/clock.ts';
import {
  arnOf,
  eventTypes,
  graph,
  LAMBDA_INVOKE,
  machineOf,
  mapOf,
  pass,
  raise,
  run,
  start,
  type TestFunction,
  task,
} from './run-definition.ts';

const invoke = { Type: 'Task', Resource: LAMBDA_INVOKE, Arguments: { FunctionName: 'f' }, End: true };
const parallel = (branches: readonly object[], rest: object = {}) => ({
  Type: 'Parallel',
  Branches: branches,
  End: true,
  ...rest,
});
const caught = { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'C' }] };
const again = { Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 1 }] };

/** `previousEventId type` of every event: the ids are those of the positions. */
const linksOf = (history: readonly { previousEventId: number; type: string }[]) =>
  history.map(({ previousEventId, type }) => `${previousEventId} ${type}`);

interface Case {
  readonly states: Record<string, object>;
  readonly input?: unknown;
  readonly f?: TestFunction;
  readonly links: readonly string[];
}

/** The events after the start, and what each follows, as AWS recorded them for definitions of the same shape. */
const TASK_FAILS_IN_PARALLEL = [
  '0 ParallelStateEntered',
  '2 ParallelStateStarted',
  '3 TaskStateEntered',
  '4 TaskScheduled',
  '5 TaskStarted',
  '6 TaskFailed',
];
const CASES: Record<string, Case> = {
  'the iterations of a Map, one after the other': {
    states: { M: mapOf(pass, { MaxConcurrency: 1 }) },
    input: [1, 2],
    links: [
      '0 MapStateEntered',
      '2 MapStateStarted',
      '3 MapIterationStarted',
      '4 PassStateEntered',
      '5 PassStateExited',
      '6 MapIterationSucceeded',
      '6 MapIterationStarted', // not the success of the iteration before, but what that followed
      '8 PassStateEntered',
      '9 PassStateExited',
      '10 MapIterationSucceeded',
      '11 MapStateSucceeded',
      '11 MapStateExited',
      '13 ExecutionSucceeded',
    ],
  },
  'a Fail in a Map that is retried, and then caught': {
    states: { M: mapOf({ Type: 'Fail', Error: 'E' }, { ...again, ...caught }), C: pass },
    input: [1],
    links: [
      '0 MapStateEntered',
      '2 MapStateStarted',
      '3 MapIterationStarted',
      '4 FailStateEntered',
      '5 MapIterationFailed',
      '5 MapStateStarted',
      '7 MapIterationStarted',
      '8 FailStateEntered',
      '9 MapIterationFailed',
      '9 MapStateFailed',
      '11 MapStateExited',
      '12 PassStateEntered',
      '13 PassStateExited',
      '14 ExecutionSucceeded',
    ],
  },
  'the branches of a Parallel': {
    states: { P: parallel([graph('A', pass), graph('B', { Type: 'Succeed' })]) },
    links: [
      '0 ParallelStateEntered',
      '2 ParallelStateStarted',
      '3 PassStateEntered',
      '4 PassStateExited',
      '3 SucceedStateEntered',
      '6 SucceedStateExited',
      '7 ParallelStateSucceeded',
      '7 ParallelStateExited',
      '9 ExecutionSucceeded',
    ],
  },
  'a Task that fails in a Parallel that is retried': {
    states: { P: parallel([graph('A', invoke)], { ...again, ...caught }), C: pass },
    f: raise('E'),
    links: [
      ...TASK_FAILS_IN_PARALLEL,
      '7 TaskStateAborted',
      '7 ParallelStateStarted',
      '9 TaskStateEntered',
      '10 TaskScheduled',
      '11 TaskStarted',
      '12 TaskFailed',
      '13 TaskStateAborted',
      '13 ParallelStateFailed',
      '15 ParallelStateExited',
      '16 PassStateEntered',
      '17 PassStateExited',
      '18 ExecutionSucceeded',
    ],
  },
  'a Task that catches what fails in a Parallel': {
    states: {
      P: parallel([
        { ...graph('A', { ...invoke, ...caught }), States: { A: { ...invoke, ...caught }, C: pass } },
      ]),
    },
    f: raise('E'),
    links: [
      ...TASK_FAILS_IN_PARALLEL,
      '7 TaskStateExited',
      '8 PassStateEntered',
      '9 PassStateExited',
      '10 ParallelStateSucceeded',
      '10 ParallelStateExited',
      '12 ExecutionSucceeded',
    ],
  },
  'an Output that comes to nothing': {
    states: { A: { Type: 'Pass', Next: 'B' }, B: { ...pass, Output: '{% $nothing %}' } },
    links: [
      '0 PassStateEntered',
      '2 PassStateExited',
      '3 PassStateEntered',
      '3 EvaluationFailed',
      '5 ExecutionFailed',
    ],
  },
  'Items that are no array': {
    states: { A: { Type: 'Pass', Next: 'M' }, M: mapOf(pass, { Items: '{% 1 %}' }) },
    links: [
      '0 PassStateEntered',
      '2 PassStateExited',
      '3 MapStateEntered',
      '3 EvaluationFailed',
      '5 MapStateFailed',
      '6 ExecutionFailed',
    ],
  },
  'an evaluation that fails in an iteration': {
    states: { M: mapOf({ ...pass, Output: '{% $nothing %}' }) },
    input: [1],
    links: [
      '0 MapStateEntered',
      '2 MapStateStarted',
      '3 MapIterationStarted',
      '4 PassStateEntered',
      '4 EvaluationFailed',
      '6 MapIterationFailed',
      '6 MapStateFailed',
      '8 ExecutionFailed',
    ],
  },
  'an Output that fails after the Task has succeeded': {
    states: { A: { ...invoke, Output: '{% $nothing %}' } },
    links: [
      '0 TaskStateEntered',
      '2 TaskScheduled',
      '3 TaskStarted',
      '4 TaskSucceeded',
      '5 EvaluationFailed',
      '6 ExecutionFailed',
    ],
  },
};

test.each(Object.entries(CASES))('%s', async (_name, { states, input = {}, f = () => 1, links }) => {
  const execution = await run(machineOf(states), { input, functions: { f } });
  expect(linksOf(execution.history)).toEqual(['0 ExecutionStarted', ...links]);
});

test('a Map whose Tasks time out: the iteration fails, and each Task and each other iteration is aborted', async () => {
  const definition = machineOf({ M: mapOf({ ...invoke, TimeoutSeconds: 5 }) });
  const f: TestFunction = (_event, clock) => clock.sleep(60_000);
  const { history } = await run(definition, { input: [1, 2, 3], functions: { f } });
  const timedOut = history.find(event => event.type === 'TaskTimedOut');
  const after = history.filter(event => event.id > (timedOut?.id ?? 0));
  const id = timedOut?.id;
  expect(linksOf(after)).toEqual([
    `${id} MapIterationFailed`,
    `${id} TaskStateAborted`,
    `${id} MapIterationAborted`,
    `${id} TaskStateAborted`,
    `${id} MapIterationAborted`,
    `${id} TaskStateAborted`,
    `${id} MapStateFailed`,
    `${(id ?? 0) + 7} ExecutionFailed`,
  ]);
  expect(after[2]).toMatchObject({ mapIterationAbortedEventDetails: { name: 'M', index: 1 } });
});

test('an execution that is stopped: nothing is aborted on its own, and its end follows no event', async () => {
  const execution = start(machineOf({ W: { Type: 'Wait', Seconds: 60, End: true } }));
  await undefined; // until it has entered the state
  execution.stop();
  await execution.done;
  expect(linksOf(execution.history)).toEqual([
    '0 ExecutionStarted',
    '0 WaitStateEntered',
    '0 ExecutionAborted',
  ]);
});

test('what is open inside of an aborted branch is aborted after it', async () => {
  const clock = new VirtualClock(0);
  const slow = graph('S', mapOf({ Type: 'Wait', Seconds: 60, End: true }, { Items: [1, 2] }));
  const failing = {
    StartAt: 'W',
    States: { W: { Type: 'Wait', Seconds: 1, Next: 'F' }, F: { Type: 'Fail', Error: 'E' } },
  };
  const execution = await run(machineOf({ P: parallel([slow, failing]) }), { clock });
  expect(eventTypes(execution).slice(-8)).toEqual([
    'FailStateEntered',
    'MapStateAborted',
    'MapIterationAborted',
    'WaitStateAborted',
    'MapIterationAborted',
    'WaitStateAborted',
    'ParallelStateFailed',
    'ExecutionFailed',
  ]);
});

test('nothing of an aborted branch is recorded later', async () => {
  const slow = graph('S', { ...pass, Output: '{% $map([1..500], function($n) { $n + 1 }) %}' });
  const definition = machineOf({ P: parallel([slow, graph('T', invoke)]) });
  const types = eventTypes(await run(definition, { functions: { f: raise('E') } }));
  expect(types.slice(-4)).toEqual([
    'TaskFailed',
    'TaskStateAborted',
    'ParallelStateFailed',
    'ExecutionFailed',
  ]);
  expect(types).not.toContain('PassStateExited');
});

test('a Task is either left or aborted, whenever the failure beside it comes', async () => {
  const call = (name: string) => ({ ...invoke, Arguments: { FunctionName: name } });
  const definition = machineOf({ P: parallel([graph('A', call('a')), graph('B', call('b'))]) });
  for (let steps = 0; steps < 60; steps += 1) {
    const b = async () => {
      for (let step = 0; step < steps; step += 1) await undefined;
      throw new Error('no');
    };
    const types = eventTypes(await run(definition, { functions: { a: () => 1, b } }));
    const ended = types.filter(type => type === 'TaskStateExited' || type === 'TaskStateAborted');
    expect({ steps, ended: ended.length }).toEqual({ steps, ended: 2 });
  }
});

test('EvaluationFailed has the whole cause, the place and the state', async () => {
  const definition = machineOf({ A: { ...pass, Output: { a: ['{% $nothing %}'] } } });
  const { cause, history } = await run(definition);
  expect(history[2]).toMatchObject({
    type: 'EvaluationFailed',
    evaluationFailedEventDetails: {
      error: 'States.QueryEvaluationError',
      cause,
      location: 'Output/a[0]',
      state: 'A',
    },
  });
});

test.each([
  ['Map', { M: mapOf({ Type: 'Fail', Error: 'E', Cause: 'c' }) }],
  ['Parallel', { P: parallel([graph('A', { Type: 'Fail', Error: 'E', Cause: 'c' })]) }],
])('%sStateFailed has no details, as in the API', async (type, states) => {
  const { history } = await run(machineOf(states), { input: [1] });
  const failed = history.find(event => event.type === `${type}StateFailed`);
  expect(Object.keys(failed ?? {}).sort()).toEqual(['id', 'previousEventId', 'timestamp', 'type']);
});

test.each([
  ['lambda:invoke', invoke, 'lambda'],
  ['a function by its ARN', task, arnOf('f')],
])('a result that is too big is one of the resource: %s', async (_name, state, what) => {
  const execution = await run(machineOf({ A: state }), { functions: { f: () => 'x'.repeat(300_000) } });
  expect(execution.cause).toBe(
    `The state/task '${what}' returned a result with a size exceeding the maximum number of bytes service limit.`,
  );
});
