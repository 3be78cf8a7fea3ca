/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeExecutionCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { realClock, VirtualClock } from 'stepfunctions-emulator';
import { describeBriefly, describeStatus } from '../../cli/status/text.ts';
import { modelOf } from '../../config/deployments.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { putRows } from '../../functions/journal/sweep-rows.ts';
import { writeWatermarks } from '../../functions/journal/write-watermarks.ts';
import { type ServedCloud, type ServeOptions, serve } from '../../local/serve.ts';
import { statusJob } from '../../operate/status/status.ts';
import { wholeReport } from '../../operate/sweep-rows.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { sfnClient } from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { configOf } from '../support/configs.ts';
import { executed } from '../support/executed.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { freePort } from '../support/ports.ts';
import { type ShellCommand, shellCommand } from '../support/shell.ts';
import { hanging } from '../support/silent-servers.ts';

const MINUTE = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-status-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Windows are a minute long, and a slow DynamoDB does not answer the queries of all of them. */
const table = (tableName: string): PreciseTtlProps => ({
  tableName,
  partitionKey: 'id',
  index: { granularityMinutes: 1 },
});

async function serveTable(
  props: PreciseTtlProps,
  options: Pick<ServeOptions, 'clock' | 'schedules'> & Partial<ServeOptions>,
): Promise<ServedCloud> {
  return serve({
    stack: plainStack(configOf(props)),
    dynamoDbPort: await freePort(),
    sfnPort: await freePort(),
    schedulerPort: await freePort(),
    cloudWatchPort: await freePort(),
    environment: { AWS_ENDPOINT_URL_DYNAMODB: dynamoDbOfFile().endpoint },
    onExecution: () => {},
    onScheduleError: () => {},
    ...options,
  });
}

const environmentOf = ({ dynamoDbEndpoint, endpoint, cloudWatchEndpoint }: ServedCloud) => ({
  AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint,
  AWS_ENDPOINT_URL_SFN: endpoint,
  AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatchEndpoint,
});

async function put(cloud: ServedCloud, props: PreciseTtlProps, id: string, ttl: number): Promise<void> {
  const documents = DynamoDBDocumentClient.from(cloud.cloud.client);
  const item = {
    id,
    ...expiryAttributes(modelOf(props), { id }, { expiresAt: ttl, nowMs: (ttl - 100) * 1000 }),
  };
  await documents.send(new PutCommand({ TableName: props.tableName, Item: item }));
}

test('a sweep that works is fine; without its scheduler the alarm sounds, and status says so and what is overdue', async () => {
  const props = table('StatusByClock');
  const start = Date.parse('2026-11-21T12:07:30Z');
  const clock = new VirtualClock(start);
  const changes: string[] = [];
  const served = await serveTable(props, {
    clock,
    schedules: true,
    onAlarm: ({ alarm, state, since }) =>
      changes.push(`${alarm.name.slice('precise-ttl-'.length)} ${state} after ${(since - start) / MINUTE}`),
  });
  const job = statusJob({
    ...{ config: configOf(props), environment: environmentOf(served) },
    now: () => clock.now(),
  });
  try {
    const seconds = () => Math.floor(clock.now() / 1000);
    await clock.busy(async () => {
      for (const each of [150, 160, 170]) await put(served, props, `early-${each}`, seconds() + each);
      await put(served, props, 'late', seconds() + 15 * 60);
    });
    await clock.sleep(9 * MINUTE);
    const working = await clock.busy(() => job.look());
    const text = describeStatus(working);
    expect([working.verdict, text]).toEqual(['fine', text]);
    expect(text).toMatch(/ {2}gone +everything that was due by 12:16:20Z is gone, back to \S+( \S+)?Z\.$/m);
    expect(text).toMatch(/ {2}overdue +0 items \(looked back to .*Z, \d+ (query|queries)\)$/m);
    expect(text).toMatch(
      / {2}ticks +the last one planned 12:1[56]:\d\dZ; they have left nothing up to 12:1[456]:\d\dZ$/m,
    );
    expect(text).toMatch(/tick +SUCCEEDED in [\d.]+ s: found 3, deleted 3, lag p50 [\d.]+ s, p99 [\d.]+ s$/m);
    expect(text).toMatch(/ {2}alarms +none of \d+ in ALARM/m);
    expect(text).toMatch(/NOTE not known: .*the dead letters.*no endpoint of SQS on this machine/m);

    served.cloud.pauseSchedules();
    await clock.sleep(12 * MINUTE);
    const dead = await clock.busy(() => job.look());
    expect(changes.at(-1)).toMatch(/^no-sweep ALARM after (14|15|16)/);
    expect(dead.verdict).toBe('broken');
    const remarks =
      dead.tables[0]?.judged.remarks.map(({ severity, text: remark }) => `${severity}: ${remark}`) ?? [];
    expect(remarks).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^broken: no tick has planned since 2026-11-21T12:1\d:\d\dZ, for 1\d minutes$/),
        expect.stringMatching(/^broken: an item has been overdue for 6 minutes; more than 11 s is late$/),
        expect.stringMatching(
          /^warning: the alarm precise-ttl-no-sweep is in ALARM since .*: No sweep succeeds any more: .*docs\/reference\/alarms\.md#no-sweep$/,
        ),
      ]),
    );
    const [first] = dead.tables;
    // The item was due at 12:22:30 and still exists, so it is listed.
    expect(first && describeBriefly(first, new Date(clock.now()))).toMatch(
      /^12:28:30Z {2}StatusByClock: broken; no tick has planned since .*; everything that was due by 12:28:20Z is gone, all but 1 \(oldest 12:22:30Z; key \{"id":\{"S":"late"\}\}\), back to .*Z; overdue 1 item$/,
    );
  } finally {
    job.destroy();
    await served.stop();
  }
});

