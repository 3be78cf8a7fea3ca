import { VirtualClock } from '../../src/clock.ts';
import { InvalidDefinitionError } from '../../src/interpreter/index.ts';
import { FUNCTION_ARN, inspect, LAMBDA_INVOKE, ROLE_ARN, stateOf, testState } from './support.ts';

const input = { Value: 'HelloWorld' };
const machine = {
  QueryLanguage: 'JSONata',
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemProcessor: {
        StartAt: 'Both',
        States: {
          Both: {
            Type: 'Parallel',
            Branches: [
              {
                StartAt: 'Inner',
                States: {
                  Inner: { Type: 'Pass', Output: '{% $seen & "!" %}', Next: 'Last' },
                  Last: { Type: 'Succeed' },
                },
              },
            ],
            End: true,
          },
        },
      },
      End: true,
    },
  },
};

describe('each type of state', () => {
  test('Pass', async () => {
    const definition = stateOf('Pass', { Output: { v: '{% $states.input.Value %}' }, Assign: { a: 1 } });
    expect(await inspect({ definition, input, variables: { given: true } })).toEqual({
      status: 'SUCCEEDED',
      output: { v: 'HelloWorld' },
      inspectionData: { input, variables: { given: true, a: 1 } },
    });
  });

  test('Choice leads to the state of its rule, which need not be there', async () => {
    const definition = stateOf('Choice', {
      Choices: [{ Condition: '{% $states.input.value > 20 %}', Next: 'ValueInTwenties' }],
      Default: 'Other',
    });
    const result = await inspect({ definition, input: { value: 22 } });
    expect(result).toEqual({
      status: 'SUCCEEDED',
      output: { value: 22 },
      nextState: 'ValueInTwenties',
      inspectionData: { input: { value: 22 } },
    });
    expect((await testState({ definition, input: { value: 2 } })).nextState).toBe('Other');
  });

  test('Choice without a rule that holds', async () => {
    const definition = stateOf('Choice', { Choices: [{ Condition: false, Next: 'A' }] });
    expect(await testState({ definition })).toMatchObject({
      status: 'FAILED',
      error: 'States.NoChoiceMatched',
      cause: expect.stringContaining("the state 'StateName'"),
    });
  });

  test('Wait takes its time', async () => {
    const clock = new VirtualClock(0);
    const definition = stateOf('Wait', { Seconds: 200, End: undefined, Next: 'B' });
    const result = await testState({ definition, input }, undefined, clock);
    expect(result).toEqual({ status: 'SUCCEEDED', output: input, nextState: 'B' });
    expect(clock.now()).toBe(200_000);
  });

  test('more than five minutes are too many', async () => {
    const clock = new VirtualClock(0);
    const result = await testState({ definition: stateOf('Wait', { Seconds: 301 }) }, undefined, clock);
    expect(result).toEqual({ status: 'FAILED', error: 'States.Timeout' });
    expect(clock.now()).toBe(300_000);
  });

  test('Succeed', async () => {
    const result = await testState({ definition: stateOf('Succeed', { Output: 1 }) });
    expect(result).toEqual({ status: 'SUCCEEDED', output: 1 });
  });

  test('Fail', async () => {
    const definition = stateOf('Fail', { Error: 'SomeFailure', Cause: '{% "so " & $states.input.Value %}' });
    expect(await inspect({ definition, input })).toEqual({
      status: 'FAILED',
      error: 'SomeFailure',
      cause: 'so HelloWorld',
      inspectionData: { input },
    });
  });

  test('Task without a mock calls its function', async () => {
    const seen: unknown[] = [];
    const invoker = {
      async invoke(arn: string, payload: unknown) {
        seen.push([arn, payload]);
        return { ok: true, payload: { n: 1 } } as const;
      },
    };
    const definition = stateOf('Task', {
      Resource: FUNCTION_ARN,
      Arguments: { v: '{% $states.input.Value %}' },
      Output: '{% $states.result.n + 1 %}',
    });
    expect(await inspect({ definition, input, roleArn: ROLE_ARN }, invoker)).toEqual({
      status: 'SUCCEEDED',
      output: 2,
      inspectionData: { input, afterArguments: { v: 'HelloWorld' }, result: { n: 1 } },
    });
    expect(seen).toEqual([[FUNCTION_ARN, { v: 'HelloWorld' }]]);
  });

  test('a function that throws', async () => {
    const invoker = {
      invoke: async () => ({ ok: false, errorType: 'Refused', errorMessage: 'no' }) as const,
    };
    const definition = stateOf('Task', {
      Resource: LAMBDA_INVOKE,
      Arguments: { FunctionName: 'f', Payload: {} },
    });
    expect(await inspect({ definition, roleArn: ROLE_ARN }, invoker)).toEqual({
      status: 'FAILED',
      error: 'Refused',
      cause: '{"errorMessage":"no","errorType":"Refused"}',
      inspectionData: { input: {}, afterArguments: { FunctionName: 'f', Payload: {} } },
    });
  });
});

