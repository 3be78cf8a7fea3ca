import {
  create,
  FAIL,
  mapRun,
  PASS,
  ROLE_ARN,
  runToEnd,
  start,
  useStepFunctionsApi,
  WAIT,
} from './support.ts';

const api = useStepFunctionsApi();
const creation = { name: 'again', definition: PASS, roleArn: ROLE_ARN };

describe('CreateStateMachine', () => {
  test('the same again is the same; anything else of that name exists already', async () => {
    const first = await api.client.createStateMachine(creation);
    expect(first.stateMachineArn).toBe('arn:aws:states:us-east-1:123456789012:stateMachine:again');
    const { stateMachineArn, creationDate } = await api.client.createStateMachine(creation);
    expect({ stateMachineArn, creationDate }).toEqual({
      stateMachineArn: first.stateMachineArn,
      creationDate: first.creationDate,
    });
    for (const change of [{ definition: FAIL }, { type: 'EXPRESS' as const }, { roleArn: `${ROLE_ARN}2` }]) {
      await expect(api.client.createStateMachine({ ...creation, ...change })).rejects.toMatchObject({
        name: 'StateMachineAlreadyExists',
        message: `State Machine Already Exists: '${first.stateMachineArn}'`,
      });
    }
  });

  test.each([
    ['InvalidName', { name: 'a b' }, /^Invalid Name: 'a b'/],
    ['InvalidArn', { roleArn: 'somebody' }, /^Invalid Arn: 'Invalid Role Arn: 'somebody''$/],
    ['InvalidDefinition', { definition: '{' }, /'INVALID_JSON_DESCRIPTION: /],
    ['InvalidDefinition', { definition: PASS.replace('Pass', 'Past') }, /got "Past" at \/States\/A\/Type/],
    ['InvalidDefinition', { definition: PASS.replace('End', 'ItemReader') }, /at \/States\/A\/ItemReader/],
    [
      'InvalidDefinition',
      { definition: PASS.replace('"End":true', '"End":true,"X":1,"Y":2') },
      /'SCHEMA_VALIDATION_FAILED: .* at \/States\/A\/X, SCHEMA_VALIDATION_FAILED: .* at \/States\/A\/Y'$/,
    ],
    ['InvalidDefinition', { definition: PASS.replace('JSONata', 'JSONPath') }, /JSONPath/],
    ['InvalidDefinition', { definition: mapRun('EXPRESS'), type: 'EXPRESS' as const }, /Express/i],
    [
      'ValidationException',
      { publish: true },
      /^publish: expected nothing, since there are no versions here/,
    ],
    ['ValidationException', { versionDescription: 'v' }, /^versionDescription: expected nothing/],
    ['ValidationException', { tags: [{ key: 'a', value: '1' }] }, /^tags: expected nothing/],
    [
      'ValidationException',
      { name: 'x'.repeat(81) },
      /^1 .*: Value 'x+\.{0,3}' at 'name' .* length less than or equal to 80$/,
    ],
    [
      'ValidationException',
      { type: 'FAST' as 'EXPRESS' },
      /'FAST' at 'type' .* enum value set: \[STANDARD, EXPRESS\]$/,
    ],
  ])('fails with %s for %j', async (name, change, message) => {
    await expect(
      api.client.createStateMachine({ ...creation, name: 'refused', ...change }),
    ).rejects.toMatchObject({
      name,
      message: expect.stringMatching(message),
      $metadata: { httpStatusCode: 400, requestId: expect.stringMatching(/^[\da-f-]{36}$/) },
    });
  });
});

test('DescribeStateMachine says what was created', async () => {
  const { stateMachineArn } = await api.client.createStateMachine({
    name: 'described',
    definition: PASS,
    roleArn: ROLE_ARN,
    type: 'EXPRESS',
  });
  const { $metadata, ...described } = await api.client.describeStateMachine({ stateMachineArn });
  expect(described).toEqual({
    stateMachineArn,
    name: 'described',
    definition: PASS,
    roleArn: ROLE_ARN,
    type: 'EXPRESS',
    status: 'ACTIVE',
    creationDate: expect.any(Date),
  });
  expect(Math.abs(Date.now() - Number(described.creationDate))).toBeLessThan(60_000);
});

test('an update changes what is started next, not what runs', async () => {
  const stateMachineArn = await create(api, WAIT);
  const running = await start(api, stateMachineArn);
  await api.client.updateStateMachine({ stateMachineArn, definition: FAIL });
  const failed = await runToEnd(api, stateMachineArn);
  expect(api.context.executions.get(failed).execution.status).toBe('FAILED');
  expect(api.context.executions.get(running).execution.status).toBe('RUNNING');
  api.context.executions.whole(running).stop();
  await expect(api.client.updateStateMachine({ stateMachineArn })).rejects.toMatchObject({
    name: 'MissingRequiredParameter',
  });
});

test('deleting stops what runs and forgets it; deleting again is fine', async () => {
  const stateMachineArn = await create(api, WAIT);
  const executionArn = await start(api, stateMachineArn, { name: 'once' });
  const { execution } = api.context.executions.get(executionArn);
  await api.client.deleteStateMachine({ stateMachineArn });
  await api.client.deleteStateMachine({ stateMachineArn });
  expect(execution.status).toBe('ABORTED');
  await expect(api.client.describeExecution({ executionArn })).rejects.toMatchObject({
    name: 'ExecutionDoesNotExist',
  });
  await expect(api.client.describeStateMachine({ stateMachineArn })).rejects.toMatchObject({
    name: 'StateMachineDoesNotExist',
    message: `State Machine Does Not Exist: '${stateMachineArn}'`,
  });
});

test('ListStateMachines gives every one once, page by page', async () => {
  const created = [];
  for (let index = 0; index < 5; index += 1) created.push(await create(api, PASS));
  const listed: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await api.client.listStateMachines({ maxResults: 2, nextToken });
    expect(page.stateMachines?.length).toBeLessThanOrEqual(2);
    listed.push(...(page.stateMachines ?? []).map(one => one.stateMachineArn ?? ''));
    ({ nextToken } = page);
  } while (nextToken !== undefined);
  expect(listed).toEqual(api.context.stateMachines.all.map(({ arn }) => arn));
  expect(listed).toEqual(expect.arrayContaining(created));
});

