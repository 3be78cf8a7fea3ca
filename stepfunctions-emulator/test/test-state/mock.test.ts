import type { TestStateRequest } from '../../src/test-state/index.ts';
import { FUNCTION_ARN, inspect, LAMBDA_INVOKE, ROLE_ARN, stateOf, testState } from './support.ts';

/*
 * The expectations follow answers of AWS that LocalStack's test suite recorded in November 2025 to March 2026
 * (tests/aws/services/stepfunctions/v2/test_state), for the same states, where there are any.
 */
const input = { Values: ['first', 'second', 'third'] };
const MOCK_ERROR = { error: 'MockException', cause: 'Mock the cause of the error.' };

const invoke = (fields: object = {}) =>
  stateOf('Task', { Resource: LAMBDA_INVOKE, Arguments: { FunctionName: 'foo', Payload: 'bar' }, ...fields });
const afterArguments = { FunctionName: 'foo', Payload: 'bar' };

const processor = (mode: object = { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' }) => ({
  ProcessorConfig: mode,
  StartAt: 'HandleItem',
  States: { HandleItem: { Type: 'Task', Resource: FUNCTION_ARN, End: true } },
});
const map = (fields: object = {}) =>
  stateOf('Map', { Items: '{% $states.input.Values %}', ItemProcessor: processor(), ...fields });
const branch = (name: string) => ({ StartAt: name, States: { [name]: { Type: 'Pass', End: true } } });
const parallel = (fields: object = {}) =>
  stateOf('Parallel', { Branches: [branch('B1'), branch('B2')], ...fields });

describe('a Task', () => {
  test('takes the mocked result for its raw result', async () => {
    const mock = { result: { Payload: 'function output', SdkHttpMetadata: { HttpStatusCode: 200 } } };
    const definition = invoke({
      Output: '{% $states.result.Payload %}',
      Assign: { a: '{% $states.result %}' },
    });
    expect(await inspect({ definition, input, mock })).toEqual({
      status: 'SUCCEEDED',
      output: 'function output',
      inspectionData: { input, afterArguments, result: mock.result, variables: { a: mock.result } },
    });
  });

  test('fails with the mocked error', async () => {
    expect(await inspect({ definition: invoke(), input, mock: { errorOutput: MOCK_ERROR } })).toEqual({
      status: 'FAILED',
      ...MOCK_ERROR,
      inspectionData: { input, afterArguments },
    });
  });

  test('a mocked error need not have a cause', async () => {
    const result = await testState({ definition: invoke(), mock: { errorOutput: { error: 'E' } } });
    expect(result).toEqual({ status: 'FAILED', error: 'E' });
  });

  test('fails before its mock when its arguments do', async () => {
    const definition = invoke({ Arguments: { FunctionName: '{% $nothing %}' } });
    const result = await inspect({ definition, mock: { result: {} } });
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
    expect(result.inspectionData).toEqual({ input: {} });
  });
});

describe('Retry', () => {
  const retry = { ErrorEquals: ['MockException'], IntervalSeconds: 1, MaxAttempts: 5, BackoffRate: 2 };
  const tried = (retrierRetryCount: number | undefined, fields: object = {}) =>
    inspect({
      definition: invoke({ Retry: [{ ErrorEquals: ['Other'] }, retry], ...fields }),
      input,
      mock: { errorOutput: MOCK_ERROR },
      ...(retrierRetryCount !== undefined && { stateConfiguration: { retrierRetryCount } }),
    });

  test.each([
    [undefined, 1],
    [0, 1],
    [1, 2],
    [4, 16],
  ])('after %p retries the next comes after %d s', async (count, seconds) => {
    expect(await tried(count)).toEqual({
      status: 'RETRIABLE',
      ...MOCK_ERROR,
      inspectionData: {
        input,
        afterArguments,
        errorDetails: { retryIndex: 1, retryBackoffIntervalSeconds: seconds },
      },
    });
  });

  test('at the end of its attempts the state fails, and the retrier is named', async () => {
    const result = await tried(5);
    expect(result.status).toBe('FAILED');
    expect(result.inspectionData?.errorDetails).toEqual({ retryIndex: 1 });
  });

  test('then Catch takes over', async () => {
    const result = await tried(5, { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }] });
    expect(result).toMatchObject({ status: 'CAUGHT_ERROR', nextState: 'Caught' });
    expect(result.inspectionData?.errorDetails).toEqual({ retryIndex: 1, catchIndex: 0 });
  });

  test('the interval is capped, and shown before jitter', async () => {
    const capped = { ...retry, MaxDelaySeconds: 3, JitterStrategy: 'FULL' };
    const result = await tried(4, { Retry: [capped] });
    expect(result.inspectionData?.errorDetails?.retryBackoffIntervalSeconds).toBe(3);
  });
});

