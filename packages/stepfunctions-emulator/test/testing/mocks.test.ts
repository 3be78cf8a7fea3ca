import { readFileSync } from 'node:fs';
import {
  type Call,
  fails,
  functionArn,
  HarnessError,
  MissingMockError,
  takes,
  VirtualClock,
} from '../../src/testing/index.ts';
import { distributed, mapOf, raise } from '../interpreter/run-definition.ts';
import { machineOf, task } from './support.ts';

const one = machineOf({ A: task('f') });
const twice = machineOf({ A: task('f', { Next: 'B' }), B: task('f') });

describe('what a mock can be', () => {
  test.each([
    ['a function', (event: { n: number }) => event.n + 1, 2],
    ['an asynchronous function', async (event: { n: number }) => event.n + 2, 3],
    ['an answer', { a: [1, null] }, { a: [1, null] }],
    ['null', null, null],
    ['a function that returns nothing', () => undefined, null],
    ['a list with a function', [(event: { n: number }) => [event.n]], [1]],
    ['a list with an answer', [[1, 2]], [1, 2]],
    ['a function that takes time', takes(5, 'late'), 'late'],
  ] as const)('%s', async (_what, mock, output) => {
    const execution = await one.run({ input: { n: 1 }, functions: { f: mock } });
    expect(execution.assertSucceeded().output).toEqual(output);
  });

  test('a list has a step for each call', async () => {
    const execution = await twice.run({ functions: { f: ['first', (event: string) => `${event}, second`] } });
    expect(execution.output).toBe('first, second');
  });

  test.each([
    ['by name', 'f'],
    ['by ARN', functionArn('f')],
    ['by name and qualifier', 'f:live'],
  ])('found %s', async (_how, key) => {
    const Resource = `${functionArn('f')}${key === 'f:live' ? ':live' : ''}`;
    const machine = machineOf({ A: task('f', { Resource, End: true }) });
    const execution = await machine.run({ functions: { [key]: 1 } });
    expect(execution.output).toBe(1);
    expect(execution.callsOf(key)).toHaveLength(1);
  });

  test('the nearest name comes first', async () => {
    const machine = machineOf({ A: task('f', { Resource: `${functionArn('f')}:live`, End: true }) });
    expect((await machine.run({ functions: { f: 1, 'f:live': 2 } })).output).toBe(2);
  });

  test('mocks of the state machine stand behind those of a run', async () => {
    const machine = machineOf({ A: task('f', { Next: 'B' }), B: task('g') }, { functions: { f: 1, g: 2 } });
    expect((await machine.run({ functions: { g: (event: number) => [event, 3] } })).output).toEqual([1, 3]);
  });
});

