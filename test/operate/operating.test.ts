/** @jest-environment ./test/support/dynamodb-environment.ts */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describeHistory } from '../../cli/status/text.ts';
import { replayName } from '../../config/names.ts';
import { journalOf } from '../../functions/journal/lambda-journal.ts';
import { wholeReport } from '../../functions/journal/layout.ts';
import { pauseTable } from '../../functions/journal/operator-settings.ts';
import { readState } from '../../functions/journal/read-state.ts';
import { putRows } from '../../functions/journal/sweep-rows.ts';
import type { JournalTable } from '../../functions/journal/update-entry.ts';
import { writeWatermarks } from '../../functions/journal/write-watermarks.ts';
import type { Clients, With } from '../../operate/aws/clients.ts';
import { NoAnswerError } from '../../operate/aws/errors.ts';
import type { ResumeOptions, ResumeProgress } from '../../operate/changes.ts';
import { readHistory } from '../../operate/history/history.ts';
import { preparePause } from '../../operate/pause.ts';
import { NO_TOTALS } from '../../operate/replay/totals.ts';
import { prepareResume } from '../../operate/resume/resume.ts';
import {
  ROLE_ARN,
  useStepFunctionsApi,
} from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { configOf } from '../support/configs.ts';
import { createJournal, useLocalDynamoDb } from '../support/local-dynamodb.ts';

interface OperatedDeployment {
  readonly name: string;
  readonly journal: JournalTable;
  readonly clients: Omit<Clients, 'cloudWatch'>;
}

let deployments = 0;

/**
 * A deployment for commands: a real journal, and state machines that do nothing but report. Both are Standard ones, so that a test can see
 * what was started.
 */
async function operatedDeployment(
  dynamoDb: DynamoDBClient,
  sfn: SFNClient,
  { roleArn, report = {} }: { roleArn: string; report?: object },
): Promise<OperatedDeployment> {
  deployments += 1;
  const name = `operated-${deployments}`;
  const journal = await createJournal(dynamoDb, name);
  for (const machine of [name, replayName(name)]) {
    const States = { First: { Type: 'Pass', Output: report, End: true } };
    const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'First', States });
    await sfn.send(new CreateStateMachineCommand({ name: machine, definition, roleArn }));
  }
  const clients = {
    dynamoDb,
    sfn,
    where: () => 'here',
    isLocal: () => true,
    isBeside: () => true,
    destroy() {},
  };
  return { name, journal, clients };
}

const dynamo = useLocalDynamoDb();
const sfn = useStepFunctionsApi();

const START = Date.parse('2026-11-20T09:00:00Z');
const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const seconds = (ms: number) => Math.floor(ms / 1000);

/** The report of the state machines: the p99 of the lag is ten minutes. */
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

const tablesOf = async ({ journal }: OperatedDeployment) =>
  Object.keys((await readState(journal)).control.pauses);

describe('pause', () => {
  test('writes it for one table or all, and knows the pause before', async () => {
    const { clients, config, journal } = await deployment();
    const one = await preparePause({ config, clients, table: 'Sessions', now: () => START });
    expect(one.facts).toEqual([{ table: 'Sessions', was: undefined }]);
    expect((await readState(journal)).control.pauses).toEqual({});
    await expect(one.apply()).resolves.toEqual({
      pausedAt: '2026-11-20T09:00:00Z',
      tables: [{ table: 'Sessions', until: null, open: [] }],
    });
    expect((await readState(journal)).control.pauses).toEqual({ Sessions: { since: iso(START) } });

    const now = () => START + 5 * MINUTE;
    const all = await preparePause({ config, clients, forMs: 30 * MINUTE, now });
    expect(all.facts).toMatchObject([{ was: { since: iso(START) } }, { table: 'Tokens', was: undefined }]);
    await all.apply();
    expect((await readState(journal)).control.pauses).toEqual({
      Sessions: { since: iso(START), until: iso(START + 35 * MINUTE) },
      Tokens: { since: iso(START + 5 * MINUTE), until: iso(START + 35 * MINUTE) },
    });
  });

  test('is told although Step Functions no longer says what is open', async () => {
    const deployed = await deployment();
    const silent = Object.assign(new SFNClient({ region: 'us-east-1' }), {
      async send(command: Parameters<typeof sfn.send>[0]) {
        if (command instanceof ListExecutionsCommand) {
          throw new NoAnswerError('SFN', { kind: 'timed out', seconds: 5 }, undefined);
        }
        return sfn.send(command as ListStateMachinesCommand);
      },
    });
    const clients = { ...deployed.clients, sfn: silent };
    const { apply } = await preparePause({ config: deployed.config, clients, table: 'Sessions' });
    expect((await apply()).tables).toMatchObject([{ open: null }]);
    expect(await tablesOf(deployed)).toEqual(['Sessions']);
  });

  test('refuses where nothing is deployed', async () => {
    const { clients } = await deployment();
    const config = configOf({ tableName: 'Sessions', partitionKey: 'id', sweep: 'nowhere' });
    await expect(preparePause({ config, clients })).rejects.toThrow(
      'journal: expected the table nowhere-journal in us-east-1, got none of that name; deploy first',
    );
  });
});