describe('Catch', () => {
  const definition = invoke({
    Catch: [
      { ErrorEquals: ['MockException'], Next: 'HandleMock', Output: '{% $states.errorOutput %}' },
      {
        ErrorEquals: ['States.TaskFailed'],
        Next: 'HandleOthers',
        Assign: { why: '{% $states.errorOutput.Error %}' },
      },
    ],
  });

  test('by its name', async () => {
    expect(await inspect({ definition, input, mock: { errorOutput: MOCK_ERROR } })).toEqual({
      status: 'CAUGHT_ERROR',
      ...MOCK_ERROR,
      output: { Error: 'MockException', Cause: 'Mock the cause of the error.' },
      nextState: 'HandleMock',
      inspectionData: { input, afterArguments, errorDetails: { catchIndex: 0 } },
    });
  });

  test('as any failure of a task, with its variables', async () => {
    const result = await inspect({ definition, mock: { errorOutput: { error: 'Other' } } });
    expect(result).toMatchObject({ status: 'CAUGHT_ERROR', nextState: 'HandleOthers' });
    expect(result.inspectionData).toMatchObject({
      errorDetails: { catchIndex: 1 },
      variables: { why: 'Other' },
    });
  });

  test('whose own expression fails', async () => {
    const failing = invoke({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'A', Output: '{% $none %}' }] });
    const result = await testState({ definition: failing, mock: { errorOutput: MOCK_ERROR } });
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  });
});

