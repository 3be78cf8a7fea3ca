/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { modelOf } from '../../config/model-of.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { readState } from '../../functions/journal/read-state.ts';
import { type ServedCloud, serve } from '../../local/serve.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { SteppedClock } from '../../testing/stepped-clock.ts';
import { configOf } from '../support/configs.ts';
import { freePort } from '../support/free-port.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { shellCommand } from '../support/shell-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-pause-test-'));
const CONFIG = join(folder, 'precise-ttl.config.json');
const JSON_FILE = join(folder, 'out.json');
const SESSIONS = { tableName: 'Sessions', partitionKey: 'id', index: { shards: 1 } };
const TOKENS = { tableName: 'Tokens', partitionKey: 'id', index: { by: 'second' as const } };
writeFileSync(CONFIG, JSON.stringify({ region: 'us-east-1', tables: [SESSIONS, TOKENS] }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('on the local deployment', () => {
  // The commands use the wall clock: the virtual clock reaches it when the sweeps are to continue.
  const start = Math.floor(Date.now() / 60_000) * 60_000 - 17 * 60_000;
  const clock = new SteppedClock(start);
  let served: ServedCloud;
  let documents: DynamoDBDocumentClient;

  beforeAll(async () => {
    const [dynamoDbPort, sfnPort, schedulerPort] = [await freePort(), await freePort(), await freePort()];
    served = await serve({
      dynamoDbPort,
      sfnPort,
      schedulerPort,
      cloudWatchPort: await freePort(),
      stack: plainStack(configOf(SESSIONS, TOKENS)),
      schedules: true,
      environment: { AWS_ENDPOINT_URL_DYNAMODB: dynamoDbOfFile().endpoint },
      clock,
      onExecution: () => {},
      onScheduleError: error => {
        throw error;
      },
    });
    documents = DynamoDBDocumentClient.from(served.cloud.client);
    await command('pause', '--table', 'Tokens');
  });
  afterAll(async () => {
    await served?.stop();
  });

  const command = (name: string, ...args: string[]) =>
    shellCommand(name)([...args, '--config', CONFIG], {
      AWS_ENDPOINT_URL_SFN: served.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: served.dynamoDbEndpoint,
    });
  /** Advances the deployment's clock together with the wall clock during some work. */
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
  const journal = () => ({ documents, tableName: journalName('precise-ttl') });
  const state = () => readState(journal());
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
    expect(paused.stdout).toMatch(/^Sessions: paused\. No replay is open\.$/m);
    // The command can be pasted unchanged, because the configuration is not in its usual place.
    expect(paused.stdout).toContain(
      `It goes on with npx precise-ttl resume --table Sessions --config ${CONFIG}, which`,
    );
    expect(written().tables).toMatchObject([{ table: 'Sessions', until: null }]);

    // Ticks that began before the pause end by themselves; after that nothing is deleted.
    await clock.advance(6 * 60_000);
    const before = await expiredLeft();
    expect(before).toBeGreaterThan(15);
    const again = await command('pause', '--table', 'Sessions');
    expect(again.stdout).toMatch(/Sessions, paused since \S+Z$/m);
    await clock.advance(Date.now() - clock.now());
    const left = await expiredLeft();
    expect(left).toBeGreaterThan(before);
    const { watermarks } = await state();
    const gone = watermarks.tables['Sessions']?.gone ?? 0;
    // The ticks have continued for the deployment.
    expect(clock.now() - Date.parse(watermarks.tick ?? '')).toBeLessThanOrEqual(120_000);

    const counted = await besideTime(
      command('resume', '--table', 'Sessions', '--dry-run', '--json', JSON_FILE),
    );
    expect(counted).toMatchObject({ status: 0, stderr: '' });
    const [{ executions: dry, missed }] = written().tables;
    const found = dry.reduce((sum: number, one: { found: number }) => sum + one.found, 0);
    expect(found).toBeGreaterThanOrEqual(left);
    // The last tick was that of the third minute.
    expect(gone).toBeLessThanOrEqual(Math.floor(start / 1000) + 180 + 60);
    expect(missed.from).toBe(new Date((gone - 9) * 1000).toISOString().replace('.000Z', 'Z'));
    expect(Object.keys((await state()).control.pauses).sort()).toEqual(['Sessions', 'Tokens']);

    const resumed = await besideTime(command('resume', '--table', 'Sessions', '--json', JSON_FILE));
    expect(resumed).toMatchObject({ status: 0, stderr: '' });
    expect(resumed.stdout).toContain('The pause has ended: a tick was started for what expires from now on.');
    expect(resumed.stdout).toMatch(
      /Sessions: 99% of what expired meanwhile was deleted at most 1\d min( \d+ s)? late\./,
    );
    expect(Object.keys((await state()).control.pauses)).toEqual(['Tokens']);
    const [{ executions, lagP99Ms, replay }] = written().tables;
    const deleted = executions.reduce((sum: number, one: { deleted: number }) => sum + one.deleted, 0);
    expect(deleted).toBeGreaterThanOrEqual(left);
    expect(lagP99Ms).toBeGreaterThan(8 * 60_000);
    expect(replay).toBe('done');
    // The replay depends on what was deleted: a second resume has nothing to replay.
    const once = await besideTime(command('resume', '--table', 'Sessions', '--json', JSON_FILE));
    expect(once.status).toBe(0);
    expect(once.stdout).toContain('Nothing was paused.');
    expect(written().tables).toMatchObject([{ missed: null, replay: 'nothing' }]);

    // Every minute belongs to a tick: what expires after the resume is deleted in its second.
    for (let step = 0; step < 8; step += 1) {
      await clock.advance(20_000);
      expect([step, await expiredLeft()]).toEqual([step, 0]);
    }
  });
});