describe('a Resource that is no function', () => {
  const DELETE = 'arn:aws:states:::dynamodb:deleteItem';
  const args = { TableName: 't', Key: { id: { S: '{% $states.input.id %}' } } };
  const other = (Resource: string, fields: object = { End: true }) => ({
    Type: 'Task',
    Resource,
    Arguments: args,
    ...fields,
  });
  const retrying = machineOf({
    Delete: other(DELETE, {
      Retry: [{ ErrorEquals: ['DynamoDB.ThrottlingException'], IntervalSeconds: 2 }],
      Catch: [{ ErrorEquals: ['DynamoDB.ConditionalCheckFailedException'], Next: 'Kept' }],
      End: true,
    }),
    Kept: { Type: 'Pass', End: true },
  });
  const input = { id: 'a' };

  test.each([DELETE, 'dynamodb:deleteItem', 'Delete'])('is mocked as %s', async key => {
    const execution = await retrying.run({
      input,
      functions: { [key]: [fails('DynamoDB.ThrottlingException'), { SdkHttpMetadata: {} }] },
    });
    expect(execution.assertSucceeded().output).toEqual({ SdkHttpMetadata: {} });
    expect(execution.durationMs).toBe(2000);
    const payload = { TableName: 't', Key: { id: { S: 'a' } } };
    expect(execution.payloadsOf(key)).toEqual([payload, payload]);
    expect(execution.calls).toMatchObject([
      { functionName: 'dynamodb:deleteItem', functionArn: DELETE, state: 'Delete', attempt: 1 },
      { attempt: 2 },
    ]);
    // The price of other services is not counted.
    expect(execution.billing.functionInvocations).toBe(0);
  });

  test('fails with the error that the mock has, and its message as the cause', async () => {
    const mock = fails('DynamoDB.ConditionalCheckFailedException', 'The conditional request failed');
    const execution = await retrying.run({ input, functions: { Delete: mock } });
    expect(execution.output).toEqual({
      Error: 'DynamoDB.ConditionalCheckFailedException',
      Cause: 'The conditional request failed',
    });
    const about = { resourceType: 'dynamodb', resource: 'deleteItem' };
    expect(execution.events('TaskFailed')).toMatchObject([{ taskFailedEventDetails: about }]);
  });

  test('without a mock ends the run with what to write', async () => {
    await expect(retrying.run({ input })).rejects.toThrow(
      'The state "Delete" called dynamodb:deleteItem, for which there is no mock (mocked: none). ' +
        "Write one: functions: { 'dynamodb:deleteItem': event => ({ … }) }.",
    );
  });

  test('the mock of the state comes before that of the Resource', async () => {
    const machine = machineOf({ First: other(DELETE, { Next: 'Second' }), Second: other(DELETE) });
    const execution = await machine.run({ input, functions: { [DELETE]: { id: 1 }, Second: 2 } });
    expect(execution.output).toBe(2);
  });

  test.each([
    ['arn:aws:states:::aws-sdk:dynamodb:deleteItem', 'aws-sdk:dynamodb:deleteItem'],
    ['arn:aws:states:::states:startExecution', 'states:startExecution'],
    ['arn:aws:states:::states:startExecution.sync:2', 'states:startExecution.sync:2'],
  ])('%s', async (Resource, key) => {
    const execution = await machineOf({ A: other(Resource) }).run({ input, functions: { [key]: { ok: 1 } } });
    expect(execution.assertSucceeded().output).toEqual({ ok: 1 });
    expect(execution.events('TaskSucceeded')).toHaveLength(1);
  });

  test('one that calls back has a token, another in each visit', async () => {
    const wait = other('arn:aws:states:::sqs:sendMessage.waitForTaskToken', {
      Arguments: { MessageBody: '{% $states.context.Task.Token %}' },
      Next: 'Again',
    });
    const machine = machineOf({ Ask: wait, Again: { ...wait, Next: undefined, End: true } });
    const key = 'sqs:sendMessage.waitForTaskToken';
    const tokens = (await machine.run({ functions: { [key]: 'yes' } }))
      .payloadsOf(key)
      .map(payload => (payload as { MessageBody: string }).MessageBody);
    expect(tokens.every(token => token !== '')).toBe(true);
    expect(new Set(tokens).size).toBe(2);
  });
});

test('a function is mocked by the state that calls it, unless a mock has its name', async () => {
  const machine = machineOf({ A: task('f', { Next: 'f' }), f: task('g') });
  const execution = await machine.run({ functions: { A: 'by state', f: 'f', g: 'g' } });
  expect(execution.calls.map(({ result }) => result)).toEqual(['f', 'g']);
  const byState = await machine.run({ functions: { A: 'by state', g: 'g' } });
  expect(byState.calls.map(({ result }) => result)).toEqual(['by state', 'g']);
  expect(byState.callsOf('A')).toHaveLength(1);
});

describe('errors', () => {
  class OutOfStock extends Error {
    override readonly name = 'OutOfStock';
  }

  test.each([
    [
      'a function that throws',
      () => {
        throw new OutOfStock('none left');
      },
      'OutOfStock',
      'none left',
    ],
    ['a promise that is rejected', async () => Promise.reject(new TypeError('no')), 'TypeError', 'no'],
    ['an Error', new RangeError('far'), 'RangeError', 'far'],
    ['fails', fails('CardDeclined', 'no money'), 'CardDeclined', 'no money'],
    [
      "an error of Node's own",
      () => readFileSync('nowhere'),
      'Error',
      "ENOENT: no such file or directory, open 'nowhere'",
    ],
    [
      'something else that is thrown',
      () => {
        throw 'text';
      },
      'string',
      'text',
    ],
  ] as const)('%s', async (_what, mock, error, errorMessage) => {
    const execution = await one.run({ functions: { f: mock } });
    expect(execution.assertFailed(error).status).toBe('FAILED');
    expect(JSON.parse(execution.cause ?? '')).toEqual({ errorType: error, errorMessage, trace: [] });
  });

  test('what Lambda itself says is plain text', async () => {
    const f = fails('Lambda.TooManyRequestsException', 'Rate exceeded');
    const execution = await one.run({ functions: { f } });
    expect([execution.error, execution.cause]).toEqual(['Lambda.TooManyRequestsException', 'Rate exceeded']);
  });
});