// As measured on AWS: https://github.com/floci-io/floci/issues/2735 and pull requests 2786 and 2972.
describe('transitions that lead nowhere, in the words of AWS', () => {
  const pass = (next: object) => ({ Type: 'Pass', ...next });
  const end = pass({ End: true });
  const choice = { Type: 'Choice', Choices: [{ Condition: true, Next: 'X' }], Default: 'Y' };
  const missing = (name: string, location: string) =>
    `MISSING_TRANSITION_TARGET: Missing 'Next' target: ${name} at ${location}`;
  const unreachable = (name: string, location: string) =>
    `MISSING_TRANSITION_TARGET: State "${name}" is not reachable. at ${location}`;
  const noEnd = 'MISSING_END_STATE: Workflow has no terminal state at null';

  test.each<[string, Record<string, object>, string[], object?]>([
    ['a loop', { A: pass({ Next: 'B' }), B: pass({ Next: 'A' }) }, [noEnd]],
    ['a loop beside another', { A: pass({ Next: 'A' }), C: pass({ Next: 'A' }) }, [noEnd]],
    ['a loop beside an end', { A: pass({ Next: 'A' }), C: end }, [unreachable('C', '/States/C')]],
    ['Next', { A: pass({ Next: 'X' }) }, [missing('X', '/States/A/Next'), noEnd]],
    [
      'Choices and Default',
      { A: choice, B: end },
      [
        missing('X', '/States/A/Choices[0]/Next'),
        missing('Y', '/States/A/Default'),
        unreachable('B', '/States/B'),
      ],
    ],
    [
      'a branch',
      {
        A: { Type: 'Parallel', Branches: [{ StartAt: 'B', States: { B: pass({ Next: 'X' }) } }], End: true },
      },
      [missing('X', '/States/A/Branches[0]/States/B/Next')],
    ],
    ['StartAt', { A: end }, [missing('X', '/StartAt')], { StartAt: 'X' }],
  ])('%s', async (_what, States, expected, rest = {}) => {
    const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'A', States, ...rest });
    await expect(create(api, definition)).rejects.toMatchObject({
      name: 'InvalidDefinition',
      message: `Invalid State Machine Definition: '${expected.join(', ')}'`,
    });
  });
});