describe('resume', () => {
  /** A table that was paused for an hour, after a tick that left no item. */
  async function paused() {
    const deployed = await deployment();
    const gone = seconds(START) - 60;
    const watermark = { since: gone - 86_400, gone, at: iso(START) };
    await writeWatermarks(deployed.journal, iso(START), { Sessions: watermark, Tokens: watermark });
    await pauseTable(deployed.journal, 'Sessions', { since: iso(START) });
    return { deployed, gone };
  }
  async function run(
    { clients, config }: Awaited<ReturnType<typeof deployment>>,
    over: Partial<ResumeOptions & With<'dynamoDb' | 'sfn' | 'where'>> = {},
    now = START + 60 * MINUTE,
  ) {
    const seen: ResumeProgress[] = [];
    const onProgress = (progress: ResumeProgress) => seen.push(progress);
    const { facts, apply } = await prepareResume({ config, clients, onProgress, now: () => now, ...over });
    return { facts, seen, result: await apply() };
  }

  test('ends the pause, starts a tick for what nobody owns, and replays from the watermark on', async () => {
    const { deployed, gone } = await paused();
    const { facts, seen, result } = await run(deployed);
    const { control, watermarks } = await readState(deployed.journal);
    expect(control).toEqual({ pauses: {}, handOvers: {} });
    const now = START + 60 * MINUTE;
    await expect(inputs(deployed.name)).resolves.toEqual([
      { scheduledTime: iso(now), tables: ['Sessions'], fromNow: true },
    ]);
    const all = await inputs(replayName(deployed.name));
    const replays = all.filter(({ table }) => table === 'Sessions');
    const froms = replays.map(({ from }) => String(from)).sort();
    const tos = replays.map(({ to }) => String(to)).sort();
    // There is no gap, and the replay starts ten seconds earlier, because entries can appear late in the index.
    expect(froms).toEqual([iso((gone - 9) * 1000), ...tos.slice(0, -1)]);
    expect(tos.at(-1)).toBe(iso(now));
    expect(all.length).toBe(2 * replays.length);
    // The ticks continue from there.
    expect(watermarks.tables['Sessions']).toEqual({
      since: gone - 86_400,
      gone: seconds(now) - 1,
      at: iso(now),
    });
    expect(facts).toMatchObject([
      { table: 'Sessions', was: { since: iso(START) }, missed: { from: gone - 9, to: seconds(now) } },
      { table: 'Tokens', was: undefined, missed: { to: seconds(now) } },
    ]);
    expect(seen.filter(({ at }) => at === 'resumed')).toEqual([{ at: 'resumed', tables: ['Sessions'] }]);
    expect(result.tables).toMatchObject([
      { table: 'Sessions', replay: 'done', lagP99Ms: 600_000 },
      { table: 'Tokens', replay: 'done' },
    ]);
    // The resume depends on what is known to be deleted: a second one has nothing to replay.
    const once = await run(deployed);
    expect(once.facts.map(({ was, missed }) => [was, missed])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(once.result.tables.map(({ replay }) => replay)).toEqual(['nothing', 'nothing']);
  });

  test('while it replays, the ticks have what expires from then on', async () => {
    const { deployed } = await paused();
    const now = START + 60 * MINUTE;
    const seen: Promise<unknown>[] = [];
    await run(deployed, {
      table: 'Sessions',
      onProgress({ at }) {
        if (at === 'replay') seen.push(readState(deployed.journal));
      },
    });
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
      async send(command: Parameters<typeof sfn.send>[0]) {
        const { name = '' } = command instanceof StartExecutionCommand ? command.input : {};
        if (name.startsWith('replay-')) throw new Error('no');
        return sfn.send(command as ListStateMachinesCommand);
      },
    });
    const clients = { ...deployed.clients, sfn: broken };
    await expect(run(deployed, { table: 'Sessions', clients })).rejects.toThrow('no');
    const { control, watermarks } = await readState(deployed.journal);
    expect(control).toEqual({ pauses: {}, handOvers: {} });
    expect(watermarks.tables['Sessions']?.gone).toBe(gone);
  });

  test('counts only, with --dry-run', async () => {
    const { deployed } = await paused();
    const before = await readState(deployed.journal);
    await run(deployed, { table: 'Sessions', dryRun: true });
    await expect(readState(deployed.journal)).resolves.toEqual(before);
    await expect(inputs(deployed.name)).resolves.toEqual([]);
    const replays = await inputs(replayName(deployed.name));
    expect(replays.length).toBeGreaterThan(0);
    expect(replays.every(({ dryRun }) => dryRun === true)).toBe(true);
  });

  test('leaves what was missed to the ticks where nothing is to be replayed', async () => {
    const { deployed } = await paused();
    const { result } = await run(deployed, { table: 'Sessions', replay: false });
    expect(result.tables).toMatchObject([
      { replay: 'left', missed: { from: '2026-11-20T08:58:51Z', to: '2026-11-20T10:00:00Z' } },
    ]);
    await expect(inputs(replayName(deployed.name))).resolves.toEqual([]);
  });

  test('leaves a backlog to the execution that has it already', async () => {
    const { deployed } = await paused();
    const journal = journalOf(deployed.journal, () => START + 59 * MINUTE);
    await journal.takeHandOver('Tokens', 5, 'by-a-tick');
    await run(deployed);
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
    const all = { config: deployed.config, now: () => START + 65 * MINUTE, sinceMs: 60 * MINUTE };
    const connect = () => deployed.clients;
    const text = describeHistory(await readHistory(all, connect));
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
    const failed = await readHistory({ ...all, table: 'Sessions', failed: true }, connect);
    expect(failed.tables).toMatchObject([
      {
        tableName: 'Sessions',
        name: deployed.name,
        sweeps: [
          { name: 'tick-12', kind: 'tick' },
          { name: 'tick-11', kind: 'handOver' },
        ],
      },
    ]);
  });
});