describe('a Map', () => {
  const tolerant = map({
    ToleratedFailureCount: 1,
    Retry: [
      { ErrorEquals: ['MockException'], MaxAttempts: 3 },
      { ErrorEquals: ['States.ExceedToleratedFailureThreshold'], MaxAttempts: 2 },
    ],
  });

  test('takes the mocked outputs', async () => {
    expect(await inspect({ definition: tolerant, input, mock: { result: [1, 1, 1] } })).toEqual({
      status: 'SUCCEEDED',
      output: [1, 1, 1],
      inspectionData: { input, maxConcurrency: 0, toleratedFailureCount: 1 },
    });
  });

  test('fails when more iterations failed than it tolerates', async () => {
    const stateConfiguration = { mapIterationFailureCount: 2 };
    expect(
      await inspect({ definition: tolerant, input, mock: { result: [0, 0, 1] }, stateConfiguration }),
    ).toEqual({
      status: 'RETRIABLE',
      error: 'States.ExceedToleratedFailureThreshold',
      cause: 'The specified tolerated failure threshold was exceeded',
      inspectionData: {
        input,
        maxConcurrency: 0,
        toleratedFailureCount: 1,
        errorDetails: { retryIndex: 1, retryBackoffIntervalSeconds: 1 },
      },
    });
  });

  test.each([
    [33, 'SUCCEEDED', 0],
    [33, 'FAILED', 1],
    [34, 'SUCCEEDED', 1],
  ])('of which %d percent may fail: %s with %d of 3', async (percentage, status, failed) => {
    const result = await inspect({
      definition: map({ ToleratedFailurePercentage: percentage }),
      input,
      mock: { result: [] },
      stateConfiguration: { mapIterationFailureCount: failed },
    });
    expect(result.status).toBe(status);
    expect(result.inspectionData?.toleratedFailurePercentage).toBe(percentage);
  });

  test('that says nothing of tolerance takes the mocked result in any case', async () => {
    const stateConfiguration = { mapIterationFailureCount: 2 };
    const mock = { result: [0, 0, 1] };
    const result = await testState({ definition: map(), input, mock, stateConfiguration });
    expect(result).toEqual({ status: 'SUCCEEDED', output: [0, 0, 1] });
  });

  test('fails with the mocked error, whatever it tolerates', async () => {
    const stateConfiguration = { mapIterationFailureCount: 0, errorCausedByState: 'HandleItem' };
    const mock = { errorOutput: MOCK_ERROR };
    const definition = map({ ToleratedFailureCount: 2 });
    expect(await inspect({ definition, input, mock, stateConfiguration })).toEqual({
      status: 'FAILED',
      ...MOCK_ERROR,
      inspectionData: { input, maxConcurrency: 0, toleratedFailureCount: 2 },
    });
  });

  test('shows what its iterations and its batches would get', async () => {
    const definition = map({
      MaxConcurrency: 4,
      ItemSelector: { i: '{% $states.context.Map.Item.Index %}', v: '{% $states.context.Map.Item.Value %}' },
      ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { b: 1 } },
    });
    const { inspectionData } = await inspect({ definition, input, mock: { result: [] } });
    const [a, b, c] = ['first', 'second', 'third'].map((v, i) => ({ i, v }));
    expect(inspectionData).toEqual({
      input,
      maxConcurrency: 4,
      afterItemSelector: [a, b, c],
      afterItemBatcher: [
        { BatchInput: { b: 1 }, Items: [a, b] },
        { BatchInput: { b: 1 }, Items: [c] },
      ],
    });
  });

  test('whose items are none', async () => {
    const result = await inspect({ definition: map(), input: { Values: 1 }, mock: { result: [] } });
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
    expect(result.inspectionData).toEqual({ input: { Values: 1 } });
  });

  test('an inline one tolerates nothing, and its count of failures changes nothing', async () => {
    const definition = map({ ItemProcessor: processor({ Mode: 'INLINE' }), ToleratedFailureCount: 0 });
    const stateConfiguration = { mapIterationFailureCount: 1 };
    const result = await testState({ definition, input, mock: { result: [1] }, stateConfiguration });
    expect(result.status).toBe('SUCCEEDED');
  });
});

test('a Parallel takes an output for each branch', async () => {
  const definition = parallel({
    Arguments: { a: 1 },
    Output: { input: '{% $states.input %}', result: '{% $states.result %}' },
  });
  expect(await inspect({ definition, input, mock: { result: ['x', 'y'] } })).toEqual({
    status: 'SUCCEEDED',
    output: { input, result: ['x', 'y'] },
    inspectionData: { input, afterArguments: { a: 1 } },
  });
});

describe('a Context object', () => {
  const definition = invoke({ Output: '{% $states.context %}' });
  const mock = { result: {} };

  test.each([
    [{}],
    [{ Execution: {}, State: {}, StateMachine: {} }],
    [
      {
        Execution: { Id: 'a', Input: [1], Name: 'n', RoleArn: 'r', StartTime: 't' },
        State: { RetryCount: 3 },
      },
    ],
  ])('%j stands for the usual one', async context => {
    expect((await testState({ definition, mock, context })).output).toEqual(context);
  });

  test('has the item of each iteration beside it', async () => {
    const ItemSelector = '{% $states.context.Execution.Name & $states.context.Map.Item.Value %}';
    const request = { definition: map({ ItemSelector }), input, mock: { result: [] } };
    const { inspectionData } = await inspect({ ...request, context: { Execution: { Name: 'n-' } } });
    expect(inspectionData?.afterItemSelector).toEqual(['n-first', 'n-second', 'n-third']);
  });

  test.each([
    [1, 'Context object must be a JSON object'],
    [{ Execution: { Id: 1 } }, 'Execution.Id must be a string'],
    [{ Execution: 1 }, 'Execution must be an object'],
    [{ State: { RetryCount: '1' } }, 'State.RetryCount must be a number'],
    [{ Map: {} }, "'Map' field is not supported when mocking a Context object"],
    [{ Execution: { pokemon: 1 } }, "Field 'pokemon' is not allowed"],
    [{ Pokedex: {} }, "Field 'Pokedex' is not allowed"],
    [{ toString: {} }, "Field 'toString' is not allowed"],
    [
      { Task: { Token: 't' } },
      "Context object contains 'Task' when state is not a Task state with a '.sync' or '.waitForTaskToken' service integration pattern",
    ],
  ])('%j is refused', async (context, message) => {
    await expect(testState({ definition, mock, context })).rejects.toMatchObject({
      code: 'ValidationException',
      message: `Invalid Context object provided: ${message}`,
    });
  });
});

