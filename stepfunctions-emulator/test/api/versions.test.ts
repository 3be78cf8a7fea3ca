import {
  CreateStateMachineAliasCommand,
  type CreateStateMachineAliasInput,
  CreateStateMachineCommand,
  DeleteStateMachineAliasCommand,
  DeleteStateMachineCommand,
  DeleteStateMachineVersionCommand,
  DescribeExecutionCommand,
  DescribeStateMachineAliasCommand,
  DescribeStateMachineCommand,
  DescribeStateMachineForExecutionCommand,
  ListExecutionsCommand,
  ListStateMachineAliasesCommand,
  ListStateMachineVersionsCommand,
  PublishStateMachineVersionCommand,
  StartSyncExecutionCommand,
  UpdateStateMachineAliasCommand,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { pickVersion } from '../../src/api/aliases.ts';
import { seededRandom } from '../../src/interpreter/index.ts';
import { ROLE_ARN, useStepFunctionsApi } from '../support/step-functions-api.ts';
import { create, FAIL, PASS, runToEnd, WAIT } from './support.ts';

const api = useStepFunctionsApi();
const { send } = api;

/** A definition that differs from the others, and outputs its number. */
const revision = (number: number): string => PASS.replace('"End"', `"Output":${number},"End"`);

const publish = (stateMachineArn: string, rest: { revisionId?: string; description?: string } = {}) =>
  send(new PublishStateMachineVersionCommand({ stateMachineArn, ...rest }));
const update = (stateMachineArn: string, rest: object) =>
  send(new UpdateStateMachineCommand({ stateMachineArn, ...rest }));
const describeMachine = async (stateMachineArn: string) => {
  const { $metadata, ...answer } = await send(new DescribeStateMachineCommand({ stateMachineArn }));
  return answer;
};
const versionsOf = async (stateMachineArn: string) =>
  (await send(new ListStateMachineVersionsCommand({ stateMachineArn }))).stateMachineVersions?.map(
    one => one.stateMachineVersionArn,
  );
const aliasesOf = async (stateMachineArn: string) =>
  (await send(new ListStateMachineAliasesCommand({ stateMachineArn }))).stateMachineAliases?.map(
    one => one.stateMachineAliasArn,
  );
const createAlias = (
  name: string,
  routes: Record<string, number>,
  rest: Partial<CreateStateMachineAliasInput> = {},
) =>
  send(
    new CreateStateMachineAliasCommand({
      name,
      routingConfiguration: Object.entries(routes).map(([stateMachineVersionArn, weight]) => ({
        stateMachineVersionArn,
        weight,
      })),
      ...rest,
    }),
  );

/** A state machine with so many versions; version n outputs n. */
async function createVersions(count: number, type?: 'EXPRESS'): Promise<string> {
  const arn = await create(api, revision(0), type);
  for (let number = 1; number <= count; number += 1) {
    await update(arn, { definition: revision(number), publish: true });
  }
  return arn;
}

describe('versions', () => {
  test('a state machine without any has an empty list', async () => {
    expect(await versionsOf(await create(api, PASS))).toEqual([]);
  });

  test('a revision is published once, and numbers are not given again', async () => {
    const arn = await create(api, PASS);
    const first = await publish(arn, { description: 'one' });
    expect(first).toMatchObject({ stateMachineVersionArn: `${arn}:1`, creationDate: expect.any(Date) });
    expect((await publish(arn, { description: 'another' })).stateMachineVersionArn).toBe(`${arn}:1`);
    await update(arn, { definition: FAIL });
    expect((await publish(arn)).stateMachineVersionArn).toBe(`${arn}:2`);
    expect(await versionsOf(arn)).toEqual([`${arn}:2`, `${arn}:1`]);
    await send(new DeleteStateMachineVersionCommand({ stateMachineVersionArn: `${arn}:2` }));
    await send(new DeleteStateMachineVersionCommand({ stateMachineVersionArn: `${arn}:2` }));
    expect(await versionsOf(arn)).toEqual([`${arn}:1`]);
    expect((await publish(arn)).stateMachineVersionArn).toBe(`${arn}:3`);
  });

  test('are published with a creation and with an update', async () => {
    const creation = { name: 'published', definition: PASS, roleArn: ROLE_ARN, publish: true };
    const created = await send(new CreateStateMachineCommand({ ...creation, versionDescription: 'one' }));
    const { stateMachineArn = '', stateMachineVersionArn } = created;
    expect(stateMachineVersionArn).toBe(`${stateMachineArn}:1`);
    const again = await send(new CreateStateMachineCommand({ ...creation, versionDescription: 'one' }));
    expect(again.stateMachineVersionArn).toBe(stateMachineVersionArn);
    await expect(send(new CreateStateMachineCommand(creation))).rejects.toMatchObject({
      name: 'StateMachineAlreadyExists',
    });
    const unchanged = await update(stateMachineArn, { definition: PASS, publish: true });
    expect([unchanged.stateMachineVersionArn, unchanged.revisionId]).toEqual([
      stateMachineVersionArn,
      undefined,
    ]);
    const changed = await update(stateMachineArn, {
      definition: FAIL,
      publish: true,
      versionDescription: '',
    });
    expect(changed).toMatchObject({
      stateMachineVersionArn: `${stateMachineArn}:2`,
      revisionId: expect.stringMatching(/./),
    });
    expect((await update(stateMachineArn, { definition: FAIL })).revisionId).toBe(changed.revisionId);
    expect((await describeMachine(`${stateMachineArn}:1`)).description).toBe('one');
  });

  test('are described as they were published', async () => {
    const arn = await create(api, PASS);
    await publish(arn, { description: 'first' });
    const { revisionId } = await update(arn, { definition: FAIL, publish: true });
    await update(arn, { definition: WAIT });
    const described = await describeMachine(`${arn}:1`);
    expect(described).toEqual({
      stateMachineArn: `${arn}:1`,
      name: arn.split(':').at(-1),
      definition: PASS,
      description: 'first',
      roleArn: ROLE_ARN,
      status: 'ACTIVE',
      type: 'STANDARD',
      creationDate: expect.any(Date),
      loggingConfiguration: { level: 'OFF', includeExecutionData: false },
      tracingConfiguration: { enabled: false },
    });
    expect(await describeMachine(`${arn}:2`)).toMatchObject({ definition: FAIL, revisionId });
    expect(await describeMachine(arn)).toMatchObject({ stateMachineArn: arn, definition: WAIT });
  });

  test.each([
    [
      'another revision',
      { revisionId: 'other' },
      'ConflictException',
      /revision other\. .* revision is INITIAL\.$/,
    ],
    [
      'a description that is too long',
      { description: 'x'.repeat(257) },
      'ValidationException',
      /'description'/,
    ],
  ])('%s is not published', async (_what, rest, name, message) => {
    const arn = await create(api, PASS);
    await expect(publish(arn, rest)).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
    expect(await versionsOf(arn)).toEqual([]);
    expect((await publish(arn, { revisionId: 'INITIAL' })).stateMachineVersionArn).toBe(`${arn}:1`);
  });

  test('a description without a version is refused', async () => {
    const stateMachineArn = await create(api, PASS);
    const refusal = {
      name: 'ValidationException',
      message: 'Version description can only be set when publish is true',
    };
    const described = { definition: PASS, versionDescription: 'x' };
    await expect(update(stateMachineArn, described)).rejects.toMatchObject(refusal);
    await expect(
      send(new CreateStateMachineCommand({ name: 'undescribed', roleArn: ROLE_ARN, ...described })),
    ).rejects.toMatchObject(refusal);
  });

  test('cannot be updated or published again, and must be there to be described or started', async () => {
    const arn = await createVersions(1);
    const missing = (what: string) => ({
      name: 'StateMachineDoesNotExist',
      message: `State Machine Does Not Exist: '${what}'`,
    });
    await expect(update(`${arn}:1`, { definition: FAIL })).rejects.toMatchObject(missing(`${arn}:1`));
    await expect(publish(`${arn}:1`)).rejects.toMatchObject(missing(`${arn}:1`));
    await expect(describeMachine(`${arn}:2`)).rejects.toMatchObject(missing(`${arn}:2`));
    await expect(describeMachine(`${arn}:01`)).rejects.toMatchObject(missing(`${arn}:01`));
    await expect(runToEnd(api, `${arn}:2`)).rejects.toMatchObject(missing(`${arn}:2`));
  });

  test('run as they were published, and their executions say so', async () => {
    const arn = await createVersions(2);
    const executionArn = await runToEnd(api, `${arn}:1`);
    const { stateMachineArn, stateMachineVersionArn, output } = await send(
      new DescribeExecutionCommand({ executionArn }),
    );
    expect({ stateMachineArn, stateMachineVersionArn, output }).toEqual({
      stateMachineArn: arn,
      stateMachineVersionArn: `${arn}:1`,
      output: '1',
    });
    const latest = await runToEnd(api, arn);
    const listed = async (of: string) =>
      (await send(new ListExecutionsCommand({ stateMachineArn: of }))).executions?.map(one => [
        one.executionArn,
        one.stateMachineVersionArn,
        one.redriveCount,
      ]);
    expect(await listed(arn)).toEqual([
      [latest, undefined, 0],
      [executionArn, `${arn}:1`, 0],
    ]);
    expect(await listed(`${arn}:1`)).toEqual([[executionArn, `${arn}:1`, 0]]);
    expect(await listed(`${arn}:2`)).toEqual([]);
    const { definition, stateMachineArn: of } = await send(
      new DescribeStateMachineForExecutionCommand({ executionArn }),
    );
    expect([definition, of]).toEqual([revision(1), arn]);
  });

  test('of an Express state machine can be started synchronously', async () => {
    const arn = await createVersions(2, 'EXPRESS');
    const { output } = await send(new StartSyncExecutionCommand({ stateMachineArn: `${arn}:1` }));
    expect(output).toBe('1');
  });

  test('are listed page by page, at most 1,000 of them', async () => {
    const arn = await create(api, PASS);
    const { stateMachines } = api.context;
    // 1,000 updates over HTTP would take seconds.
    for (let number = 1; number <= 1_000; number += 1) {
      stateMachines.update(arn, { roleArn: `${ROLE_ARN}${number}` });
      stateMachines.versions.publish(stateMachines.get(arn), undefined);
    }
    await expect(update(arn, { definition: FAIL, publish: true })).rejects.toMatchObject({
      name: 'ServiceQuotaExceededException',
      message: expect.stringContaining('1000 versions'),
    });
    const first = await send(new ListStateMachineVersionsCommand({ stateMachineArn: arn, maxResults: 999 }));
    expect(first.stateMachineVersions?.[0]?.stateMachineVersionArn).toBe(`${arn}:1000`);
    const second = await send(
      new ListStateMachineVersionsCommand({ stateMachineArn: arn, nextToken: first.nextToken }),
    );
    expect(second.stateMachineVersions?.map(one => one.stateMachineVersionArn)).toEqual([`${arn}:1`]);
    expect(second.nextToken).toBeUndefined();
  });
});

describe('aliases', () => {
  test('are created once, described, updated and deleted', async () => {
    const arn = await createVersions(2);
    const routes = { [`${arn}:1`]: 100 };
    const { stateMachineAliasArn, creationDate } = await createAlias('PROD', routes, { description: 'live' });
    expect(stateMachineAliasArn).toBe(`${arn}:PROD`);
    expect(await createAlias('PROD', routes, { description: 'live' })).toMatchObject({ creationDate });
    const taken = {
      name: 'ConflictException',
      message: expect.stringMatching(/^Failed to create alias because an alias with the same name/),
    };
    await expect(createAlias('PROD', routes, { description: 'other' })).rejects.toMatchObject(taken);
    await expect(createAlias('PROD', { [`${arn}:2`]: 100 }, { description: 'live' })).rejects.toMatchObject(
      taken,
    );
    const updateAlias = (rest: object) =>
      send(new UpdateStateMachineAliasCommand({ stateMachineAliasArn, ...rest }));
    await updateAlias({ description: 'moving' });
    await updateAlias({
      routingConfiguration: [
        { stateMachineVersionArn: `${arn}:1`, weight: 90 },
        { stateMachineVersionArn: `${arn}:2`, weight: 10 },
      ],
    });
    const describe = () => send(new DescribeStateMachineAliasCommand({ stateMachineAliasArn }));
    const { $metadata, ...described } = await describe();
    expect(described).toEqual({
      stateMachineAliasArn,
      name: 'PROD',
      description: 'moving',
      routingConfiguration: [
        { stateMachineVersionArn: `${arn}:1`, weight: 90 },
        { stateMachineVersionArn: `${arn}:2`, weight: 10 },
      ],
      creationDate,
      updateDate: expect.any(Date),
    });
    await expect(updateAlias({})).rejects.toMatchObject({
      name: 'ValidationException',
      reason: 'MISSING_REQUIRED_PARAMETER',
    });
    await send(new DeleteStateMachineAliasCommand({ stateMachineAliasArn }));
    await send(new DeleteStateMachineAliasCommand({ stateMachineAliasArn }));
    const gone = {
      name: 'ResourceNotFound',
      message: 'Request references a resource that does not exist.',
      resourceName: stateMachineAliasArn,
    };
    await expect(describe()).rejects.toMatchObject(gone);
    await expect(updateAlias({ description: 'x' })).rejects.toMatchObject(gone);
  });

  test('are listed for the state machine and for each of its versions, the first created first', async () => {
    const arn = await createVersions(2);
    await createAlias('b', { [`${arn}:1`]: 100 });
    await createAlias('a', { [`${arn}:1`]: 50, [`${arn}:2`]: 50 });
    await createAlias('c', { [`${arn}:2`]: 100 });
    expect(await aliasesOf(arn)).toEqual([`${arn}:b`, `${arn}:a`, `${arn}:c`]);
    expect(await aliasesOf(`${arn}:1`)).toEqual([`${arn}:b`, `${arn}:a`]);
    expect(await aliasesOf(`${arn}:2`)).toEqual([`${arn}:a`, `${arn}:c`]);
    const first = await send(new ListStateMachineAliasesCommand({ stateMachineArn: arn, maxResults: 2 }));
    const second = await send(
      new ListStateMachineAliasesCommand({ stateMachineArn: arn, nextToken: first.nextToken }),
    );
    expect(second.stateMachineAliases).toEqual([
      { stateMachineAliasArn: `${arn}:c`, creationDate: expect.any(Date) },
    ]);
    for (const wrong of [`${arn}x`, `${arn}:a`]) {
      await expect(aliasesOf(wrong)).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' });
    }
  });

  test('keep their versions from being deleted', async () => {
    const arn = await createVersions(1);
    await createAlias('PROD', { [`${arn}:1`]: 100 });
    const deletion = new DeleteStateMachineVersionCommand({ stateMachineVersionArn: `${arn}:1` });
    await expect(send(deletion)).rejects.toMatchObject({
      name: 'ConflictException',
      message:
        'Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: [PROD]',
    });
    await send(new DeleteStateMachineAliasCommand({ stateMachineAliasArn: `${arn}:PROD` }));
    await send(deletion);
    expect(await versionsOf(arn)).toEqual([]);
  });

  test('go with their state machine; one of the same name begins anew', async () => {
    const arn = await createVersions(2);
    await createAlias('PROD', { [`${arn}:2`]: 100 });
    await send(new DeleteStateMachineCommand({ stateMachineArn: arn }));
    await expect(describeMachine(`${arn}:2`)).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' });
    const name = arn.split(':').at(-1);
    await send(new CreateStateMachineCommand({ name, definition: PASS, roleArn: ROLE_ARN }));
    expect(await aliasesOf(arn)).toEqual([]);
    expect((await publish(arn)).stateMachineVersionArn).toBe(`${arn}:1`);
  });

  test('lead executions to a version, which both say so', async () => {
    const arn = await createVersions(2);
    await createAlias('PROD', { [`${arn}:1`]: 100 });
    const executionArn = await runToEnd(api, `${arn}:PROD`);
    expect(await send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      output: '1',
      stateMachineArn: arn,
      stateMachineVersionArn: `${arn}:1`,
      stateMachineAliasArn: `${arn}:PROD`,
    });
    const { executions } = await send(new ListExecutionsCommand({ stateMachineArn: `${arn}:PROD` }));
    expect(executions).toMatchObject([{ executionArn, stateMachineAliasArn: `${arn}:PROD` }]);
    expect(await describeMachine(`${arn}:PROD`)).toMatchObject({
      stateMachineArn: `${arn}:1`,
      definition: revision(1),
    });
  });

  test('share executions between two versions by their weights', async () => {
    const arn = await createVersions(2);
    await createAlias('half', { [`${arn}:1`]: 50, [`${arn}:2`]: 50 });
    const ran = new Set<string | undefined>();
    for (let round = 0; round < 40 && ran.size < 2; round += 1) {
      const executionArn = await runToEnd(api, `${arn}:half`);
      ran.add((await send(new DescribeExecutionCommand({ executionArn }))).stateMachineVersionArn);
    }
    expect([...ran].sort()).toEqual([`${arn}:1`, `${arn}:2`]);
  });

  test.each([
    [100, 0, 1_000, 1_000],
    [0, 100, 0, 0],
    [70, 30, 660, 740],
    [1, 99, 3, 20],
  ])('%d and %d percent of 1,000 executions', (one, other, least, most) => {
    const random = seededRandom(7);
    const alias = api.context.stateMachines.aliases.create({
      machineArn: 'weights',
      name: `of-${one}`,
      description: undefined,
      routes: [
        { versionArn: 'one', weight: one },
        { versionArn: 'other', weight: other },
      ],
    });
    const picked = Array.from({ length: 1_000 }, () => pickVersion(alias, random));
    const first = picked.filter(version => version === 'one').length;
    expect(first).toBeGreaterThanOrEqual(least);
    expect(first).toBeLessThanOrEqual(most);
  });

  test('a weight of 0 is never picked, not even by the least random number', () => {
    const alias = {
      routes: [
        { versionArn: 'none', weight: 0 },
        { versionArn: 'all', weight: 100 },
      ],
    };
    expect(pickVersion(alias, { next: () => 0 })).toBe('all');
  });

  test.each([
    ['no route', {}, 'ValidationException', /'routingConfiguration' .* greater than or equal to 1$/],
    [
      'three routes',
      { ':1': 50, ':2': 30, ':3': 20 },
      'ValidationException',
      /length less than or equal to 2$/,
    ],
    [
      'a weight of 101',
      { ':1': 101 },
      'ValidationException',
      /^1 .* '101' at 'routingConfiguration\.1\.member\.weight' .* 100$/,
    ],
    [
      'weights of 99',
      { ':1': 70, ':2': 29 },
      'ValidationException',
      /^Sum of routing configuration weights must equal 100\. Received: \[70, 29\]$/,
    ],
    [
      'the state machine itself',
      { '': 100 },
      'ValidationException',
      /^Routing configuration must contain state machine version ARNs\. Received: \[arn:[^\]]*\]$/,
    ],
    ['versions of two state machines', { ':1': 50, 'x:1': 50 }, 'ValidationException', /one state machine/],
    ['a version that is not there', { ':9': 100 }, 'ResourceNotFound', /^Request references a resource/],
  ])('are not created with %s', async (_what, suffixes, name, message) => {
    const arn = await createVersions(2);
    const routes = Object.entries(suffixes).map(([suffix, weight]) => [`${arn}${suffix}`, weight]);
    await expect(createAlias('refused', Object.fromEntries(routes))).rejects.toMatchObject({
      name,
      message: expect.stringMatching(message),
    });
    expect(await aliasesOf(arn)).toEqual([]);
  });

  test('are not created with one version twice, or for an alias of another state machine', async () => {
    const [arn, other] = [await createVersions(1), await createVersions(1)];
    const route = { stateMachineVersionArn: `${arn}:1`, weight: 50 };
    await expect(createAlias('twice', {}, { routingConfiguration: [route, route] })).rejects.toMatchObject({
      name: 'ValidationException',
      message: `Routing configuration must contain distinct state machine version ARNs. Received: [${arn}:1, ${arn}:1]`,
      reason: 'INVALID_ROUTING_CONFIGURATION',
    });
    await createAlias('PROD', { [`${arn}:1`]: 100 });
    const routingConfiguration = [{ stateMachineVersionArn: `${other}:1`, weight: 100 }];
    await expect(
      send(new UpdateStateMachineAliasCommand({ stateMachineAliasArn: `${arn}:PROD`, routingConfiguration })),
    ).rejects.toMatchObject({ reason: 'INVALID_ROUTING_CONFIGURATION' });
  });

  test.each([
    ['123', /regular expression pattern: \^\(\?=/],
    ['a b', /regular expression pattern/],
    ['a:b', /regular expression pattern/],
    ['x'.repeat(81), /length less than or equal to 80$/],
  ])('are not named %s', async (name, message) => {
    const arn = await createVersions(1);
    await expect(createAlias(name, { [`${arn}:1`]: 100 })).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(message),
    });
  });

  test('a state machine has at most 100', async () => {
    const arn = await createVersions(1);
    const routes = { [`${arn}:1`]: 100 };
    for (let number = 1; number <= 100; number += 1) await createAlias(`alias-${number}`, routes);
    await expect(createAlias('alias-101', routes)).rejects.toMatchObject({
      name: 'ServiceQuotaExceededException',
      message: expect.stringContaining('100 aliases'),
    });
    await createAlias('alias-100', routes);
  });

  test.each(['a', 'arn:aws:states:us-east-1:123456789012:stateMachine:a'])(
    'have ARNs unlike %s',
    async arn => {
      const invalid = { name: 'InvalidArn' };
      await expect(
        send(new DescribeStateMachineAliasCommand({ stateMachineAliasArn: arn })),
      ).rejects.toMatchObject(invalid);
      await expect(
        send(new DeleteStateMachineVersionCommand({ stateMachineVersionArn: arn })),
      ).rejects.toMatchObject(invalid);
    },
  );
});

test('the ARN of an alias is none of a version', async () => {
  const command = new DeleteStateMachineVersionCommand({
    stateMachineVersionArn: `${await createVersions(1)}:PROD`,
  });
  await expect(send(command)).rejects.toMatchObject({ name: 'InvalidArn' });
});

test("the ARN of a distributed Map's state machine is refused", async () => {
  const arn = `${await create(api, PASS)}/Each`;
  await expect(describeMachine(arn)).rejects.toMatchObject({
    name: 'ValidationException',
    reason: 'API_DOES_NOT_SUPPORT_LABELED_ARNS',
  });
});
