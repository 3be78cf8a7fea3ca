import type { GetExecutionHistoryInput } from '@aws-sdk/client-sfn';
import { mapOf, pass } from '../interpreter/run-definition.ts';
import {
  create,
  FAIL,
  jsonata,
  mapRun,
  PASS,
  runToEnd,
  start,
  useStepFunctionsApi,
  WAIT,
} from './support.ts';

const api = useStepFunctionsApi({ kept: { executions: 20, characters: 75_000 } });
const describeExecution = async (executionArn: string) => {
  const { $metadata, ...answer } = await api.client.describeExecution({ executionArn });
  return answer;
};

describe('StartExecution', () => {
  test('the same name and input is the same execution while that runs', async () => {
    const stateMachineArn = await create(api, WAIT);
    const again = (input: string) => api.client.startExecution({ stateMachineArn, name: 'one', input });
    const first = await again('{"a": 1}');
    // Its text is kept as it was sent.
    expect((await describeExecution(first.executionArn ?? '')).input).toBe('{"a": 1}');
    expect(first.executionArn).toBe(`${stateMachineArn.replace('stateMachine', 'execution')}:one`);
    const second = await again('{"a":1}');
    expect([second.executionArn, second.startDate]).toEqual([first.executionArn, first.startDate]);
    const taken = {
      name: 'ExecutionAlreadyExists',
      message: `Execution Already Exists: '${first.executionArn}'`,
    };
    await expect(again('{"a":2}')).rejects.toMatchObject(taken);
    await api.client.stopExecution({ executionArn: first.executionArn });
    await expect(again('{"a":1}')).rejects.toMatchObject(taken);
  });

  test.each([
    ['InvalidExecutionInput', { input: '{' }, /^Invalid State Machine Execution Input: 'expected JSON, got /],
    ['InvalidExecutionInput', { input: JSON.stringify('é'.repeat(131_072)) }, /262144 bytes/],
    [
      'ValidationException',
      { input: `"${'x'.repeat(262_144)}"` },
      /'input' .* less than or equal to 262144$/,
    ],
    ['InvalidName', { name: 'a b' }, /^Invalid Name: /],
    ['ValidationException', { name: '' }, /'name' .* greater than or equal to 1$/],
    ['InvalidArn', { stateMachineArn: 'nonsense' }, /^Invalid Arn: 'Invalid ARN prefix: nonsense'$/],
    [
      'InvalidArn',
      { stateMachineArn: 'arn:aws:states:us-east-1:123456789012:execution:a:b' },
      /^Invalid Arn: 'Resource type not valid in this context: execution'$/,
    ],
    [
      'StateMachineDoesNotExist',
      { stateMachineArn: 'arn:aws:states:us-east-1:1:stateMachine:nope' },
      /'arn:.*nope'$/,
    ],
  ])('fails with %s for %j', async (name, change, message) => {
    const stateMachineArn = await create(api, PASS);
    await expect(api.client.startExecution({ stateMachineArn, ...change })).rejects.toMatchObject({
      name,
      message: expect.stringMatching(message),
    });
  });

  test('Express executions share a name, and cannot be described, listed or stopped', async () => {
    const stateMachineArn = await create(api, PASS, 'EXPRESS');
    const first = await start(api, stateMachineArn, { name: 'one' });
    const second = await start(api, stateMachineArn, { name: 'one' });
    expect(first).toMatch(/^arn:aws:states:us-east-1:123456789012:express:machine-\d+:one:[\da-f-]{36}$/);
    expect(second).not.toBe(first);
    const invalid = { message: "Invalid Arn: 'Resource type not valid in this context: express'" };
    await expect(describeExecution(first)).rejects.toMatchObject(invalid);
    const request = { executionArn: first };
    await expect(api.client.stopExecution(request)).rejects.toMatchObject(invalid);
    await expect(api.client.getExecutionHistory(request)).rejects.toMatchObject(invalid);
    await expect(api.client.listExecutions({ stateMachineArn })).rejects.toMatchObject({
      name: 'StateMachineTypeNotSupported',
    });
  });
});

describe('StartSyncExecution', () => {
  test('has no RedriveCount in its context, as StartExecution has', async () => {
    const Output = '{% $exists($states.context.Execution.RedriveCount) %}';
    const definition = jsonata({ A: { Type: 'Pass', Output, End: true } });
    const stateMachineArn = await create(api, definition, 'EXPRESS');
    const { output } = await api.client.startSyncExecution({ stateMachineArn });
    expect(output).toBe('false');
    const arn = await runToEnd(api, await create(api, definition));
    expect((await describeExecution(arn)).output).toBe('true');
  });

  test('answers with the result and what is billed', async () => {
    const stateMachineArn = await create(api, PASS, 'EXPRESS');
    const { $metadata, ...answer } = await api.client.startSyncExecution({
      stateMachineArn,
      name: 'sync',
      input: '{"a":1}',
    });
    expect(answer).toEqual({
      executionArn: expect.stringContaining(':express:'),
      stateMachineArn,
      name: 'sync',
      startDate: expect.any(Date),
      stopDate: expect.any(Date),
      status: 'SUCCEEDED',
      input: '{"a":1}',
      inputDetails: { included: true },
      output: '{"a":1}',
      outputDetails: { included: true },
      billingDetails: { billedMemoryUsedInMB: 64, billedDurationInMilliseconds: 100 },
    });
  });

  test('more memory is billed in steps of 64 MB', async () => {
    const map = mapOf(
      { ...pass, Output: 1 },
      { Items: '{% [1..60] %}', ItemSelector: '{% $states.input %}' },
    );
    const stateMachineArn = await create(api, jsonata({ A: map }), 'EXPRESS');
    const input = JSON.stringify('x'.repeat(250_000));
    const { billingDetails } = await api.client.startSyncExecution({ stateMachineArn, input });
    expect(billingDetails?.billedMemoryUsedInMB).toBe(128);
  });

  test('a failed execution is an answer; a Standard machine is an error', async () => {
    const answer = await api.client.startSyncExecution({
      stateMachineArn: await create(api, FAIL, 'EXPRESS'),
    });
    expect(answer).toMatchObject({ status: 'FAILED', error: 'E', cause: 'C' });
    const stateMachineArn = await create(api, PASS);
    await expect(api.client.startSyncExecution({ stateMachineArn })).rejects.toMatchObject({
      name: 'StateMachineTypeNotSupported',
    });
  });
});

test('DescribeExecution tells how it ended', async () => {
  const executionArn = await runToEnd(api, await create(api, FAIL), { name: 'failed', input: [1] });
  expect(await describeExecution(executionArn)).toEqual({
    executionArn,
    stateMachineArn: expect.stringContaining(':stateMachine:'),
    name: 'failed',
    status: 'FAILED',
    startDate: expect.any(Date),
    stopDate: expect.any(Date),
    input: '[1]',
    inputDetails: { included: true },
    error: 'E',
    cause: 'C',
    redriveCount: 0,
    redriveStatus: 'NOT_REDRIVABLE',
    redriveStatusReason: expect.any(String),
  });
  const succeeded = await runToEnd(api, await create(api, PASS));
  expect(await describeExecution(succeeded)).toMatchObject({ output: '{}' });
  await expect(
    api.client.describeExecution({ executionArn: succeeded, includedData: 'METADATA_ONLY' }),
  ).rejects.toMatchObject({ name: 'ValidationException' });
});

test('StopExecution aborts with error and cause; once more it tells when that was', async () => {
  const executionArn = await start(api, await create(api, WAIT));
  const stop = () => api.client.stopExecution({ executionArn, error: 'E', cause: 'enough' });
  const { stopDate } = await stop();
  expect(await describeExecution(executionArn)).toMatchObject({
    status: 'ABORTED',
    error: 'E',
    cause: 'enough',
    stopDate,
  });
  expect((await stop()).stopDate).toEqual(stopDate);
});

describe('GetExecutionHistory', () => {
  const TYPES = ['ExecutionStarted', 'PassStateEntered', 'PassStateExited', 'ExecutionSucceeded'];
  const history = (executionArn: string, rest: Omit<GetExecutionHistoryInput, 'executionArn'> = {}) =>
    api.client.getExecutionHistory({ executionArn, ...rest });

  test.each([false, true])('page by page, reverseOrder %p', async reverseOrder => {
    const executionArn = await runToEnd(api, await create(api, PASS));
    const types: (string | undefined)[] = [];
    const sizes: (number | undefined)[] = [];
    let nextToken: string | undefined;
    do {
      const page = await history(executionArn, { reverseOrder, maxResults: 3, nextToken });
      types.push(...(page.events ?? []).map(event => event.type));
      sizes.push(page.events?.length);
      ({ nextToken } = page);
    } while (nextToken !== undefined);
    expect(types).toEqual(reverseOrder ? TYPES.toReversed() : TYPES);
    expect(sizes).toEqual([3, 1]);
  });

  test('with or without its data', async () => {
    const executionArn = await runToEnd(api, await create(api, PASS), { input: 'secret' });
    const [first] = (await history(executionArn)).events ?? [];
    expect(first).toMatchObject({
      id: 1,
      previousEventId: 0,
      timestamp: expect.any(Date),
      executionStartedEventDetails: { input: '"secret"', roleArn: expect.any(String) },
    });
    const bare = await history(executionArn, { includeExecutionData: false });
    expect(bare.events?.map(event => event.type)).toEqual(TYPES);
    expect(JSON.stringify(bare.events)).not.toContain('secret');
    expect(bare.events?.[1]?.stateEnteredEventDetails).toEqual({ name: 'A' });
  });

  test('fails for a token that is not of this request', async () => {
    const one = await runToEnd(api, await create(api, PASS));
    const other = await runToEnd(api, await create(api, PASS));
    const { nextToken } = await history(one, { maxResults: 1 });
    const invalid = { name: 'InvalidToken', message: "Invalid Token: 'Invalid token'" };
    await expect(history(other, { nextToken })).rejects.toMatchObject(invalid);
    await expect(history(one, { nextToken: 'nonsense' })).rejects.toMatchObject(invalid);
    await expect(history(one, { maxResults: 1001 })).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

test('ListExecutions: the last first, by status, page by page', async () => {
  const stateMachineArn = await create(api, FAIL);
  const arns = [];
  for (let index = 0; index < 5; index += 1) arns.push(await runToEnd(api, stateMachineArn));
  const list = async (rest: {
    statusFilter?: 'FAILED' | 'SUCCEEDED';
    maxResults?: number;
    nextToken?: string | undefined;
  }) => api.client.listExecutions({ stateMachineArn, ...rest });
  const arnsOf = ({ executions }: Awaited<ReturnType<typeof list>>) =>
    executions?.map(one => one.executionArn);
  expect(arnsOf(await list({}))).toEqual(arns.toReversed());
  expect(arnsOf(await list({ statusFilter: 'SUCCEEDED' }))).toEqual([]);
  const first = await list({ statusFilter: 'FAILED', maxResults: 3 });
  const later = await runToEnd(api, stateMachineArn); // comes before the first page, and moves nothing
  const second = await list({ statusFilter: 'FAILED', maxResults: 3, nextToken: first.nextToken });
  expect([...(arnsOf(first) ?? []), ...(arnsOf(second) ?? [])]).toEqual(arns.toReversed());
  expect(second.nextToken).toBeUndefined();
  expect(arnsOf(await list({}))?.[0]).toBe(later);
  await expect(api.client.listExecutions({})).rejects.toMatchObject({
    name: 'ValidationException',
  });
});

describe('Map Runs', () => {
  test.each(['STANDARD', 'EXPRESS'] as const)('are described, with their %s children', async type => {
    const executionArn = await runToEnd(api, await create(api, mapRun(type)), { input: [1, false, 3] });
    const { mapRuns } = await api.client.listMapRuns({ executionArn });
    expect(mapRuns).toEqual([
      {
        executionArn,
        mapRunArn: expect.stringMatching(/:mapRun:machine-\d+\/Each:/),
        stateMachineArn: expect.stringMatching(/:stateMachine:machine-\d+\/Each$/),
        startDate: expect.any(Date),
        stopDate: expect.any(Date),
      },
    ]);
    const mapRunArn = mapRuns?.[0]?.mapRunArn;
    const described = await api.client.describeMapRun({ mapRunArn });
    expect(described).toMatchObject({
      executionArn,
      status: 'SUCCEEDED',
      maxConcurrency: 5,
      toleratedFailurePercentage: 50,
      itemCounts: { total: 3, succeeded: 2, failed: 1, pending: 0 },
      executionCounts: { total: 3, succeeded: 2, failed: 1 },
    });
    const { executions } = await api.client.listExecutions({ mapRunArn, statusFilter: 'FAILED' });
    expect(executions).toHaveLength(1);
    const child = await describeExecution(executions?.[0]?.executionArn ?? '');
    expect(child).toMatchObject({ mapRunArn, error: 'False', input: 'false' });
  });

  test('fails for one that is not known', async () => {
    const mapRunArn = 'arn:aws:states:us-east-1:123456789012:mapRun:a/b:c';
    await expect(api.client.describeMapRun({ mapRunArn })).rejects.toMatchObject({
      name: 'ResourceNotFound',
      message: `Resource not found: '${mapRunArn}'`,
    });
  });
});

describe('ended executions are forgotten', () => {
  const listed = async (stateMachineArn: string) => {
    const { executions } = await api.client.listExecutions({ stateMachineArn });
    return executions?.map(one => one.executionArn);
  };

  test('when there are too many, the oldest first; what runs stays, and names stay taken', async () => {
    const stateMachineArn = await create(api, PASS);
    const running = await start(api, await create(api, WAIT));
    const oldest = await runToEnd(api, stateMachineArn, { name: 'oldest' });
    const arns = [];
    for (let index = 0; index < 20; index += 1) arns.push(await runToEnd(api, stateMachineArn));
    const gone = { name: 'ExecutionDoesNotExist', message: `Execution Does Not Exist: '${oldest}'` };
    await expect(describeExecution(oldest)).rejects.toMatchObject(gone);
    await expect(start(api, stateMachineArn, { name: 'oldest' })).rejects.toMatchObject({
      name: 'ExecutionAlreadyExists',
    });
    expect(await listed(stateMachineArn)).toEqual(arns.toReversed());
    expect((await describeExecution(running)).status).toBe('RUNNING');
    await api.client.stopExecution({ executionArn: running });
  });

  test('of executions whose events tell too much together, the oldest lose their history and stay in lists', async () => {
    const stateMachineArn = await create(api, FAIL);
    const arns: string[] = [];
    // Each has its input twice at least: its own, and that of its state.
    for (let index = 0; index < 4; index += 1) {
      arns.push(await runToEnd(api, stateMachineArn, { input: { index, text: 'x'.repeat(10_000) } }));
    }
    const [oldest = '', second = ''] = arns;
    expect(await listed(stateMachineArn)).toEqual(arns.toReversed());
    expect(await api.client.describeExecution({ executionArn: oldest })).toMatchObject({
      ...{ executionArn: oldest, stateMachineArn, status: 'FAILED', error: 'E', cause: 'C' },
      input: expect.stringContaining('"index":0'),
      startDate: expect.any(Date),
      stopDate: expect.any(Date),
    });
    const history = (executionArn: string) =>
      api.client.getExecutionHistory({ executionArn }).then(({ events = [] }) => events.length);
    await expect(history(oldest)).rejects.toMatchObject({
      name: 'ExecutionDoesNotExist',
      message: expect.stringContaining('history was forgotten'),
    });
    expect(api.context.executions.get(oldest).execution.history).toEqual([]);
    expect(await history(second)).toBeGreaterThan(2);
    await expect(api.client.stopExecution({ executionArn: oldest })).resolves.toMatchObject({
      stopDate: expect.any(Date),
    });
  });

  test('what the children of a Map Run tell counts, and the last history stays', async () => {
    const stateMachineArn = await create(api, mapRun('EXPRESS'));
    const small = await runToEnd(api, stateMachineArn, { input: [1] });
    const large = await runToEnd(api, stateMachineArn, { input: Array(40).fill('x'.repeat(500)) });
    expect(await listed(stateMachineArn)).toEqual([large, small]);
    const runs = (executionArn: string) =>
      api.client.listMapRuns({ executionArn }).then(({ mapRuns = [] }) => mapRuns.length);
    await expect(runs(small)).rejects.toMatchObject({ name: 'ExecutionDoesNotExist' });
    expect(await runs(large)).toBe(1);
  });
});