test('an expression that fails', async () => {
  const definition = stateOf('Pass', { Output: '{% $states.input.none %}' });
  expect(await inspect({ definition })).toMatchObject({
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: expect.stringContaining('returned nothing (undefined)'),
    inspectionData: { input: {} },
  });
});

test('the level INFO shows no inspection data, TRACE what DEBUG shows', async () => {
  const definition = stateOf('Pass');
  expect(await testState({ definition })).toEqual({ status: 'SUCCEEDED', output: {} });
  expect(await testState({ definition, inspectionLevel: 'TRACE' })).toEqual(await inspect({ definition }));
});

test('the context is that of a synchronous Express execution', async () => {
  const definition = stateOf('Pass', { Output: '{% $states.context %}' });
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const { output } = await testState({ definition, input }, undefined, new VirtualClock(0));
  expect(output).toEqual({
    Execution: {
      Id: expect.stringMatching(/^arn:aws:states:us-east-1:123456789012:express:[^:]+:[^:]+$/),
      Input: input,
      Name: id,
      RoleArn: null,
      StartTime: '1970-01-01T00:00:00.000Z',
    },
    StateMachine: { Id: expect.stringContaining(':stateMachine:'), Name: id },
    State: { Name: 'StateName', EnteredTime: '1970-01-01T00:00:00.000Z' },
  });
});

describe('a state of a state machine', () => {
  test('however deep inside it is', async () => {
    const result = await testState({ definition: machine, stateName: 'Inner', variables: { seen: 'x' } });
    expect(result).toEqual({ status: 'SUCCEEDED', output: 'x!', nextState: 'Last' });
    expect(await testState({ definition: machine, stateName: 'Last' })).toEqual({
      status: 'SUCCEEDED',
      output: {},
    });
  });

  test('that is not there', async () => {
    await expect(testState({ definition: machine, stateName: 'Nobody' })).rejects.toMatchObject({
      code: 'ValidationException',
      message: 'State not found in definition',
    });
  });

  test('without its name', async () => {
    await expect(testState({ definition: machine })).rejects.toThrow(
      /expected one state, or stateName to say which .*, got a state machine$/,
    );
  });
});

test.each([
  ['no JSON', '{', /expected JSON/],
  ['no object', '[]', /expected a state \(an object\), got \[\]/],
  ['JSONPath', { Type: 'Pass', End: true }, /\/QueryLanguage: expected JSONata/],
  ['no type', { QueryLanguage: 'JSONata', End: true }, /\/Type: expected one of Task, .*, got nothing/],
  ['an unknown field', stateOf('Pass', { ItemReader: {} }), /\/ItemReader: .*not implemented/],
  [
    'a variable of an outer scope in a branch',
    stateOf('Parallel', {
      Assign: { a: 1 },
      Branches: [{ StartAt: 'B', States: { B: { Type: 'Pass', Assign: { a: 2 }, End: true } } }],
    }),
    /Assign\/a/,
  ],
])('a definition with %s is refused', async (_what, definition, message) => {
  const testing = testState({ definition });
  await expect(testing).rejects.toThrow(InvalidDefinitionError);
  await expect(testing).rejects.toThrow(message);
});

test('variables that are too big are refused', async () => {
  const variables = { big: 'x'.repeat(300_000) };
  await expect(testState({ definition: stateOf('Pass'), variables })).rejects.toThrow(
    /^variables: The variable 'big' takes 300002 bytes/,
  );
});
