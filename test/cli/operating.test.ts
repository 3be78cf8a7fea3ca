/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { NoAnswerError } from '../../cli/aws/no-answer.ts';
import { runHistory } from '../../cli/history/job.ts';
import { historyReport } from '../../cli/history/report.ts';
import { describeHistory } from '../../cli/history/text.ts';
import { limitDeletes } from '../../cli/limit/job.ts';
import { pauseTables } from '../../cli/pause/job.ts';
import { executionName } from '../../cli/replay/pieces.ts';
import { NO_TOTALS } from '../../cli/replay/totals.ts';
import { type ResumeOptions, resumeTables } from '../../cli/resume/job.ts';
import { replayName } from '../../config/names.ts';
import { journalOf } from '../../functions/journal/lambda-journal.ts';
import { wholeReport } from '../../functions/journal/layout.ts';
import { limitTable, pauseTable } from '../../functions/journal/operator-settings.ts';
import { readState } from '../../functions/journal/read-state.ts';
import { putRows } from '../../functions/journal/sweep-rows.ts';
import { writeWatermarks } from '../../functions/journal/write-watermarks.ts';
import {
  ROLE_ARN,
  useStepFunctionsApi,
} from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { type OperatedDeployment, operatedDeployment } from '../support/operated-deployment.ts';
import { configOf } from '../support/synthesized.ts';

const dynamo = useLocalDynamoDb();
const sfn = useStepFunctionsApi();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-operating-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const resultFile = join(folder, 'out.json');
const written = () => JSON.parse(readFileSync(resultFile, 'utf8'));

const START = Date.parse('2026-11-20T09:00:00Z');
const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const seconds = (ms: number) => Math.floor(ms / 1000);

/** What the machines report: 99% of what was deleted was ten minutes late. */
const REPORT = { ...NO_TOTALS, found: 7, deleted: 7, lagMs: { p50: 1, p99: 600_000, max: 600_000 } };

async function deployment(): Promise<OperatedDeployment & { config: ReturnType<typeof configOf> }> {
  const made = await operatedDeployment(dynamo.client, sfn.client, { roleArn: ROLE_ARN, report: REPORT });
  const table = (tableName: string) => ({ tableName, partitionKey: 'id', sweep: made.name });
  return { ...made, config: configOf(table('Sessions'), table('Tokens')) };
}

/** The inputs of all executions of a state machine, the newest first. */
async function inputs(machine: string): Promise<Record<string, unknown>[]> {
  const { stateMachines = [] } = await sfn.send(new ListStateMachinesCommand({ maxResults: 1000 }));
  const { stateMachineArn } = stateMachines.find(({ name }) => name === machine) ?? {};
  const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn }));
  return Promise.all(
    executions.map(async ({ executionArn }) =>
      JSON.parse((await sfn.send(new DescribeExecutionCommand({ executionArn }))).input ?? ''),
    ),
  );
}

function common({ clients, config }: Awaited<ReturnType<typeof deployment>>, now: number) {
  const printed: string[] = [];
  const options = {
    config,
    table: undefined as string | undefined,
    resultFile,
    connect: () => clients,
    confirm: async () => true,
    now: () => now,
    print: (text: string) => printed.push(text),
    signal: new AbortController().signal,
  };
  return { printed, options };
}

