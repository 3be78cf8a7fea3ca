/** @jest-environment ./test/support/dynamodb-environment.ts */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { modelOf } from '../../config/model-of.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import type { With } from '../../operate/aws/clients.ts';
import type { ReplayOptions } from '../../operate/changes.ts';
import { prepareReplay } from '../../operate/replay/replay.ts';
import { sfnClient } from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { type ServedMachines, serveMachines } from '../support/served-machines.ts';
import { shellCommand } from '../support/shell-command.ts';

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

  test.each([[[]], [['--run', 'same']]])(
    'a dry run with %p counts again each time, and says when',
    async args => {
      await fill();
      const before = Math.floor(Date.now() / 1000) * 1000;
      await run([...args, '--dry-run', '--json', JSON_FILE]);
      const first = result();
      const key = { UserName: 'u', SessionId: 'c' };
      await documents().send(new DeleteCommand({ TableName: 'SessionData', Key: key }));
      const { stdout } = await run([...args, '--dry-run', '--json', JSON_FILE]);
      const second = result();
      expect([first.totals.found, second.totals.found]).toEqual([3, 2]);
      expect(second.executions).toMatchObject({ doneBefore: 0 });

      const times = second.pieces.map(({ startedAt }: { startedAt: string }) => Date.parse(startedAt)).sort();
      expect(times[0]).toBeGreaterThanOrEqual(before);
      expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
      const [, counted] = /^Counted .*?(\S+Z)/m.exec(stdout) ?? [];
      expect(counted).toBe(`${new Date(times[0]).toISOString().slice(0, 19)}Z`);
    },
  );

  test('--index scans the whole index, and names what no sweep ever deletes', async () => {
    await fill();
    const key = { UserName: 'u', SessionId: 'negative' };
    const { ttlAttribute, windowAttribute = '' } = modelOf(SESSION_DATA);
    const lies = { [ttlAttribute]: -5, [windowAttribute]: 'of nothing' };
    await documents().send(
      new BatchWriteCommand({
        RequestItems: { SessionData: [{ PutRequest: { Item: { ...key, ...lies } } }] },
      }),
    );
    const scan = (...args: string[]) =>
      replay(['--index', '--json', JSON_FILE, ...args], { AWS_ENDPOINT_URL_SFN: served.endpoint });
    const dry = await scan('--dry-run');
    expect({ status: dry.status, stderr: dry.stderr }).toEqual({ status: 0, stderr: '' });
    expect(dry.stdout).toContain('SessionData: 5 entries read, ');
    expect(dry.stdout).toContain(
      'a TTL before 1970: TTL -5 {"UserName":{"S":"u"},"SessionId":{"S":"negative"}}',
    );
    expect(await sessions()).toEqual(['a', 'b', 'c', 'live', 'negative']);

    const { status, stdout } = await scan();
    expect(status).toBe(0);
    expect(stdout).toContain('Scan of the whole index: deletes what is overdue');
    expect(await sessions()).toEqual(expect.arrayContaining(['live', 'negative']));
    expect(await sessions()).not.toContain('a');
    expect(result()).toMatchObject({
      tables: [{ status: 'SUCCEEDED', report: { scanned: 5, outOfRange: 1 } }],
    });
    await documents().send(new DeleteCommand({ TableName: 'SessionData', Key: key }));
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

  test('executions share --max-per-second, each with one delete a second at least', async () => {
    await fill();
    const { status, stdout } = await run(['--run', 'limited', '--max-per-second', '2']);
    expect(status).toBe(0);
    expect(stdout).toContain(`state machine ${MACHINE}, 1 deletes per second and execution`);
    expect(stdout).toContain('2 at a time');
    expect(await sessions()).toEqual(['live']);
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

  test('says how many executions there would be, and starts none before it is applied', async () => {
    const before = names().length;
    const { facts, apply } = await prepared({ from: HOURS[1], to: HOURS[3], run: 'told', splitMinutes: 60 });
    expect(facts).toMatchObject({ executions: 3, concurrency: 4, label: 'told' });
    expect(names()).toHaveLength(before);
    expect((await apply()).executions.done).toBe(3);
    expect(names()).toHaveLength(before + 3);
  });

  test('an error in the middle says what was done until then', async () => {
    const broken = sfnClient(served.endpoint);
    const send = broken.send.bind(broken) as (command: unknown) => Promise<unknown>;
    let started = 0;
    broken.send = (async (command: unknown) => {
      if (command instanceof StartExecutionCommand && ++started === 3) throw new Error('no more');
      return send(command);
    }) as typeof broken.send;
    const { apply } = await prepared({
      ...{ from: HOURS[1], to: HOURS[3], run: 'broken', splitMinutes: 60, concurrency: 1 },
      clients: { sfn: broken, where: () => served.endpoint },
    });
    const error = await apply().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'StoppedError',
      cause: { message: 'no more' },
      result: { interrupted: true, executions: { planned: 3, done: 2 } },
    });
  });

  test('fails when the state machine is not deployed, and names it', async () => {
    const config = configOf({ ...SESSION_DATA, sweep: 'elsewhere' });
    await expect(prepared({ config, from: HOURS[1], to: HOURS[3] })).rejects.toThrow(
      `state machine: expected elsewhere-replay at ${served.endpoint}, got none of that name`,
    );
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
