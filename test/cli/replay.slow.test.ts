/** @jest-environment ./test/support/dynamodb-environment.ts */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { ApiServer, type Executions } from 'stepfunctions-emulator';
import type { DeploymentConfig } from '../../config/config.ts';
import { modelOf } from '../../config/deployments.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { LocalCloud } from '../../local/cloud.ts';
import type { With } from '../../operate/aws/clients.ts';
import type { ReplayOptions } from '../../operate/changes.ts';
import { prepareReplay } from '../../operate/replay/replay.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { sfnClient } from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { shellCommand } from '../support/shell.ts';

/** A deployment without schedules, whose state machines are started by the API of Step Functions. */
interface ServedMachines {
  readonly cloud: LocalCloud;
  /** Of the API. */
  readonly endpoint: string;
  readonly executions: Executions;
  /** What is done to the calls of one function. A test may change it at any time. */
  readonly calls: {
    /** They wait for it. */
    gate: Promise<void>;
    /** Then they fail. */
    fail: boolean;
  };
  stop(): Promise<void>;
}

/**
 * Serves what is synthesized of a configuration.
 *
 * @param task how the name of the function ends whose calls a test can hold, or let fail
 */
async function serveMachines(config: DeploymentConfig, task: string): Promise<ServedMachines> {
  const calls = { gate: Promise.resolve(), fail: false };
  const cloud = await LocalCloud.start({
    stack: plainStack(config),
    dynamoDb: dynamoDbOfFile(),
    environment: {},
    schedules: false,
    functions: {
      maxConcurrency: 2,
      async wrap({ functionName }, next) {
        if (!functionName.endsWith(task)) return next();
        await calls.gate;
        return calls.fail ? { ok: false, errorType: 'Broken', errorMessage: 'as the test wants it' } : next();
      },
    },
  });
  const server = await ApiServer.start(cloud.stepFunctions);
  return {
    cloud,
    endpoint: server.endpoint,
    executions: cloud.stepFunctions.executions,
    calls,
    async stop() {
      await server.stop();
      await cloud.stop();
    },
  };
}