describe('pause', () => {
  test('writes it for one table or all, and says what goes on', async () => {
    const deployed = await deployment();
    const { printed, options } = common(deployed, START);
    const piece = { from: seconds(START) - 3600, to: seconds(START) };
    const name = (tableName: string) =>
      executionName({ tableName, piece, dryRun: false, label: 'l', attempt: 1 });
    await expect(pauseTables({ ...options, table: 'Sessions', forMs: undefined })).resolves.toBe(true);
    const { control } = await readState(deployed.journal);
    expect(control.pauses).toEqual({ Sessions: { since: iso(START) } });
    expect(printed.join('\n')).toContain('  table       Sessions, running\n');
    expect(printed.join('\n')).toContain('Sessions: paused. No replay is open.\n');
    expect(printed.join('\n')).toContain(
      'It goes on with npx precise-ttl resume --table Sessions, which also replays',
    );
    expect(written()).toEqual({
      pausedAt: '2026-11-20T09:00:00Z',
      tables: [{ table: 'Sessions', until: null, open: [] }],
    });
    expect(name('Sessions')).not.toBe(name('Tokens'));

    const again = common(deployed, START + 5 * MINUTE);
    await pauseTables({ ...again.options, forMs: 30 * MINUTE });
    expect((await readState(deployed.journal)).control.pauses).toEqual({
      Sessions: { since: iso(START), until: iso(START + 35 * MINUTE) },
      Tokens: { since: iso(START + 5 * MINUTE), until: iso(START + 35 * MINUTE) },
    });
    const text = again.printed.join('\n');
    expect(text).toContain('Pause: for 30 min\n  table       Sessions, paused since 2026-11-20T09:00:00Z\n');
    expect(text).toContain('Tokens: paused until 2026-11-20T09:35:00Z.');
    expect(text).toContain('Then the ticks go on by themselves.');
  });

  test('changes nothing when it is declined', async () => {
    const deployed = await deployment();
    const { options } = common(deployed, START);
    const clients = { ...deployed.clients, isLocal: () => false };
    const declined = { ...options, connect: () => clients, confirm: async () => false, forMs: undefined };
    await expect(pauseTables(declined)).resolves.toBe(false);
    expect((await readState(deployed.journal)).control.pauses).toEqual({});
  });

  test('is told although Step Functions no longer says what is open', async () => {
    const deployed = await deployment();
    const { printed, options } = common(deployed, START);
    const silent = Object.assign(new SFNClient({ region: 'us-east-1' }), {
      async send(command: Parameters<typeof sfn.send>[0]) {
        if (command instanceof ListExecutionsCommand) {
          throw new NoAnswerError('SFN', { kind: 'timed out', seconds: 5 }, undefined);
        }
        return sfn.send(command as ListStateMachinesCommand);
      },
    });
    const clients = { ...deployed.clients, sfn: silent };
    await pauseTables({ ...options, connect: () => clients, table: 'Sessions', forMs: undefined });
    expect(Object.keys((await readState(deployed.journal)).control.pauses)).toEqual(['Sessions']);
    expect(printed.join('\n')).toContain(
      'Sessions: paused. Step Functions did not answer: which replays are open is not known.',
    );
    expect(written().tables).toMatchObject([{ open: null }]);
  });

  test('says that nothing is deployed', async () => {
    const deployed = await deployment();
    const { options } = common(deployed, START);
    const config = configOf({ tableName: 'Sessions', partitionKey: 'id', sweep: 'nowhere' });
    await expect(pauseTables({ ...options, config, forMs: undefined })).rejects.toThrow(
      'journal: expected the table nowhere-journal in us-east-1, got none of that name; deploy first',
    );
  });
});

test('limit sets what one table may delete, and takes it out again', async () => {
  const deployed = await deployment();
  const { printed, options } = common(deployed, START);
  const limits = async () => (await readState(deployed.journal)).control.limits;
  const limit = (perSecond: number | undefined) => limitDeletes({ ...options, table: 'Sessions', perSecond });
  await limit(200);
  await expect(limits()).resolves.toEqual({ Sessions: 200 });
  expect(written()).toEqual({ table: 'Sessions', maxDeletesPerSecond: 200, was: null });
  await limit(200);
  expect(printed.join('\n')).toContain('Sessions: at most 200 deletes a second, from the next tick on.');
  expect(printed.join('\n')).toContain('  so far      at most 200 deletes a second');
  expect(printed.join('\n')).toContain('Sessions: it was so already.');
  await limit(undefined);
  await expect(limits()).resolves.toEqual({});
  expect(written()).toEqual({ table: 'Sessions', maxDeletesPerSecond: null, was: 200 });
  await expect(limitDeletes({ ...options, perSecond: 5 })).rejects.toThrow(
    '--table: expected one of Sessions, Tokens, got none',
  );
});