const NOT_WITH_MOCK = ['Pass', 'Wait', 'Choice', 'Succeed', 'Fail'].map(type => {
  const fields = {
    Wait: { Seconds: 1 },
    Choice: { Choices: [{ Condition: true, Next: 'A' }] },
  }[type];
  const request: TestStateRequest = { definition: stateOf(type, fields), mock: { result: 1 } };
  return [
    `a mock for a ${type}`,
    request,
    `State type '${type}' is not supported when a mock is specified`,
  ] as const;
});

test.each<readonly [string, TestStateRequest, string]>([
  ...NOT_WITH_MOCK,
  [
    'both a result and an error',
    { definition: invoke(), mock: { result: {}, errorOutput: MOCK_ERROR } },
    'A test mock should have only one of the following fields: [result, errorOutput].',
  ],
  [
    'neither a result nor an error',
    { definition: invoke(), mock: {} },
    'A test mock should have only one of the following fields: [result, errorOutput].',
  ],
  [
    'revealSecrets with a mock',
    { definition: invoke(), mock: { result: {} }, revealSecrets: true },
    'TestState does not support RevealSecrets when a mock is specified.',
  ],
  [
    'no role for a Task without a mock',
    { definition: invoke() },
    'RoleArn must be specified when testing a Task state',
  ],
  [
    'a context without a mock',
    { definition: invoke(), roleArn: ROLE_ARN, context: {} },
    'A Context object may only be specified when a mock is specified.',
  ],
  [
    'a Map result that is no array',
    { definition: map(), mock: { result: {} } },
    'Mocked result must be an array.',
  ],
  [
    'a Parallel result that is no array',
    { definition: parallel(), mock: { result: 'x' } },
    'Mocked result must be an array.',
  ],
  [
    'a Parallel result of another length',
    { definition: parallel(), mock: { result: [1] } },
    'Mocked result must contain the same number of items as number of Parallel branches.',
  ],
  [
    'a StatusCode that is a string',
    { definition: invoke(), mock: { result: { StatusCode: '200' } } },
    "Mock result schema validation error: Field 'StatusCode' must be a number",
  ],
  [
    'a Payload that is an object',
    { definition: invoke(), mock: { result: { Payload: {} }, fieldValidationMode: 'PRESENT' } },
    "Mock result schema validation error: Field 'Payload' must be a string",
  ],
  [
    'a result of lambda:invoke that is no object',
    { definition: invoke(), mock: { result: 1 } },
    'Mocked result must be a JSON object.',
  ],
  [
    'more failures than items',
    { definition: map(), input, mock: { result: [] }, stateConfiguration: { mapIterationFailureCount: 4 } },
    'stateConfiguration.mapIterationFailureCount: expected at most the 3 items of the Map, got 4',
  ],
  [
    'failed iterations of a Task',
    { definition: invoke(), mock: { result: {} }, stateConfiguration: { mapIterationFailureCount: 1 } },
    'stateConfiguration.mapIterationFailureCount: expected a mock and a Map state, got a Task state',
  ],
  [
    'data of an ItemReader',
    { definition: map(), mock: { result: [] }, stateConfiguration: { mapItemReaderData: '[]' } },
    "stateConfiguration.mapItemReaderData: ItemReader isn't implemented locally; leave it out",
  ],
  [
    'an error of a state that is not inside',
    { definition: map(), mock: { errorOutput: MOCK_ERROR }, stateConfiguration: { errorCausedByState: 'X' } },
    "stateConfiguration.errorCausedByState: expected a state inside of 'StateName', got 'X'",
  ],
  [
    'an inner state without an error',
    { definition: map(), mock: { result: [] }, stateConfiguration: { errorCausedByState: 'HandleItem' } },
    'stateConfiguration.errorCausedByState: expected mock.errorOutput and a Map or Parallel state, got no mock.errorOutput',
  ],
])('%s is refused', async (_what, request, message) => {
  await expect(testState(request)).rejects.toMatchObject({ code: 'ValidationException', message });
});

