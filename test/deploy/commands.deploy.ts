import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
import { run } from './support/terraform-root.ts';

const CHECKOUT = process.cwd();

/** The command as a script runs it: without a terminal, in a project folder of its own. */
describeWithTerraform('deploy', () => {
  let aws: EmulatedAws;
  const project = mkdtempSync(join(tmpdir(), 'precise-ttl-project-'));

  beforeAll(async () => {
    aws = await startEmulatedAws();
    const tables = [{ tableName: 'Tokens', partitionKey: 'id' }];
    writeFileSync(
      join(project, 'precise-ttl.config.ts'),
      `export default ${JSON.stringify({ region: 'us-east-1', tables })};\n`,
    );
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  });

  afterAll(() => aws?.stop());

  const deploy = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...aws.environment, CI: 'true' };
    const program = join(CHECKOUT, 'bin/precise-ttl.js');
    const ended = run(process.execPath, [program, 'deploy', ...args], {
      cwd: project,
      env,
      maxBuffer: 2 ** 26,
    });
    ended.child.stdin?.end();
    return ended.then(
      ({ stdout, stderr }) => ({ status: 0, stdout, all: stripVTControlCharacters(stdout + stderr) }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        status: error.code,
        stdout: error.stdout,
        all: stripVTControlCharacters(error.stdout + error.stderr),
      }),
    );
  };

  /** The outputs of what is deployed, as a script reads them. */
  const outputs = async (): Promise<Readonly<Record<string, { readonly value: unknown }>>> => {
    const stack = join(project, 'cdktf.out/stacks/precise-ttl');
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...aws.environment };
    const { stdout } = await run('terraform', [`-chdir=${stack}`, 'output', '-json'], { env });
    return JSON.parse(stdout);
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