describe('resume', () => {
  /** Paused for an hour, after a tick that had left nothing. */
  async function paused() {
    const deployed = await deployment();
    const gone = seconds(START) - 60;
    const watermark = { since: gone - 86_400, gone, at: iso(START) };
    await writeWatermarks(deployed.journal, iso(START), { Sessions: watermark, Tokens: watermark });
    await pauseTable(deployed.journal, 'Sessions', { since: iso(START) });
    return { deployed, gone };
  }
  const run = (
    deployed: Awaited<ReturnType<typeof deployment>>,
    over: Partial<ResumeOptions> = {},
    now = START + 60 * MINUTE,
  ) => {
    const { printed, options } = common(deployed, now);
    const end = resumeTables({
      ...options,
      replay: true,
      dryRun: false,
      connectReplay: () => ({
        sfn: Object.assign(Object.create(sfn.client), { destroy() {} }),
        endpoint: () => new URL('http://127.0.0.1:1'),
      }),
      ...over,
    });
    return { printed, end };
  };

  test('ends the pause, starts a tick for what nobody owns, and replays from the watermark on', async () => {
    const { deployed, gone } = await paused();
    const { printed, end } = run(deployed);
    await expect(end).resolves.toBe('done');
    const { control, watermarks } = await readState(deployed.journal);
    expect(control).toEqual({ pauses: {}, limits: {}, handOvers: {} });
    const now = START + 60 * MINUTE;
    await expect(inputs(deployed.name)).resolves.toEqual([
      { scheduledTime: iso(now), tables: ['Sessions'], fromNow: true },
    ]);
    const all = await inputs(replayName(deployed.name));
    const replays = all.filter(({ table }) => table === 'Sessions');
    const froms = replays.map(({ from }) => String(from)).sort();
    const tos = replays.map(({ to }) => String(to)).sort();
    // Without a gap, from ten seconds before: entries may be slow to show in the index.
    expect(froms).toEqual([iso((gone - 9) * 1000), ...tos.slice(0, -1)]);
    expect(tos.at(-1)).toBe(iso(now));
    expect(all.length).toBe(2 * replays.length);
    // The ticks go on from there.
    expect(watermarks.tables['Sessions']).toEqual({
      since: gone - 86_400,
      gone: seconds(now) - 1,
      at: iso(now),
    });
    const text = printed.join('\n');
    expect(text).toContain(
      'Sessions, paused since 2026-11-20T09:00:00Z; not swept: what was due from 2026-11-20T08:58:51Z to 2026-11-20T10:00:00Z (1 h 1 min)',
    );
    expect(text).toContain('Tokens, running; not swept');
    expect(text).toContain('The pause has ended: a tick was started for what expires from now on.');
    expect(text).toContain('Sessions: 99% of what expired meanwhile was deleted at most 10 min late.');
    // It goes by what is known to be gone: once more there is nothing.
    const once = run(deployed);
    await expect(once.end).resolves.toBe('done');
    expect(once.printed.join('\n')).toContain(
      'Sessions, running; nothing was missed that the ticks do not make up for',
    );
    expect(once.printed.join('\n')).toContain('Nothing was paused.');
  });

  test('while it replays, the ticks have what expires from then on', async () => {
    const { deployed } = await paused();
    const now = START + 60 * MINUTE;
    const seen: unknown[] = [];
    const { end } = run(deployed, {
      table: 'Sessions',
      connectReplay() {
        seen.push(readState(deployed.journal));
        return {
          sfn: Object.assign(Object.create(sfn.client), { destroy() {} }),
          endpoint: () => new URL('http://127.0.0.1:1'),
        };
      },
    });
    await end;
    const [state] = (await Promise.all(seen)) as Awaited<ReturnType<typeof readState>>[];
    expect(state?.control.handOvers['Sessions']).toMatchObject({
      before: seconds(now),
      until: seconds(now) + 300,
      execution: expect.stringMatching(/^resume-/),
    });
    expect((await readState(deployed.journal)).control.handOvers).toEqual({});
  });

  test('a replay that fails leaves the watermark, and the backlog to the ticks', async () => {
    const { deployed, gone } = await paused();
    const broken = Object.assign(Object.create(sfn.client), {
      destroy() {},
      async send(command: Parameters<typeof sfn.send>[0]) {
        if (command instanceof StartExecutionCommand) throw new Error('no');
        return sfn.send(command as ListStateMachinesCommand);
      },
    });
    const connectReplay = () => ({ sfn: broken, endpoint: () => new URL('http://127.0.0.1:1') });
    await expect(run(deployed, { table: 'Sessions', connectReplay }).end).rejects.toThrow('no');
    const { control, watermarks } = await readState(deployed.journal);
    expect(control).toEqual({ pauses: {}, limits: {}, handOvers: {} });
    expect(watermarks.tables['Sessions']?.gone).toBe(gone);
  });

  test('counts only, with --dry-run', async () => {
    const { deployed } = await paused();
    const before = await readState(deployed.journal);
    await run(deployed, { table: 'Sessions', dryRun: true }).end;
    await expect(readState(deployed.journal)).resolves.toEqual(before);
    await expect(inputs(deployed.name)).resolves.toEqual([]);
    const replays = await inputs(replayName(deployed.name));
    expect(replays.length).toBeGreaterThan(0);
    expect(replays.every(({ dryRun }) => dryRun === true)).toBe(true);
  });

  test('replays nothing with --no-replay, and says how', async () => {
    const { deployed } = await paused();
    const { printed, end } = run(deployed, { table: 'Sessions', replay: false });
    await expect(end).resolves.toBe('done');
    await expect(inputs(replayName(deployed.name))).resolves.toEqual([]);
    expect(printed.join('\n')).toContain(
      'npx precise-ttl replay --table Sessions --from 2026-11-20T08:58:51Z --to 2026-11-20T10:00:00Z',
    );
  });

  test('keeps to what an operator has limited', async () => {
    const { deployed } = await paused();
    await limitTable(deployed.journal, 'Sessions', 8);
    await run(deployed, { table: 'Sessions' }).end;
    const replays = await inputs(replayName(deployed.name));
    const perSecond = replays.map(({ maxDeletesPerSecond }) => maxDeletesPerSecond);
    expect(new Set(perSecond)).toEqual(new Set([Math.floor(8 / replays.length)]));
  });

  test('leaves a backlog to the execution that has it already', async () => {
    const { deployed } = await paused();
    const journal = journalOf(deployed.journal, () => START + 59 * MINUTE);
    await journal.takeHandOver('Tokens', 5, 'by-a-tick');
    await run(deployed).end;
    expect((await readState(deployed.journal)).control.handOvers).toMatchObject({
      Tokens: { execution: 'by-a-tick' },
    });
  });
});