describe('a Resource that is not implemented', () => {
  const service = (action: string, fields: object = {}) =>
    stateOf('Task', { Resource: `arn:aws:states:::${action}`, ...fields });
  const putItem = service('dynamodb:putItem', { Arguments: { TableName: '{% $states.input.t %}' } });

  test('is tested with a mock', async () => {
    const mock = { result: { SdkHttpMetadata: { HttpStatusCode: 200 } } };
    const tested = await inspect({ definition: putItem, mock, input: { t: 'orders' } });
    expect(tested).toMatchObject({ status: 'SUCCEEDED', output: mock.result });
    expect(tested.inspectionData?.afterArguments).toEqual({ TableName: 'orders' });
  });

  test('inside of a state machine, too', async () => {
    const definition = { QueryLanguage: 'JSONata', StartAt: 'Put', States: { Put: putItem } };
    const errorOutput = { error: 'DynamoDB.ConditionalCheckFailedException', cause: 'no' };
    const request = { definition, stateName: 'Put', mock: { errorOutput }, input: { t: 'orders' } };
    expect(await testState(request)).toEqual({ status: 'FAILED', ...errorOutput });
  });

  test('is refused without one', async () => {
    await expect(testState({ definition: putItem, roleArn: ROLE_ARN })).rejects.toThrow(
      /^\/Resource: expected a Lambda function ARN, .* \(nothing else is implemented\), got "arn:aws:states:::dynamodb:putItem"$/,
    );
  });

  test('answers an object, unless somebody calls back', async () => {
    await expect(
      testState({ definition: putItem, mock: { result: 7 }, input: { t: 'o' } }),
    ).rejects.toMatchObject({ code: 'ValidationException', message: 'Mocked result must be a JSON object.' });
    const callback = service('sqs:sendMessage.waitForTaskToken', {
      Arguments: { MessageBody: '{% $states.context.Task.Token %}' },
    });
    const request = { definition: callback, mock: { result: 7 }, context: { Task: { Token: 'token' } } };
    const tested = await inspect(request);
    expect(tested.output).toBe(7);
    expect(tested.inspectionData?.afterArguments).toEqual({ MessageBody: 'token' });
  });
});

test.each([map(), parallel()])('a Map or Parallel without a mock is refused', async definition => {
  await expect(testState({ definition, roleArn: ROLE_ARN })).rejects.toMatchObject({
    code: 'InvalidDefinition',
    message:
      'TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, Succeed, Fail, Choice]',
  });
});

test.each([
  [
    'nothing is checked in the mode NONE',
    invoke(),
    { result: { Payload: { a: 1 } }, fieldValidationMode: 'NONE' },
  ],
  ['fields that Lambda does not have', invoke(), { result: { random: 'json' } }],
  [
    'any result of a function that is called by its ARN',
    stateOf('Task', { Resource: FUNCTION_ARN }),
    { result: 7 },
  ],
] as const)('%s', async (_what, definition, mock) => {
  expect(await testState({ definition, mock })).toEqual({ status: 'SUCCEEDED', output: mock.result });
});
