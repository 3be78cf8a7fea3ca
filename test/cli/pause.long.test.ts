/** @jest-environment ./test/support/dynamodb-environment.ts */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes } from '../../expiry/index.ts';
import { type ServedCloud, serve } from '../../local/serve.ts';
import { modelOf } from '../../stacks/model-of.ts';
import { SteppedClock } from '../../testing/stepped-clock.ts';
import { freePort } from '../support/free-port.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { schedulerClient } from '../support/scheduler-client.ts';
import { configOf, synthesizeToFolder } from '../support/synthesized.ts';

const COMMAND = join(import.meta.dirname, '../../bin/precise-ttl.js');
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-pause-test-'));
const CONFIG = join(folder, 'precise-ttl.config.json');
const JSON_FILE = join(folder, 'out.json');
const SESSIONS = { tableName: 'Sessions', partitionKey: 'id', shards: 1 };
const TOKENS = { tableName: 'Tokens', partitionKey: 'id', indexedBy: 'second' as const };
writeFileSync(CONFIG, JSON.stringify({ region: 'us-east-1', tables: [SESSIONS, TOKENS] }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  AWS_EC2_METADATA_DISABLED: 'true',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [COMMAND, ...args, '--config', CONFIG], {
      env: { ...ENVIRONMENT, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (data: Buffer) => {
        printed[name] += data;
      });
    }
    child.on('close', status => resolve({ status, ...printed }));
  });
}

const NOWHERE = {
  AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:9',
  AWS_ENDPOINT_URL_SCHEDULER: 'http://127.0.0.1:9',
};

