import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { configOf } from '../support/configs.ts';
import { folderWith } from '../support/folder.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
import { ended } from './support/terraform-root.ts';

const PROGRAM = join(process.cwd(), 'bin/precise-ttl.js');

/** The command as a script runs it: without a terminal, in a project folder of its own. */
describeWithTerraform('deploy', () => {
  let aws: EmulatedAws;
  const project = folderWith({
    'precise-ttl.config.ts': `export default ${JSON.stringify(configOf({ tableName: 'Tokens', partitionKey: 'id' }))};\n`,
    'package.json': '{"type":"module"}',
  });

  beforeAll(async () => {
    aws = await startEmulatedAws();
  });

  afterAll(() => aws?.stop());

  const environment = () => ({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    ...aws.environment,
  });

  const deploy = async (...args: string[]) => {
    const options = { cwd: project, env: { ...environment(), CI: 'true' } };
    const { status, output } = await ended(process.execPath, [PROGRAM, 'deploy', ...args], options);
    return { status, all: stripVTControlCharacters(output) };
  };

  /** The outputs of what is deployed, as a script reads them. */
  const outputs = async (): Promise<Readonly<Record<string, { readonly value: unknown }>>> => {
    const stack = join(project, 'cdktf.out/stacks/precise-ttl');
    const args = [`-chdir=${stack}`, 'output', '-json'];
    return JSON.parse((await ended('terraform', args, { env: environment() })).stdout);
  };

  test('--diff shows what would be made, and makes nothing', async () => {
    const { status, all } = await deploy('--diff', '--', '-detailed-exitcode');
    expect([status, all]).toEqual([2, expect.stringMatching(/Plan: \d+ to add, 0 to change, 0 to destroy/)]);
    expect(await outputs()).toEqual({});
  });

  test('without a terminal, and without consent for Terraform, nothing is made', async () => {
    const { status, all } = await deploy();
    expect([status, all]).toEqual([1, expect.stringContaining('Do you want to perform these actions?')]);
    expect(await outputs()).toEqual({});
  });

  test('with -auto-approve behind -- it deploys, and has the outputs that scripts need', async () => {
    const deployed = await deploy('--', '-auto-approve');
    expect([deployed.status, deployed.all]).toEqual([0, expect.stringContaining('Apply complete!')]);
    expect((await outputs())['tables']?.value).toMatchObject({
      Tokens: {
        tableArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Tokens',
        replayStateMachineArn: 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-replay',
      },
    });
  });

  test('a plan that was kept is deployed without a question, and once only', async () => {
    const [plan, config] = [join(project, 'kept.plan'), join(project, 'precise-ttl.config.ts')];
    const before = readFileSync(config, 'utf8');
    writeFileSync(
      config,
      before.replace('"tables"', '"overrides":{"aws_cloudwatch_log_group":{"retention_in_days":7}},"tables"'),
    );
    expect((await deploy('--diff', '--', `-out=${plan}`)).status).toBe(0);
    // Another checkout, in which nothing was synthesized or initialized yet.
    rmSync(join(project, 'cdktf.out'), { recursive: true });
    const { status, all } = await deploy('--', plan);
    expect([status, all]).toEqual([0, expect.stringMatching(/0 added, [1-9]\d* changed, 0 destroyed/)]);
    expect((await deploy('--diff', '--', '-detailed-exitcode')).status).toBe(0);
    const again = await deploy('--', plan);
    expect([again.status, again.all]).toEqual([1, expect.stringContaining('Saved plan is stale')]);
    writeFileSync(config, before);
  });

  test('the provider is locked beside the configuration', () => {
    expect(readFileSync(join(project, '.terraform.lock.hcl'), 'utf8')).toContain('hashicorp/aws');
  });

  test('--destroy removes everything but the table and its items', async () => {
    const client = localDynamoDb(aws.endpoint, 'us-east-1');
    try {
      const Key = { id: { S: 'one' } };
      await client.send(new PutItemCommand({ TableName: 'Tokens', Item: Key }));
      const { status, all } = await deploy('--destroy', '--', '-auto-approve');
      expect([status, all]).toEqual([0, expect.stringMatching(/0 added, 0 changed, \d+ destroyed/)]);
      expect((await client.send(new GetItemCommand({ TableName: 'Tokens', Key }))).Item).toEqual(Key);
      expect(await outputs()).toEqual({});
    } finally {
      client.destroy();
    }
  });
});
