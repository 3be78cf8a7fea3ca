import {
  CreateStateMachineAliasCommand,
  CreateStateMachineCommand,
  DeleteStateMachineAliasCommand,
  DeleteStateMachineCommand,
  DescribeStateMachineAliasCommand,
  DescribeStateMachineCommand,
  ListStateMachineAliasesCommand,
  ListStateMachinesCommand,
  ListStateMachineVersionsCommand,
  ListTagsForResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateStateMachineAliasCommand,
  UpdateStateMachineCommand,
  ValidateStateMachineDefinitionCommand,
} from '@aws-sdk/client-sfn';
import { ROLE_ARN, useStepFunctionsApi } from '../support/step-functions-api.ts';
import { FAIL, PASS } from './support.ts';

/**
 * The calls that hashicorp/aws makes for aws_sfn_state_machine, aws_sfn_alias and the data sources, in its order, with
 * what it sends where the configuration says nothing (internal/service/sfn in its repository, version 6).
 */

const api = useStepFunctionsApi();
const { send } = api;

/** `terraform plan` of a definition that is new or changed. */
const plan = async (definition: string) => {
  const { result, diagnostics } = await send(
    new ValidateStateMachineDefinitionCommand({ definition, type: 'STANDARD' }),
  );
  expect([result, diagnostics]).toEqual(['OK', []]);
};

/** The attributes that are read into the state after every step, and before every plan. */
async function read(stateMachineArn: string) {
  const machine = await send(new DescribeStateMachineCommand({ stateMachineArn }));
  const { stateMachineVersions = [] } = await send(new ListStateMachineVersionsCommand({ stateMachineArn }));
  const { tags } = await send(new ListTagsForResourceCommand({ resourceArn: stateMachineArn }));
  const versionArn = stateMachineVersions[0]?.stateMachineVersionArn;
  return { ...machine, versionArn, tags };
}

const readAlias = async (stateMachineAliasArn: string) => {
  const { $metadata, ...alias } = await send(new DescribeStateMachineAliasCommand({ stateMachineAliasArn }));
  return alias;
};

test('apply, plan, a change, another plan and destroy find what they need', async () => {
  await plan(PASS);
  const { stateMachineArn = '' } = await send(
    new CreateStateMachineCommand({
      name: 'deployed',
      definition: PASS,
      roleArn: ROLE_ARN,
      type: 'STANDARD',
      publish: true,
      tags: [{ key: 'team', value: 'a' }],
      loggingConfiguration: { includeExecutionData: false, level: 'OFF' },
      // SDKs for Go leave out what is false.
      tracingConfiguration: {},
    }),
  );
  const created = await read(stateMachineArn);
  expect(created).toMatchObject({
    definition: PASS,
    status: 'ACTIVE',
    type: 'STANDARD',
    versionArn: `${stateMachineArn}:1`,
    tags: [{ key: 'team', value: 'a' }],
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    tracingConfiguration: { enabled: false },
  });
  const { stateMachineAliasArn = '' } = await send(
    new CreateStateMachineAliasCommand({
      name: 'live',
      description: '',
      routingConfiguration: [{ stateMachineVersionArn: created.versionArn, weight: 100 }],
    }),
  );
  expect(await readAlias(stateMachineAliasArn)).toMatchObject({ name: 'live', description: '' });

  // A plan without changes reads, and finds the same.
  const { $metadata, ...before } = created;
  expect(await read(stateMachineArn)).toMatchObject(before);

  await plan(FAIL);
  await send(
    new UpdateStateMachineCommand({
      stateMachineArn,
      definition: FAIL,
      roleArn: ROLE_ARN,
      publish: true,
      versionDescription: '',
    }),
  );
  // The provider asks until the definition is the new one.
  expect((await read(stateMachineArn)).definition).toBe(FAIL);
  const { versionArn } = await read(stateMachineArn);
  expect(versionArn).toBe(`${stateMachineArn}:2`);
  await send(
    new UpdateStateMachineAliasCommand({
      stateMachineAliasArn,
      routingConfiguration: [{ stateMachineVersionArn: versionArn, weight: 100 }],
    }),
  );
  await send(new UntagResourceCommand({ resourceArn: stateMachineArn, tagKeys: ['team'] }));
  await send(new TagResourceCommand({ resourceArn: stateMachineArn, tags: [{ key: 'owner', value: 'b' }] }));
  expect((await read(stateMachineArn)).tags).toEqual([{ key: 'owner', value: 'b' }]);

  await send(new DeleteStateMachineAliasCommand({ stateMachineAliasArn }));
  await send(new DeleteStateMachineCommand({ stateMachineArn }));
  // The provider asks until it is told that there is none.
  await expect(read(stateMachineArn)).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' });
  await expect(readAlias(stateMachineAliasArn)).rejects.toMatchObject({ name: 'ResourceNotFound' });
});

test('data sources find a state machine, its versions and its alias by name', async () => {
  const { stateMachineArn = '' } = await send(
    new CreateStateMachineCommand({ name: 'found', definition: PASS, roleArn: ROLE_ARN, publish: true }),
  );
  await send(
    new CreateStateMachineAliasCommand({
      name: 'live',
      routingConfiguration: [{ stateMachineVersionArn: `${stateMachineArn}:1`, weight: 100 }],
    }),
  );
  const { stateMachines } = await send(new ListStateMachinesCommand({}));
  expect(stateMachines?.find(one => one.name === 'found')?.stateMachineArn).toBe(stateMachineArn);
  const { stateMachineAliases = [] } = await send(new ListStateMachineAliasesCommand({ stateMachineArn }));
  const aliases = await Promise.all(
    stateMachineAliases.map(one => readAlias(one.stateMachineAliasArn ?? '')),
  );
  expect(aliases.map(alias => alias.name)).toEqual(['live']);
  expect((await read(stateMachineArn)).versionArn).toBe(`${stateMachineArn}:1`);
  expect(api.errors).toEqual([]);
});