describe('as processes', () => {
  const props = table('StatusServed');
  let served: ServedCloud;
  const config = join(folder, 'precise-ttl.config.json');
  beforeAll(async () => {
    writeFileSync(config, JSON.stringify(configOf(props)));
    served = await serveTable(props, { clock: realClock, schedules: false });
    const now = Math.floor(Date.now() / 1000);
    await put(served, props, 'expired', now - 400);
    const sfn = sfnClient(served.endpoint);
    const replays = served.cloud.machines.find(({ name }) => name.endsWith('-replay'));
    const iso = (time: number) => new Date(time * 1000).toISOString();
    const input = JSON.stringify({ table: props.tableName, from: iso(now - 3600), to: iso(now - 300) });
    const { executionArn } = await sfn.send(
      new StartExecutionCommand({ stateMachineArn: replays?.arn, name: 'made-0', input }),
    );
    const isRunning = async () =>
      (await sfn.send(new DescribeExecutionCommand({ executionArn }))).status === 'RUNNING';
    while (await isRunning()) await realClock.sleep(50);
    // The report of a tick that could not delete an item.
    const journal = {
      documents: DynamoDBDocumentClient.from(served.cloud.client),
      tableName: journalName('precise-ttl'),
    };
    const at = iso(now - 60);
    const row = {
      table: props.tableName,
      kind: 'tick' as const,
      execution: 'made-1',
      startedAt: at,
      endedAt: at,
    };
    const failedKeys = [{ key: { id: { S: 'stuck' } }, reason: 'ValidationError' }];
    await putRows(journal, [{ ...row, report: wholeReport({ found: 1, failed: 1, failedKeys }) }]);
    await writeWatermarks(journal, iso(now), {});
    sfn.destroy();
    await put(served, props, 'there', now - 130);
  });
  afterAll(() => served.stop());

  /** Runs a command of the package on the served cloud. */
  const run = (command: string, args: readonly string[], onStart?: Parameters<ShellCommand>[2]) =>
    shellCommand(command)([...args, '--config', config], environmentOf(served), onStart);

  test('status tells how it stands, and its exit status says that a sweep failed', async () => {
    const file = join(folder, 'status.json');
    const ended = await run('status', ['--table', props.tableName, '--back', '30', '--json', file]);
    const { stdout, stderr } = ended;
    expect([ended.status, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^Table StatusServed on this machine, \d{4}-/);
    expect(stdout).toMatch(/ {2}overdue +1 item, the oldest for \d+ \w+ \(looked back to /);
    expect(stdout).toMatch(/WARNING an item has been overdue for \d+ (s|minutes); more than 11 s is late/);
    expect(stdout).toMatch(/replay +SUCCEEDED in [\d.]+ s: found 1, deleted 1, lag p50 /);
    expect(stdout).toMatch(
      /WARNING (\d+ s|\d minutes) ago a sweep failed: 1 of 1 items could not be deleted \(ValidationError\)/,
    );
    const report = JSON.parse(readFileSync(file, 'utf8'));
    expect(report).toMatchObject({
      verdict: 'warnings',
      isLocal: true,
      tables: [
        {
          tableName: 'StatusServed',
          overdue: { items: 1, atLeast: false },
          gone: { by: expect.stringMatching(/Z$/) },
          deadLetters: null,
          pause: null,
          lastFailure: {
            name: 'made-1',
            status: 'FAILED',
            failure: expect.stringContaining('could not be deleted'),
          },
        },
      ],
    });
    const { gone, overdue } = report.tables[0];
    expect(gone.left).toEqual([{ key: '{"id":{"S":"there"}}', due: overdue.oldest }]);
    expect(report.tables[0].cause).toMatchObject({ id: 'late' });
  });

  test('--watch appends a line each time, as JSON with --json -, until Ctrl-C, and ends as it stood', async () => {
    const { status, stdout } = await run('status', ['--watch', '--every', '1', '--json', '-'], child => {
      let printed = '';
      child.stdout.on('data', (data: Buffer) => {
        printed += data;
        if (printed.split('\n').length > 2) child.kill('SIGINT');
      });
    });
    const lines = stdout.trim().split('\n');
    expect([lines.length >= 2, status]).toEqual([true, 1]);
    expect(lines.map(line => JSON.parse(line).verdict)).toEqual(lines.map(() => 'warnings'));
  });

  test('--page serves the page until it is stopped', async () => {
    const seen: number[] = [];
    const { status } = await run('status', ['--page'], child => {
      child.stdout.once('data', async (text: Buffer) => {
        const [address = ''] = /http\S+/.exec(String(text)) ?? [];
        seen.push((await fetch(address)).status);
        child.kill('SIGTERM');
      });
    });
    expect([seen, status]).toEqual([[200], 0]);
  });

  test('status on a DynamoDB that hangs says so and nothing else of it, and what the others answer', async () => {
    const server = await hanging();
    try {
      const environment = { ...environmentOf(served), AWS_ENDPOINT_URL_DYNAMODB: server.endpoint };
      const ended = await shellCommand('status')(['--config', config, '--back', '60'], environment);
      expect([ended.status, ended.stderr]).toEqual([2, '']);
      expect(ended.stdout).toMatch(
        /BROKEN DynamoDB does not answer since at least \S+Z, and other services do: /,
      );
      expect(ended.stdout).toMatch(/ {2}open replays +none$/m);
      expect(ended.stdout).not.toMatch(
        /throttl|had answered|\b0 items|is gone, back to|no tick has|no journal/,
      );
    } finally {
      server.stop();
    }
  });

  test('Ctrl-C ends status at once: nothing is asked once more', async () => {
    const server = await hanging();
    try {
      const environment = { ...environmentOf(served), AWS_ENDPOINT_URL_SFN: server.endpoint };
      const ended = await shellCommand('status')(['--config', config], environment, child => {
        const timer = setInterval(() => {
          if (server.asked() === 0) return;
          clearInterval(timer);
          child.kill('SIGINT');
        }, 20);
      });
      expect([ended.status, server.asked()]).toEqual([130, 1]);
    } finally {
      server.stop();
    }
  });

  test.each<[readonly string[], string]>([
    [['--every', '0'], '--every: expected a number from 1 to 3600, got "0"'],
    [['--since', '7d'], '--since: expected it with --history, got it alone'],
    [['--history', '--page'], '--history: expected it without --page, got both'],
  ])('status %j fails with 3', async (args, message) => {
    const ended = await executed('status', [...args, '--config', config], environmentOf(served));
    expect([ended.status, ended.stderr]).toEqual([3, expect.stringContaining(message)]);
  });
});
