/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type ReplayJobOptions, runReplay } from '../../cli/replay/job.ts';
import { modelOf } from '../../config/model-of.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { sfnClient } from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { type ServedMachines, serveMachines } from '../support/served-machines.ts';
import { shellCommand } from '../support/shell-command.ts';
import { configOf, SESSION_DATA } from '../support/synthesized.ts';

const MACHINE = 'precise-ttl-replay';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-replay-test-'));
const JSON_FILE = join(folder, 'out.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const replay = shellCommand('replay');

/** On a port where nobody listens: a command that asks AWS for something before it must, fails another way. */
const NOWHERE = { AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:9' };
const SPAN = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T01:00:00Z'];

test('--help says what it does', async () => {
  const { status, stdout } = await replay(['--help'], {});
  expect(status).toBe(0);
  for (const flag of ['--from', '--to', '--table', '--dry-run', '--run', '--yes'])
    expect(stdout).toContain(flag);
});

test.each([
  [['--form', 'x'], '--form: expected one of --from, --to, --index, --table'],
  [[], '--from: expected a time in ISO-8601 with a zone, got nothing'],
  [['--from', 'monday', '--to', '2026-01-01T01:00:00Z'], '--from: expected a time in ISO-8601 with a zone'],
  [
    ['--from', '2026-01-01T00:00:00Z', '--to', '2999-01-01T00:00:00Z'],
    '--to: expected a time that has passed',
  ],
  [[...SPAN, '--table', 'Other'], '--table: expected one of SessionData, got "Other"'],
  [['--index', ...SPAN], '--from: it does not go with --index, which reads the whole index'],
  [[...SPAN, '--run', 'a:b'], '--run: expected 1 to 20 letters'],
  [[...SPAN, '--split-minutes', '0'], '--split-minutes: expected a whole number from 1 to 44640, got "0"'],
  [
    [...SPAN, '--max-per-second', '0'],
    '--max-per-second: expected a whole number from 1 to 1000000, got "0"',
  ],
  [
    [...SPAN, '--json', '/no/such/folder/out.json'],
    '--json: expected a file in a folder that can be written',
  ],
])('fails with status 2 for %p', async (args, message) => {
  const { status, stdout, stderr } = await replay(args, NOWHERE);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each<[string, Record<string, string>, number, string]>([
  [
    'nobody listens',
    NOWHERE,
    1,
    'AWS_ENDPOINT_URL_SFN: expected Step Functions at http://127.0.0.1:9, got ECONNREFUSED; start npx precise-ttl local in ' +
      'another terminal, or unset AWS_ENDPOINT_URL_SFN for AWS',
  ],
  [
    'nobody listens at the endpoint for every service',
    { AWS_ENDPOINT_URL: 'http://localhost:9' },
    1,
    'AWS_ENDPOINT_URL: expected Step Functions at http://localhost:9, got ECONNREFUSED; start npx precise-ttl local',
  ],
  [
    'the endpoint is no URL',
    { AWS_ENDPOINT_URL_SFN: 'here' },
    2,
    'AWS_ENDPOINT_URL_SFN: expected a URL such as',
  ],
])('fails and says so where %s', async (_where, environment, expected, message) => {
  const { status, stderr } = await replay(SPAN, environment);
  expect(status).toBe(expected);
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

// Before anything is asked of AWS: without network, or credentials, it would fail another way.
test.each([
  ['', SPAN, '--yes: expected it where no terminal is there to ask at'],
  [', after a wrong --from', ['--from', 'monday', ...SPAN.slice(2)], '--from: expected a time in ISO-8601'],
  [', after a wrong --table', [...SPAN, '--table', 'Other'], '--table: expected one of SessionData'],
  [', after a wrong --run', [...SPAN, '--run', 'a:b'], '--run: expected 1 to 20 letters'],
])('on AWS it asks for --yes where there is no terminal%s', async (_after, args, message) => {
  const { status, stdout, stderr } = await replay(args, {});
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

describe('against the local Step Functions', () => {
  let served: ServedMachines;
  beforeAll(async () => {
    served = await serveMachines(configOf(SESSION_DATA), 'delete-chunk');
  });
  afterAll(() => served?.stop());

  const HOUR = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
  const iso = (epochSeconds: number): string => new Date(epochSeconds * 1000).toISOString();
  /** Three hours, three executions; items expire in the first and the last. */
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

  /** The job as the command runs it, at an endpoint that isn't on this machine. */
  function runOnAws(over: Partial<ReplayJobOptions>) {
    const printed: string[] = [];
    const end = runReplay({
      from: HOURS[1],
      to: HOURS[3],
      table: undefined,
      dryRun: false,
      maxPerSecond: undefined,
      splitMinutes: 60,
      concurrency: 4,
      label: 'aws',
      resultFile: undefined,
      config: configOf(SESSION_DATA),
      connect: region => ({
        sfn: sfnClient(served.endpoint),
        endpoint: () => new URL(`https://states.${region}.amazonaws.com`),
      }),
      confirm: async () => false,
      now: Date.now(),
      print: text => printed.push(text),
      signal: new AbortController().signal,
      ...over,
    });
    return { end, printed };
  }
  test('on AWS it says what it is about to do, asks, and does nothing without a yes', async () => {
    const before = names().length;
    const { end, printed } = runOnAws({});
    expect(await end).toBe('declined');
    expect(printed.join('\n')).toContain(
      'endpoint    https://states.us-east-1.amazonaws.com, region us-east-1',
    );
    expect(printed.join('\n')).toContain('executions  3, of 60 minutes at most, 4 at a time');
    expect(names()).toHaveLength(before);
    expect(await runOnAws({ confirm: async () => true }).end).toBe('done');
    expect(names()).toHaveLength(before + 3);
  });

  test('on AWS a dry run needs no yes', async () => {
    expect(await runOnAws({ dryRun: true }).end).toBe('done');
  });

  test('fails when the state machine is not deployed, and names it', async () => {
    const config = configOf({ ...SESSION_DATA, sweep: 'elsewhere' });
    await expect(runOnAws({ config }).end).rejects.toThrow(
      'state machine: expected elsewhere-replay at https://states.us-east-1.amazonaws.com, got none of that name',
    );
  });
});
