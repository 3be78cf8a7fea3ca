import { VirtualClock } from '../../src/clock.ts';
import type { FunctionInvoker } from '../../src/interpreter/index.ts';
import {
  arnOf,
  eventTypes,
  LAMBDA_INVOKE,
  machineOf,
  outcome,
  raise,
  run,
  type TestFunction,
  task,
} from './run-definition.ts';

const direct = (rest: object = {}) => ({ ...task, ...rest });
const invoke = (rest: object = {}, args: object = {}) => ({
  Type: 'Task',
  Resource: LAMBDA_INVOKE,
  Arguments: { FunctionName: 'f', ...args },
  End: true,
  ...rest,
});
const runTask = (task: object, f: TestFunction, options: Parameters<typeof run>[1] = {}) =>
  run(machineOf({ A: task }), { functions: { f }, ...options });
const hang: TestFunction = (_event, clock) => clock.sleep(60_000);

describe('a function by its ARN', () => {
  test('gets the input of the state, and its result is the output', async () => {
    const execution = await runTask(direct(), event => ({ got: event }), { input: { a: 1 } });
    expect(execution.output).toEqual({ got: { a: 1 } });
    expect(execution.history[2]).toMatchObject({
      type: 'LambdaFunctionScheduled',
      lambdaFunctionScheduledEventDetails: { resource: arnOf('f'), input: '{"a":1}' },
    });
    expect(execution.history[4]).toMatchObject({
      lambdaFunctionSucceededEventDetails: { output: '{"got":{"a":1}}', outputDetails: { truncated: false } },
    });
  });

  test('gets Arguments instead, and Output sees the result and the input', async () => {
    const task = direct({
      Arguments: { x: '{% $states.input.a + 1 %}' },
      Output: '{% [$states.result.x, $states.input.a] %}',
    });
    expect((await runTask(task, event => event, { input: { a: 1 } })).output).toEqual([2, 1]);
  });

  test('can change neither the input nor, later, what it returned', async () => {
    const kept = { n: 1 };
    const f: TestFunction = event => {
      (event as { a: number }).a = 99;
      setImmediate(() => {
        kept.n = 99;
      });
      return kept;
    };
    const definition = machineOf({
      A: {
        Type: 'Task',
        Resource: arnOf('f'),
        Output: { in: '{% $states.input %}', out: '{% $states.result %}' },
        Next: 'B',
      },
      B: { Type: 'Wait', Seconds: 1, End: true },
    });
    const execution = await run(definition, { functions: { f }, input: { a: 1 } });
    expect(execution.output).toEqual({ in: { a: 1 }, out: { n: 1 } });
  });

  test('returns null when it returns nothing', async () => {
    expect(outcome(await runTask(direct(), () => undefined))).toEqual({ status: 'SUCCEEDED', output: null });
  });
});

