import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { CreateQueueCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { clientsOf } from '../../cli/clients.ts';
import { deployerOf, VERIFY_NAME } from '../../cli/verify.ts';
import type { VerifyClients } from '../../cli/verify-observe.ts';
import { folderWith } from '../support/folder.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

/** What `precise-ttl verify` makes and removes by Terraform; its experiments are in test/cli/verify. */
describeWithTerraform('the deployer of verify', () => {
  let aws: EmulatedAws;
  let clients: VerifyClients;
  const folder = folderWith();
  const before = { ...process.env };

  beforeAll(async () => {
    // Terraform writes to what this process writes to.
    const file = createWriteStream(join(folderWith(), 'terraform'));
    await once(file, 'open');
    Object.defineProperty(process, 'stderr', { value: file, configurable: true });
    aws = await startEmulatedAws();
    // Terraform runs in the environment of this process. It has no credentials but these.
    Object.assign(process.env, aws.environment, CREDENTIALS);
    const { signal } = new AbortController();
    const services = ['DYNAMODB', 'SFN', 'SQS', 'CLOUDWATCH'] as const;
    clients = await clientsOf({ services, region: 'us-east-1', signal: () => signal, quick: false });
  });

  afterAll(async () => {
    process.env = before;
    await aws?.stop();
  });

  const deployer = () => deployerOf('us-east-1', clients, folder);
  const there = async () => {
    const { TableNames = [] } = await clients.dynamoDb.send(new ListTablesCommand({}));
    const { QueueUrls = [] } = await clients.sqs.send(new ListQueuesCommand({}));
    const { stateMachines = [] } = await clients.sfn.send(new ListStateMachinesCommand({}));
    return [
      ...TableNames,
      ...QueueUrls.map(url => url.split('/').at(-1)),
      ...stateMachines.map(({ name }) => name),
    ];
  };

  test('deploys, plans nothing more; and what a run has left that was killed, the next one takes away, and nobody else', async () => {
    const killed = deployer();
    expect(await killed.removeLeft()).toBe(false);
    expect(await killed.deploy()).toMatchObject({
      stateMachineArn: `arn:aws:states:us-east-1:123456789012:stateMachine:${VERIFY_NAME}`,
      replayStateMachineArn: `arn:aws:states:us-east-1:123456789012:stateMachine:${VERIFY_NAME}-replay`,
      deployment: { unchanged: true },
    });
    expect(await there()).toEqual(
      expect.arrayContaining([VERIFY_NAME, `${VERIFY_NAME}-journal`, `${VERIFY_NAME}-dead-letters`]),
    );
    await clients.sqs.send(new CreateQueueCommand({ QueueName: 'precise-ttl-verifying' }));
    const elsewhere = deployerOf('us-east-1', clients, join(folder, 'elsewhere'));
    await expect(elsewhere.removeLeft()).rejects.toThrow(
      /^verify: expected Terraform's state in \S+ of what an earlier run/,
    );
    const next = deployer();
    expect(await next.removeLeft()).toBe(true);
    await next.remove();
    expect(await there()).toEqual(['precise-ttl-verifying']);
    expect(existsSync(join(folder, '123456789012-us-east-1'))).toBe(false);
  });

  test('the command takes everything away after a signal', async () => {
    const HOME = join(folder, 'home');
    const environment = { PATH: process.env['PATH'], HOME, ...aws.environment, ...CREDENTIALS };
    const program = join(process.cwd(), 'bin/precise-ttl.js');
    const child = spawn(process.execPath, [program, 'verify', '--region', 'us-east-1', '--yes'], {
      ...{ env: environment, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const closed = once(child, 'close');
    let output = '';
    let isStopped = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (isStopped || !output.includes('Apply complete!')) return;
        isStopped = true;
        child.kill('SIGINT');
      });
    }
    expect([await closed, output]).toEqual([[130, null], expect.stringContaining('taken away again')]);
    expect([await there(), readdirSync(join(HOME, '.precise-ttl/verify'))]).toEqual([
      ['precise-ttl-verifying'],
      [],
    ]);
  });
});
