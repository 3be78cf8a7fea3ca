import { TestStateCommand, type TestStateCommandInput } from '@aws-sdk/client-sfn';
import { VirtualClock } from '../../src/clock.ts';
import { ROLE_ARN, useStepFunctionsApi } from '../support/step-functions-api.ts';
import { LAMBDA_INVOKE, stateOf } from '../test-state/support.ts';

const called: unknown[] = [];
const api = useStepFunctionsApi({
  clock: new VirtualClock(),
  invoker: {
    async invoke(arn, payload) {
      called.push([arn, payload]);
      return { ok: true, payload: 'answered' };
    },
  },
});
const testState = (input: TestStateCommandInput) => api.client.send(new TestStateCommand(input));

const invoke = JSON.stringify(
  stateOf('Task', {
    Resource: LAMBDA_INVOKE,
    Arguments: { FunctionName: 'f', Payload: { v: '{% $states.input.v %}' } },
    Output: '{% $states.result.Payload %}',
    Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 2 }],
    Next: 'B',
    End: undefined,
  }),
);
const map = JSON.stringify(
  stateOf('Map', {
    Items: [1, 2],
    ToleratedFailurePercentage: 50,
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
      StartAt: 'P',
      States: { P: { Type: 'Pass', End: true } },
    },
  }),
);

test('a Task without a mock calls the function', async () => {
  const answer = await testState({
    definition: invoke,
    input: '{"v":1}',
    roleArn: ROLE_ARN,
    inspectionLevel: 'DEBUG',
  });
  expect(answer).toMatchObject({
    status: 'SUCCEEDED',
    output: '"answered"',
    nextState: 'B',
    inspectionData: { input: '{"v":1}', afterArguments: '{"FunctionName":"f","Payload":{"v":1}}' },
  });
  expect(JSON.parse(answer.inspectionData?.result ?? '')).toMatchObject({
    Payload: 'answered',
    StatusCode: 200,
  });
  expect(called).toEqual([['arn:aws:lambda:us-east-1:123456789012:function:f', { v: 1 }]]);
});

test('a mocked error, the retries before it, and what comes of it', async () => {
  const { $metadata, ...answer } = await testState({
    definition: invoke,
    input: '{"v":1}',
    inspectionLevel: 'TRACE',
    mock: { errorOutput: { error: 'E', cause: 'C' } },
    stateConfiguration: { retrierRetryCount: 2 },
    variables: '{"seen": [1]}',
    context: '{"State": {"RetryCount": 2}}',
  });
  expect($metadata.httpStatusCode).toBe(200);
  expect(answer).toEqual({
    status: 'RETRIABLE',
    error: 'E',
    cause: 'C',
    inspectionData: {
      input: '{"v":1}',
      afterArguments: '{"FunctionName":"f","Payload":{"v":1}}',
      variables: '{"seen":[1]}',
      errorDetails: { retryIndex: 0, retryBackoffIntervalSeconds: 8 },
    },
  });
});

test('numbers of a Map are numbers', async () => {
  const { inspectionData } = await testState({
    definition: map,
    inspectionLevel: 'DEBUG',
    mock: { result: '[1]' },
  });
  expect(inspectionData).toEqual({ input: '{}', maxConcurrency: 0, toleratedFailurePercentage: 50 });
});

test('a state of a state machine', async () => {
  const definition = JSON.stringify({
    QueryLanguage: 'JSONata',
    StartAt: 'A',
    States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Fail', Error: 'Enough' } },
  });
  const { $metadata: _a, ...first } = await testState({ definition, stateName: 'A' });
  expect(first).toEqual({ status: 'SUCCEEDED', output: '{}', nextState: 'B' });
  const { $metadata: _b, ...second } = await testState({ definition, stateName: 'B' });
  expect(second).toEqual({ status: 'FAILED', error: 'Enough' });
});

test.each<readonly [string, TestStateCommandInput, string, RegExp]>([
  ['a state that is none', { definition: '{}' }, 'InvalidDefinition', /\/Type|expected one of/],
  ['no JSON', { definition: '{' }, 'InvalidDefinition', /INVALID_JSON_DESCRIPTION/],
  ['an input that is no JSON', { definition: invoke, input: '{' }, 'InvalidExecutionInput', /expected JSON/],
  ['a role that is none', { definition: invoke, roleArn: 'me' }, 'InvalidArn', /Invalid Role Arn/],
  ['no role', { definition: invoke }, 'ValidationException', /RoleArn must be specified/],
  ['a Map without a mock', { definition: map }, 'InvalidDefinition', /does not support Map or Parallel/],
  [
    'variables that are no object',
    { definition: map, variables: '[]' },
    'ValidationException',
    /'variables'/,
  ],
  ['a context that is no JSON', { definition: map, context: '{' }, 'ValidationException', /'context'/],
  [
    'a result that is no JSON',
    { definition: map, mock: { result: '{' } },
    'ValidationException',
    /valid JSON/,
  ],
  [
    'an error without a name',
    { definition: map, mock: { errorOutput: {} } },
    'ValidationException',
    /'mock.errorOutput.error'/,
  ],
  [
    'a mode that is none',
    { definition: map, mock: { result: '[]', fieldValidationMode: 'SOFT' as 'NONE' } },
    'ValidationException',
    /\[STRICT, PRESENT, NONE\]/,
  ],
  [
    'a negative count',
    { definition: map, mock: { result: '[]' }, stateConfiguration: { retrierRetryCount: -1 } },
    'ValidationException',
    /'stateConfiguration.retrierRetryCount'/,
  ],
  [
    'an unknown level',
    { definition: map, inspectionLevel: 'ALL' as 'INFO' },
    'ValidationException',
    /INFO, DEBUG, TRACE/,
  ],
  ['an unknown state', { definition: '{}', stateName: 'A' }, 'InvalidDefinition', /StartAt/],
])('%s is refused', async (_what, input, name, message) => {
  const refused = testState(input);
  await expect(refused).rejects.toMatchObject({ name });
  await expect(refused).rejects.toThrow(message);
});