test('a mock is told which call it is', async () => {
  const seen: Pick<Call, 'functionName' | 'state' | 'attempt' | 'count'>[] = [];
  const f = (_event: unknown, call: Call) => {
    const { functionName, state, attempt, count } = call;
    seen.push({ functionName, state, attempt, count });
    expect(call.functionArn).toBe(functionArn('f'));
    expect(call.signal.aborted).toBe(false);
    if (attempt === 1) raise('E')();
    return call.now();
  };
  const retry = { Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 2 }] };
  const machine = machineOf({ A: task('f', { ...retry, Next: 'B' }), B: task('f', { ...retry, End: true }) });
  const execution = await machine.run({ functions: { f }, clock: new VirtualClock(0) });
  expect(seen).toEqual([
    { functionName: 'f', state: 'A', attempt: 1, count: 1 },
    { functionName: 'f', state: 'A', attempt: 2, count: 2 },
    { functionName: 'f', state: 'B', attempt: 1, count: 3 },
    { functionName: 'f', state: 'B', attempt: 2, count: 4 },
  ]);
  expect(execution.output).toBe(4000);
});

test('attempts are those of one visit, also in a Map whose iterations run together', async () => {
  const seen: string[] = [];
  const f = (event: number, { attempt }: Call) => {
    seen.push(`${event}/${attempt}`);
    if (attempt < 2) raise('E')();
    return event;
  };
  const machine = machineOf({
    M: mapOf(task('f', { Retry: [{ ErrorEquals: ['E'] }], End: true }), { Items: [1, 2] }),
  });
  expect((await machine.run({ functions: { f } })).output).toEqual([1, 2]);
  expect(seen).toEqual(['1/1', '2/1', '1/2', '2/2']);
});

test('a mock cannot change what it got', async () => {
  const f = (event: { a: number }) => {
    event.a = 2;
  };
  const execution = await one.run({ input: { a: 1 }, functions: { f } });
  expect(execution.payloadsOf('f')).toEqual([{ a: 1 }]);
});

describe('no mock', () => {
  test('ends the run and says what to write, whatever the definition catches', async () => {
    const machine = machineOf({
      A: task('f', { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }], Next: 'B' }),
      B: { Type: 'Succeed' },
    });
    const running = machine.run({ input: { n: 1 }, functions: { other: 1 } });
    await expect(running).rejects.toThrow(MissingMockError);
    await expect(running).rejects.toThrow(
      'The state "A" called the function "f", for which there is no mock (mocked: other). ' +
        'Write one: functions: { f: event => ({ … }) }. It was called with {"n":1}',
    );
  });

  test('a list that is too short', async () => {
    await expect(twice.run({ functions: { f: ['once'] } })).rejects.toThrow(
      'The state "B" called the function "f" once more than the list of its mock "f" has steps (1).',
    );
  });

  test('in a child of a distributed Map', async () => {
    const machine = machineOf({ M: distributed(task('f'), { ToleratedFailurePercentage: 100 }) });
    await expect(machine.run({ input: [1, 2] })).rejects.toThrow(
      /"I" called the function "f".* called with 1$/,
    );
  });

  test('long payloads are cut', async () => {
    await expect(one.run({ input: { text: 'x'.repeat(1000) } })).rejects.toThrow(/called with .{197}\.\.\.$/);
  });
});

test.each([
  [() => fails(''), /^fails: expected the name of an error, got ""$/],
  [() => takes(-1), /^takes: expected milliseconds of at least 0, got -1$/],
  [() => takes(Number.NaN), /got NaN$/],
])('a wrong argument is refused', (make, message) => {
  expect(make).toThrow(HarnessError);
  expect(make).toThrow(message);
});