describe('history', () => {
  const row = (minutes: number, report: Parameters<typeof wholeReport>[0]) => ({
    table: 'Sessions',
    kind: 'tick' as const,
    execution: `tick-${minutes}`,
    startedAt: iso(START + minutes * MINUTE),
    endedAt: iso(START + (minutes + 2) * MINUTE),
    report: wholeReport(report),
  });

  test('lists from the journal what sweeps came to, and what they left', async () => {
    const deployed = await deployment();
    const failedKeys = [{ key: { id: { S: 'a' } }, reason: 'ValidationError' }];
    await putRows(deployed.journal, [
      row(0, { found: 1, deleted: 1 }),
      row(10, { found: 3, deleted: 3, lagMs: { p50: 60, p99: 90, max: 95 } }),
      { ...row(11, { found: 2, deleted: 1, failed: 1, failedKeys }), kind: 'handOver' },
      row(12, { tablesFailed: 1, failure: { error: 'ResourceNotFoundException', message: 'gone' } }),
    ]);
    const { options } = common(deployed, START + 65 * MINUTE);
    const all = { ...options, sinceMs: 60 * MINUTE, failed: false, limit: 100 };
    const history = await runHistory(all);
    if (history === undefined) throw new Error('expected a history');
    const text = describeHistory(history, { mask: false });
    expect(text).toBe(
      [
        'Table Sessions, since 2026-11-20 09:05:00Z',
        '  2026-11-20 09:12:00Z  tick       FAILED in 120.0 s: nothing was swept',
        '      tick-12: the table or its index is not there: gone',
        '  2026-11-20 09:11:00Z  hand-over  FAILED in 120.0 s: found 2, deleted 1, failed 1',
        '      tick-11: 1 of 2 items could not be deleted (ValidationError)',
        '      not deleted: {"id":{"S":"a"}} (ValidationError)',
        '  2026-11-20 09:10:00Z  tick       SUCCEEDED in 120.0 s: found 3, deleted 3, lag p50 0.06 s, p99 0.09 s',
        '  3 executions (2 FAILED, 1 SUCCEEDED): found 5, deleted 4, failed 1',
        '',
        'Table Tokens, since 2026-11-20 09:05:00Z',
        '  none',
        '  0 executions: nothing to do',
      ].join('\n'),
    );
    const failed = await runHistory({ ...all, table: 'Sessions', failed: true, limit: 1 });
    expect(failed && historyReport(failed, { mask: false }).tables).toMatchObject([
      { tableName: 'Sessions', name: deployed.name, more: true, sweeps: [{ name: 'tick-12', kind: 'tick' }] },
    ]);
  });
});