describe('lambda:invoke', () => {
  test('has a result in the shape of AWS', async () => {
    const { output } = await runTask(invoke({}, { Payload: { a: 1 } }), event => event);
    expect(output).toEqual({
      ExecutedVersion: '$LATEST',
      Payload: { a: 1 },
      SdkHttpMetadata: { HttpStatusCode: 200 },
      SdkResponseMetadata: { RequestId: expect.any(String) },
      StatusCode: 200,
    });
  });

  test.each([
    ['a name', { FunctionName: 'f' }, arnOf('f')],
    ['a name and a qualifier', { FunctionName: 'f', Qualifier: 'live' }, `${arnOf('f')}:live`],
    [
      'an account and a name',
      { FunctionName: '222222222222:function:f' },
      'arn:aws:lambda:us-east-1:222222222222:function:f',
    ],
    ['an ARN', { FunctionName: arnOf('f') }, arnOf('f')],
    [
      'an expression',
      { FunctionName: "{% 'f' %}", InvocationType: 'RequestResponse', LogType: 'None' },
      arnOf('f'),
    ],
  ])('calls %s with an empty event when there is no Payload', async (_name, args, arn) => {
    const calls: unknown[] = [];
    const invoker: FunctionInvoker = {
      invoke: async (functionArn, payload) => {
        calls.push([functionArn, payload]);
        return { ok: true, payload: null };
      },
    };
    const execution = await run(machineOf({ A: invoke({}, args) }), { invoker });
    expect(execution.status).toBe('SUCCEEDED');
    expect(calls).toEqual([[arn, {}]]);
  });

  test.each([
    [
      'an event without a waiting caller',
      { InvocationType: "{% 'Event' %}" },
      /'InvocationType' must be Req/,
    ],
    ['logs', { LogType: "{% 'Tail' %}" }, /'LogType' must be None/],
    ['a name that is no string', { FunctionName: '{% 1 %}' }, /'FunctionName' must be a STRING/],
    ['a Payload that is a number', { Payload: '{% 1 %}' }, /'Payload' must be a STRING/],
  ])('fails rather than ignoring %s', async (_name, args, words) => {
    const execution = await run(machineOf({ A: invoke({}, args) }));
    expect(execution.error).toBe('States.Runtime');
    expect(execution.cause).toMatch(
      /^An error .* The Arguments '\{.*\}' could not be used to start the Task: \[/,
    );
    expect(execution.cause).toMatch(words);
  });

  test.each([
    ['a JSON string', '"text"', 'text'],
    ['an object', '{"a": [1, null]}', { a: [1, null] }],
    ['a number', '0.0', 0],
    ['a word of JSON', 'null', null],
    ['white space around it', ' 7 ', 7],
    ['nothing at all', '', {}],
  ])('sends a string as the body of the request as it is: %s', async (_name, payload, event) => {
    const seen: unknown[] = [];
    const execution = await runTask(invoke({}, { Payload: '{% $states.input %}' }), got => seen.push(got), {
      input: payload,
    });
    expect(seen).toEqual([event]);
    const parameters = JSON.stringify({ FunctionName: 'f', Payload: payload });
    expect(execution.history[2]).toMatchObject({ taskScheduledEventDetails: { parameters } });
  });

  test.each(['text', '{', "{'a': 1}", '1 2', 'undefined'])(
    'fails as Lambda fails a body that is no JSON, without calling the function: %s',
    async payload => {
      const seen: unknown[] = [];
      const execution = await runTask(invoke({}, { Payload: payload }), event => seen.push(event));
      expect(seen).toEqual([]);
      expect(execution.billing.functionInvocations).toBe(0);
      expect(outcome(execution)).toEqual({
        status: 'FAILED',
        error: 'Lambda.InvalidRequestContentException',
      });
      expect(execution.cause).toMatch(
        /^Could not parse request body into json: .* \(Service: Lambda, Status Code: 400,/,
      );
      expect(eventTypes(execution).slice(2)).toEqual([
        'TaskScheduled',
        'TaskStarted',
        'TaskFailed',
        'ExecutionFailed',
      ]);
    },
  );

  test('fails on an unknown field among calculated arguments', async () => {
    const task = invoke({ Arguments: '{% {"FunctionName": "f", "ClientContext": "x"} %}' });
    expect((await run(machineOf({ A: task }))).cause).toMatch(/ClientContext/);
  });

  test('schedules with region, parameters and timeouts', async () => {
    const task = invoke({ TimeoutSeconds: 30, HeartbeatSeconds: '{% 5 + 5 %}' }, { Payload: [1] });
    expect((await runTask(task, () => 1)).history[2]).toMatchObject({
      type: 'TaskScheduled',
      taskScheduledEventDetails: {
        resourceType: 'lambda',
        resource: 'invoke',
        region: 'us-east-1',
        parameters: '{"FunctionName":"f","Payload":[1]}',
        timeoutInSeconds: 30,
        heartbeatInSeconds: 10,
      },
    });
  });
});

/** task, function, error of the execution, last events before ExecutionFailed */
const FAILURES: ReadonlyArray<readonly [string, object, TestFunction, string, string]> = [
  ['an exception', direct(), raise('Exception'), 'Exception', 'LambdaFunctionFailed'],
  ['an exception through lambda:invoke', invoke(), raise('Custom'), 'Custom', 'TaskFailed'],
  [
    'a function that is not there',
    direct({ Resource: arnOf('g') }),
    () => 1,
    'Lambda.ResourceNotFoundException',
    'LambdaFunctionFailed',
  ],
  ['bytes', direct(), () => new Uint8Array(3), 'Runtime.MarshalError', 'LambdaFunctionFailed'],
  ['a bigint', invoke(), () => 1n, 'Runtime.MarshalError', 'TaskFailed'],
  ['a timeout', direct({ TimeoutSeconds: 5 }), hang, 'States.Timeout', 'LambdaFunctionTimedOut'],
  [
    'a timeout through lambda:invoke',
    invoke({ TimeoutSeconds: '{% 5 %}' }),
    hang,
    'States.Timeout',
    'TaskTimedOut',
  ],
  ['a missed heartbeat', invoke({ HeartbeatSeconds: 5 }), hang, 'States.Timeout', 'TaskTimedOut'],
  [
    'a function that waits for what never comes',
    direct({ TimeoutSeconds: 5 }),
    (_e, clock) => clock.sleep(1e12),
    'States.Timeout',
    'LambdaFunctionTimedOut',
  ],
  [
    'a timeout of 0',
    direct({ TimeoutSeconds: '{% 0 %}' }),
    () => 1,
    'States.QueryEvaluationError',
    'EvaluationFailed',
  ],
  [
    'Arguments that come to nothing',
    direct({ Arguments: '{% $states.input.x %}' }),
    () => 1,
    'States.QueryEvaluationError',
    'EvaluationFailed',
  ],
];

test.each(FAILURES)('fails on %s', async (_name, task, f, error, lastEvent) => {
  const execution = await runTask(task, f);
  expect(outcome(execution)).toEqual({ status: 'FAILED', error });
  expect(eventTypes(execution).slice(-2)).toEqual([lastEvent, 'ExecutionFailed']);
});

test('fails with Lambda.Unknown when the invoker itself breaks', async () => {
  const invoker: FunctionInvoker = { invoke: () => Promise.reject(new Error('socket hang up')) };
  const execution = await run(machineOf({ A: direct() }), { invoker });
  expect([execution.error, execution.cause]).toEqual(['Lambda.Unknown', 'socket hang up']);
});

test('aborts the call that took too long, at the second it is due', async () => {
  const clock = new VirtualClock(0);
  const seen: unknown[] = [];
  const invoker: FunctionInvoker = {
    invoke: async (_arn, _payload, { signal, timeoutMs }) => {
      seen.push(timeoutMs);
      await clock.sleep(60_000, signal).catch(() => seen.push(clock.now()));
      return { ok: true, payload: 1 };
    },
  };
  const execution = await run(machineOf({ A: direct({ TimeoutSeconds: 7 }) }), { clock, invoker });
  expect(execution.stopDate).toBe(7000);
  await clock.sleep(0);
  expect(seen).toEqual([7000, 7000]);
});

test('a payload of exactly 256 KiB passes, one byte more does not', async () => {
  const limit = 262_144;
  const size = async (bytes: number) =>
    (await runTask(direct(), () => 'a'.repeat(bytes - 2))).error ?? 'passed';
  expect(await size(limit)).toBe('passed');
  expect(await size(limit + 1)).toBe('States.DataLimitExceeded');
  expect((await runTask(direct(), () => 'ä'.repeat(limit / 2))).error).toBe('States.DataLimitExceeded');
});

test('a Resource that nothing answers fails the state, and says so', async () => {
  const Resource = 'arn:aws:states:::states:startExecution';
  const execution = await run(machineOf({ A: { Type: 'Task', Resource, Arguments: {}, End: true } }));
  expect(execution.error).toBe('States.Runtime');
  expect(execution.cause).toBe(`Nothing answers ${Resource}: the engine was made without resources.`);
});