const MACHINE = 'precise-ttl-replay';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-replay-test-'));
const JSON_FILE = join(folder, 'out.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const replay = shellCommand('replay');

describe('against the local Step Functions', () => {
  let served: ServedMachines;
  beforeAll(async () => {
    served = await serveMachines(configOf(SESSION_DATA), 'delete-chunk');
  });
  afterAll(() => served?.stop());

  const HOUR = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
  const iso = (epochSeconds: number): string => new Date(epochSeconds * 1000).toISOString();
  /** Three hours in three executions; items expire in the first and the last hour. */
  const HOURS = ['--from', iso(HOUR - 3 * 3600), '--to', iso(HOUR)];

  const documents = () => DynamoDBDocumentClient.from(served.cloud.client);
  async function fill(): Promise<void> {
    const model = modelOf(SESSION_DATA);
    const at = (id: string, expiresAt: number) => {
      const key = { UserName: 'u', SessionId: id };
      return { PutRequest: { Item: { ...key, ...expiryAttributes(model, key, { expiresAt }) } } };
    };
    const requests = [
      at('a', HOUR - 3 * 3600),
      at('b', HOUR - 2 * 3600 - 1),
      at('c', HOUR - 1),
      at('live', HOUR + 24 * 3600),
    ];
    await documents().send(new BatchWriteCommand({ RequestItems: { SessionData: requests } }));
  }
  async function sessions(): Promise<unknown[]> {
    const { Items = [] } = await documents().send(new ScanCommand({ TableName: 'SessionData' }));
    return Items.map(({ SessionId }) => SessionId).sort();
  }
  const run = (args: readonly string[], onStart?: Parameters<typeof replay>[2]) =>
    replay([...HOURS, ...args], { AWS_ENDPOINT_URL_SFN: served.endpoint }, onStart);
  const names = (): string[] =>
    served.executions
      .of(served.cloud.machines.find(({ name }) => name === MACHINE)?.arn ?? '')
      .map(({ execution }) => execution.name);
  const result = () => JSON.parse(readFileSync(JSON_FILE, 'utf8'));

  test('a dry run finds, says what a run would consume, and deletes nothing', async () => {
    await fill();
    const { status, stdout, stderr } = await run(['--dry-run', '--json', JSON_FILE]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`endpoint    ${served.endpoint}, region us-east-1`);
    expect(stdout).toContain(`table       SessionData, state machine ${MACHINE}`);
    expect(stdout).toContain('found 2, a real run consumes at least 4 write units');
    expect(stdout).toContain('such as {"UserName":{"S":"u"},"SessionId":{"S":"a"}}');
    expect(stdout).not.toContain(served.cloud.synthesized.account);
    expect(result()).toMatchObject({
      dryRun: true,
      interrupted: false,
      executions: { planned: 3, done: 3, doneBefore: 0, failed: 0 },
      totals: { found: 3, deleted: 0 },
      writeUnitsAtLeast: 6,
    });
    expect(await sessions()).toEqual(['a', 'b', 'c', 'live']);
  });

  test('what fails is reported, tried again by the same command, and then done for good', async () => {
    await fill();
    served.calls.fail = true;
    const failed = await run([]);
    served.calls.fail = false;
    expect(failed.status).toBe(1);
    expect(failed.stdout).toContain('FAILED replay-');
    expect(failed.stdout).toContain('SweepIncompleteError');
    expect(failed.stderr).toContain(`npx precise-ttl replay ${HOURS.join(' ')}`);
    expect(await sessions()).toEqual(['a', 'b', 'c', 'live']);

    const again = await run(['--json', JSON_FILE]);
    expect({ status: again.status, stderr: again.stderr }).toEqual({ status: 0, stderr: '' });
    expect(result()).toMatchObject({
      executions: { planned: 3, done: 3, doneBefore: 1, failed: 0 },
      totals: { found: 3, deleted: 3, renewed: 0, notFound: 0, failed: 0, shardsFailed: 0 },
    });
    expect(await sessions()).toEqual(['live']);

    const before = names();
    expect(before.filter(name => /^replay-.*-2$/.test(name))).toHaveLength(2);
    const done = await run(['--json', JSON_FILE]);
    expect(done.status).toBe(0);
    expect(done.stdout).toContain('All of it was done before.');
    expect(result()).toMatchObject({ executions: { doneBefore: 3 }, totals: { found: 3, deleted: 3 } });
    expect(names()).toEqual(before);
  });

  test('says how many executions there would be, and starts none before it is applied', async () => {
    const before = names().length;
    const { facts, apply } = await prepared({
      ...{ from: HOURS[1], to: HOURS[3], run: 'told', splitMinutes: 60, maxPerSecond: 3 },
    });
    // The limit is shared, with one delete a second and execution at least.
    expect(facts).toMatchObject({ executions: 3, concurrency: 3, label: 'told' });
    expect(facts.tables).toMatchObject([{ maxDeletesPerSecond: 1 }]);
    expect(names()).toHaveLength(before);
    expect((await apply()).executions.done).toBe(3);
    expect(names()).toHaveLength(before + 3);
  });

  test('Ctrl-C leaves executions running; the same command goes on with them', async () => {
    await fill();
    let open = () => {};
    served.calls.gate = new Promise(resolve => {
      open = resolve;
    });
    const before = names().length;
    const interrupted = await run(['--run', 'slow', '--concurrency', '1'], async child => {
      while (served.cloud.running.length === 0) await sleep(20);
      child.kill('SIGINT');
    });
    expect(interrupted.status).toBe(130);
    expect(interrupted.stderr).toContain('Interrupted; executions that were started go on.');
    expect(interrupted.stderr).toContain(`${HOURS.join(' ')} --run slow --concurrency 1`);
    expect(served.cloud.running).toHaveLength(1);
    setTimeout(open, 500);
    expect(await run(['--run', 'slow'])).toMatchObject({ status: 0, stderr: '' });
    expect(names().length - before).toBe(3);
    expect(await sessions()).toEqual(['live']);
  });

  const prepared = (
    options: Partial<ReplayOptions & With<'sfn' | 'where'>> & Pick<ReplayOptions, 'from' | 'to'>,
  ) =>
    prepareReplay({
      config: configOf(SESSION_DATA),
      clients: { sfn: sfnClient(served.endpoint), where: () => served.endpoint },
      ...options,
    });
});