test.each<[string[], Readonly<Record<string, string>>, number, string]>([
  [['pause', '--for', '2'], NOWHERE, 2, '--for: expected a whole number and s, m, h or d'],
  [['pause'], {}, 2, '--yes: expected it where no terminal is there to ask at'],
  [['limit', '--table', 'Tokens', '--off'], {}, 2, '--yes: expected it where no terminal is there to ask at'],
  [['limit', '--table', 'Tokens'], NOWHERE, 2, '--max-per-second: expected either it or --off, got neither'],
  [['limit', '--off'], NOWHERE, 2, '--table: expected one of Sessions, Tokens, got none'],
  [
    ['pause'],
    { AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:9' },
    2,
    'AWS_ENDPOINT_URL_SCHEDULER: expected an endpoint on this machine for EventBridge Scheduler',
  ],
  [
    ['pause'],
    NOWHERE,
    1,
    'AWS_ENDPOINT_URL_SCHEDULER: expected EventBridge Scheduler at http://127.0.0.1:9, got ECONNREFUSED',
  ],
])('%j ends before anything is asked of AWS, in %j', async (args, environment, expected, message) => {
  const { status, stdout, stderr } = await run(args, environment);
  expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

describe('on the local deployment', () => {
  // What the commands take for now is the wall clock: this one reaches it when the sweeps are to go on.
  const start = Math.floor(Date.now() / 60_000) * 60_000 - 17 * 60_000;
  const clock = new SteppedClock(start);
  let served: ServedCloud;
  let scheduler: SchedulerClient;
  let documents: DynamoDBDocumentClient;

  beforeAll(async () => {
    const [dynamoDbPort, sfnPort, schedulerPort] = [await freePort(), await freePort(), await freePort()];
    served = await serve({
      dynamoDbPort,
      sfnPort,
      schedulerPort,
      cloudWatchPort: await freePort(),
      cdktfOut: synthesizeToFolder(configOf(SESSIONS, TOKENS)),
      schedules: true,
      environment: { AWS_ENDPOINT_URL_DYNAMODB: dynamoDbOfFile().endpoint },
      clock,
      onExecution: () => {},
      onScheduleError: error => {
        throw error;
      },
    });
    scheduler = schedulerClient(served.schedulerEndpoint);
    documents = DynamoDBDocumentClient.from(served.cloud.client);
    await command('pause', '--table', 'Tokens');
  }, 60_000);
  afterAll(async () => {
    scheduler?.destroy();
    await served?.stop();
  });

  const command = (...args: string[]) =>
    run(args, {
      AWS_ENDPOINT_URL_SFN: served.endpoint,
      AWS_ENDPOINT_URL_SCHEDULER: served.schedulerEndpoint,
    });
  /** The clock of the deployment goes with the wall clock meanwhile. */
  const besideTime = async <T>(work: Promise<T>): Promise<T> => {
    const state = { ended: false };
    const ended = work.finally(() => {
      state.ended = true;
    });
    while (!state.ended) {
      await clock.advance(Math.max(0, Date.now() - clock.now()));
      await sleep(20);
    }
    return ended;
  };
  const schedule = (id: string, table = 'Sessions') =>
    scheduler.send(
      new GetScheduleCommand({ Name: `precise-ttl-${table}-${id}`, GroupName: `precise-ttl-${table}` }),
    );
  const written = () => JSON.parse(readFileSync(JSON_FILE, 'utf8'));
  const expiredLeft = async () => {
    const { Items = [] } = await documents.send(new ScanCommand({ TableName: 'Sessions' }));
    return Items.filter(({ ttl }) => ttl * 1000 < clock.now() - 2000).length;
  };
  /** An item expires every ten seconds, from the first minute on. */
  const fill = async () => {
    const model = modelOf(SESSIONS);
    const items = Array.from({ length: 120 }, (_unused, index) => {
      const key = { id: `session-${index}` };
      const expiresAt = Math.floor(start / 1000) + 60 + index * 10;
      return { PutRequest: { Item: { ...key, ...expiryAttributes(model, key, { expiresAt }) } } };
    });
    for (let from = 0; from < items.length; from += 25) {
      const batch = items.slice(from, from + 25);
      await documents.send(new BatchWriteCommand({ RequestItems: { Sessions: batch } }));
    }
  };

  test('what expired in a pause under load is gone after it, and how late is reported', async () => {
    await fill();
    await clock.advance(3 * 60_000);
    expect(await expiredLeft()).toBe(0);

    const paused = await command('pause', '--table', 'Sessions', '--json', JSON_FILE);
    expect(paused).toMatchObject({ status: 0, stderr: '' });
    expect(paused.stdout).toMatch(
      /^Sessions: paused\. \d executions? (is|are) open and goe?s? on to (its|their) end:$/m,
    );
    // To be pasted as it is: the configuration is not where a command looks for it.
    expect(paused.stdout).toContain(
      `It goes on with npx node bin/precise-ttl.js resume --table Sessions --config ${CONFIG}, which`,
    );
    expect(paused.stdout).toContain(
      'The alarm precise-ttl-Sessions-no-sweep will sound about 5 to 7 minutes from now: it reminds of the pause, and ends when',
    );
    expect(paused.stdout).not.toContain('precise-ttl-Tokens-no-sweep');
    expect(written().tables).toMatchObject([{ table: 'Sessions', until: null }]);
    expect((await schedule('tick')).State).toBe('DISABLED');
    expect((await schedule('reconcile')).State).toBe('DISABLED');

    // The open ones end by themselves; then nothing is deleted.
    await clock.advance(6 * 60_000);
    const before = await expiredLeft();
    expect(before).toBeGreaterThan(15);
    const again = await command('pause', '--table', 'Sessions');
    expect(again.stdout).toContain('Sessions, 2 schedules, paused');
    expect(again.stdout).toContain('No execution is open.');
    await clock.advance(Date.now() - clock.now());
    const left = await expiredLeft();
    expect(left).toBeGreaterThan(before);

    const counted = await besideTime(
      command('resume', '--table', 'Sessions', '--dry-run', '--json', JSON_FILE),
    );
    expect(counted).toMatchObject({ status: 0, stderr: '' });
    const [{ executions: dry, missed }] = written().tables;
    const found = dry.reduce((sum: number, one: { found: number }) => sum + one.found, 0);
    expect(found).toBeGreaterThanOrEqual(left);
    // The tick of the third minute was the last one.
    expect(missed.from).toBe(new Date(start + 3 * 60_000).toISOString().replace('.000Z', 'Z'));
    expect((await schedule('tick')).State).toBe('DISABLED');

    const resumed = await besideTime(command('resume', '--table', 'Sessions', '--json', JSON_FILE));
    expect(resumed).toMatchObject({ status: 0, stderr: '' });
    expect(resumed.stdout).toContain('The schedules are on: the next tick comes within a minute.');
    expect(resumed.stdout).toMatch(
      /Sessions: 99% of what expired meanwhile was deleted at most 1\d min( \d+ s)? late\./,
    );
    expect((await schedule('tick')).State).toBe('ENABLED');
    expect((await schedule('tick', 'Tokens')).State).toBe('DISABLED');
    const [{ executions, lagP99Ms, replay }] = written().tables;
    const deleted = executions.reduce((sum: number, one: { deleted: number }) => sum + one.deleted, 0);
    expect(deleted).toBeGreaterThanOrEqual(left);
    expect(lagP99Ms).toBeGreaterThan(8 * 60_000);
    expect(replay).toBe('done');
    // It goes by what ran: once more it finds the same time, and nothing in it.
    const once = await besideTime(command('resume', '--table', 'Sessions', '--json', JSON_FILE));
    expect(once.status).toBe(0);
    expect(once.stdout).toContain('The schedules were on already.');
    expect(written().tables).toMatchObject([{ missed: { from: missed.from } }]);

    // What expired since is the first tick's, or goes when the minute begins that this tick owns.
    await clock.advance(150_000);
    expect(await expiredLeft()).toBe(0);
  }, 120_000);

  test('for a while, the schedules have a start date, and a pause without an end takes its place', async () => {
    const now = Date.now();
    expect(await command('pause', '--table', 'Tokens', '--for', '30m')).toMatchObject({
      status: 0,
      stderr: '',
    });
    const { State, StartDate = new Date(0) } = await schedule('tick', 'Tokens');
    expect(State).toBe('ENABLED');
    expect(StartDate.getTime() - now).toBeGreaterThanOrEqual(30 * 60_000);
    const { at = 0 } =
      served.cloud.upcoming().find(each => each.schedule.name === 'precise-ttl-Tokens-tick') ?? {};
    expect(at).toBe(Math.ceil(StartDate.getTime() / 60_000) * 60_000);

    // A pause without an end takes its place, and a limit leaves it.
    await command('pause', '--table', 'Tokens');
    expect(await schedule('tick', 'Tokens')).toMatchObject({ State: 'DISABLED' });
    expect((await schedule('tick', 'Tokens')).StartDate).toBeUndefined();
    await command('limit', '--table', 'Tokens', '--max-per-second', '5');
    expect(await schedule('tick', 'Tokens')).toMatchObject({ State: 'DISABLED' });
    const { stdout } = await command('resume', '--table', 'Tokens', '--no-replay');
    expect(stdout).toContain('The schedules are on');
    expect((await schedule('tick', 'Tokens')).State).toBe('ENABLED');
  }, 60_000);

  test('a limit is in the inputs of all schedules of the table, until it is taken out', async () => {
    await command('limit', '--table', 'Sessions', '--off');
    const inputs = async () =>
      Promise.all(['tick', 'reconcile'].map(async id => (await schedule(id)).Target?.Input ?? ''));
    const before = await inputs();
    const other = (await schedule('tick', 'Tokens')).Target;
    const limited = await command(
      'limit',
      '--table',
      'Sessions',
      '--max-per-second',
      '200',
      '--json',
      JSON_FILE,
    );
    expect(limited).toMatchObject({ status: 0, stderr: '' });
    expect(limited.stdout).toContain('Sessions: at most 200 deletes a second, from the next tick on.');
    expect(written()).toEqual({ table: 'Sessions', maxDeletesPerSecond: 200, changed: 2 });
    expect(await inputs()).toEqual(before.map(text => text.replace('}', ',"maxDeletesPerSecond":200}')));
    const same = await command('limit', '--table', 'Sessions', '--max-per-second', '200');
    expect(same.stdout).toContain('Sessions: it was so already.');
    await command('limit', '--table', 'Sessions', '--off');
    expect(await inputs()).toEqual(before);
    expect((await schedule('tick', 'Tokens')).Target).toEqual(other);
  }, 60_000);
});
