import { SFNClient } from '@aws-sdk/client-sfn';
import { command as replay } from '../../cli/replay.ts';
import { EXECUTION_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { configOf } from '../support/configs.ts';
import { awsError, fakeClient } from '../support/fake-client.ts';
import { ran, testListedActions } from '../support/ran.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const SPAN = ['--from', '2026-11-20T08:00:00Z', '--to', '2026-11-20T09:00:00Z'];
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-replay';
const NAME = /^replay-20261120T080000Z-20261120T090000Z-[0-9a-f]{8}-[0-9a-f]{8}/;
const config = configOf(
  { tableName: 'Sessions', partitionKey: 'id', maxDeletesPerSecond: 50 },
  { tableName: 'Tokens', partitionKey: 'id' },
);

const reportOf = (counts: object) => ({
  ...noCounts(EXECUTION_COUNTS),
  lagMs: null,
  failedKeys: [],
  sampleKeys: [],
  ...counts,
});

interface Ended {
  readonly status: string;
  readonly counts?: object;
  readonly cause?: string;
}

/** Step Functions with these executions, by name; those that are started end as `next` says. */
function stepFunctions(
  next: (input: { table: string; dryRun?: boolean }) => Ended,
  names: readonly string[] = ['precise-ttl-replay'],
) {
  const ended = new Map<string, Ended & { readonly table: string }>();
  const forgotten = new Set<string>();
  const started: { readonly name: string; readonly input: Record<string, unknown> }[] = [];
  const sfn = fakeClient(SFNClient, {
    ListStateMachines: () => ({ stateMachines: names.map(name => ({ name, stateMachineArn: ARN })) }),
    StartExecution({ name, input }) {
      if (ended.has(name)) throw awsError('ExecutionAlreadyExists');
      const read = JSON.parse(input);
      started.push({ name, input: read });
      ended.set(name, { ...next(read), table: read.table });
      return {};
    },
    DescribeExecution({ executionArn }) {
      if (forgotten.has(executionArn.split(':').at(-1))) throw awsError('ExecutionDoesNotExist');
      const { status, counts, cause, table } = ended.get(executionArn.split(':').at(-1)) ?? {
        status: 'RUNNING',
        table: '',
      };
      const output = counts && JSON.stringify({ tables: { [table]: reportOf(counts) } });
      return { status, startDate: new Date(NOW), output, ...(cause && { error: 'Broken', cause }) };
    },
  });
  return { around: { config, clients: { sfn }, now: () => NOW }, started, forgotten };
}

const all = () => ({ status: 'SUCCEEDED', counts: { found: 3, deleted: 2, renewed: 1 } });

test('sweeps the span of each table by an execution of its own, once', async () => {
  const { around, started } = stepFunctions(all);
  const one = await ran(replay, SPAN, around);
  expect(started.map(({ input }) => input)).toEqual([
    {
      table: 'Sessions',
      from: '2026-11-20T08:00:00.000Z',
      to: '2026-11-20T09:00:00.000Z',
      maxDeletesPerSecond: 50,
    },
    { table: 'Tokens', from: '2026-11-20T08:00:00.000Z', to: '2026-11-20T09:00:00.000Z' },
  ]);
  expect(new Set(started.map(({ name }) => name)).size).toBe(2);
  for (const { name } of started) expect(name).toMatch(NAME);
  expect([one.exit, one.question, one.data]).toEqual([
    0,
    'Delete what is expired there?',
    expect.objectContaining({
      dryRun: false,
      totals: expect.objectContaining({ found: 6, deleted: 4, renewed: 2 }),
    }),
  ]);
  expect(one.text).toContain('[2/2] Tokens  found 3, deleted 2, renewed 1');
  const again = await ran(replay, SPAN, around);
  expect([again.exit, started.length]).toEqual([0, 2]);
  expect(again.text).toContain('deleted 2, renewed 1 (done before)');
  expect(again.text).toContain('All of it was done before. To sweep the span again');
  await ran(replay, [...SPAN, '--run', 'again'], around);
  expect(started.slice(2).map(({ name }) => name)).toEqual([
    expect.stringContaining('-again-'),
    expect.stringContaining('-again-'),
  ]);
});

test('tries again what failed, under the next name, and says why', async () => {
  const ends: Ended[] = [{ status: 'FAILED', cause: 'the function is lost' }, all()];
  const { around, started } = stepFunctions(() => ends.shift() ?? all());
  const failed = await ran(replay, [...SPAN, '--table', 'Tokens'], around);
  expect([failed.exit, failed.text]).toEqual([
    1,
    expect.stringMatching(/FAILED replay-\S+: Broken: the function is lost/),
  ]);
  expect(failed.text).toContain('Some of it is left: run this again');
  const again = await ran(replay, [...SPAN, '--table', 'Tokens'], around);
  expect([again.exit, started.map(({ name }) => name.slice(started[0]?.name.length))]).toEqual([
    0,
    ['', '-2'],
  ]);
});

test('an execution that Step Functions no longer knows, but whose name it keeps, is made again', async () => {
  const { around, started, forgotten } = stepFunctions(all);
  await ran(replay, [...SPAN, '--table', 'Tokens'], around);
  forgotten.add(`${started[0]?.name}`);
  expect((await ran(replay, [...SPAN, '--table', 'Tokens'], around)).exit).toBe(0);
  expect(started.map(({ name }) => name.slice(started[0]?.name.length))).toEqual(['', '-2']);
});

test('says that a paused table leaves its items, and sweeps it when it is no longer', async () => {
  const ends: Ended[] = [{ status: 'SUCCEEDED', counts: { leftForLater: 1 } }];
  const { around, started } = stepFunctions(() => ends.shift() ?? all());
  const paused = await ran(replay, [...SPAN, '--table', 'Tokens'], around);
  expect([paused.exit, paused.text]).toEqual([1, expect.stringContaining('the table is paused: replay-')]);
  expect([(await ran(replay, [...SPAN, '--table', 'Tokens'], around)).exit, started.length]).toEqual([0, 2]);
});

test('a dry run asks nothing, has no limit, a new name each time, and keys', async () => {
  const found = { status: 'SUCCEEDED', counts: { found: 2, dryRun: true, sampleKeys: [{ id: { S: 'a' } }] } };
  const { around, started } = stepFunctions(() => found);
  const one = await ran(replay, [...SPAN, '--dry-run'], around);
  await ran(replay, [...SPAN, '--dry-run'], around);
  expect(new Set(started.map(({ name }) => name)).size).toBe(4);
  expect(started[0]?.input).toMatchObject({ table: 'Sessions', dryRun: true });
  expect(started[0]?.input).not.toHaveProperty('maxDeletesPerSecond');
  expect([one.exit, one.question, one.data]).toEqual([
    0,
    undefined,
    expect.objectContaining({ writeUnitsAtLeast: 8 }),
  ]);
  expect(one.text).toContain('such as {"id":{"S":"a"}}');
  expect(one.text).toContain('A dry run counts again each time.');
});

test('an error or a stop in the middle tells what was done before it', async () => {
  const { around } = stepFunctions(({ table }) => {
    if (table === 'Tokens') throw awsError('KmsAccessDeniedException');
    return all();
  });
  await expect(ran(replay, SPAN, around)).rejects.toMatchObject({
    name: 'KmsAccessDeniedException',
    told: expect.stringMatching(/\n\[1\/2\] Sessions {2}found 3, deleted 2, renewed 1\n/),
  });
  const stop = new AbortController();
  const stopping = stepFunctions(({ table }) => {
    if (table === 'Tokens') stop.abort();
    return table === 'Tokens' ? { status: 'RUNNING' } : all();
  });
  const { exit, text, data } = await ran(replay, SPAN, { ...stopping.around, signal: stop.signal });
  expect([exit, data]).toMatchObject([1, { executions: [{ table: 'Sessions' }] }]);
  expect(text).toMatch(/\n\[1\/2\] Sessions {2}found 3, deleted 2, renewed 1\n/);
  expect(text).toMatch(/Some of it is left: run this again when what stands above is mended\.$/);
});

test('refuses where nothing is deployed', async () => {
  const { around } = stepFunctions(all, ['another']);
  await expect(ran(replay, SPAN, around)).rejects.toThrow(
    'state machine: expected precise-ttl-replay in us-east-1, got nothing. Deploy first',
  );
});

testListedActions({ replay });
