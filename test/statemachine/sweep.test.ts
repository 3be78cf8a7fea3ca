import { expiryModel } from '../../expiry/model.ts';
import type { ReplayInput } from '../../statemachine/contract/inputs.ts';
import { MACHINES, SWEEP_INCOMPLETE } from '../../statemachine/contract/machines.ts';
import { sumOfFates } from '../../statemachine/counts.ts';
import type { SweepFunctions } from '../support/simulation/functions.ts';
import { type CallFault, Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

/* What both state machines keep. Each story is a sweep of items that expired in the minute before it, or in ten. */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const iso = (epochSeconds: number) => new Date(epochSeconds * 1000).toISOString();

interface Story extends Omit<SimulationOptions, 'start'> {
  readonly shards?: number;
  /** The id of an item by its number. */
  readonly idOf?: (item: number) => string;
  /** Seconds of the items, which expire by turns, back from the start. */
  readonly within?: number;
  readonly input?: Partial<ReplayInput>;
  readonly disturb?: (simulation: Simulation) => void;
}

/** A replay cuts its span into minutes, with a child for each. */
const TEN_MINUTES = { within: 590 };

async function sweep(
  machine: (typeof MACHINES)[number],
  count: number,
  { shards = 1, idOf = String, within = 50, input, disturb, ...options }: Story = {},
) {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards });
  const simulation = new Simulation({ start: START, model, ...options });
  const from = START - within - 10;
  const at = iso(START - 60);
  await simulation.journal.writeWatermarks(at, { simulated: { since: 0, gone: from - 1, at, shards } });
  for (let item = 0; item < count; item += 1)
    simulation.table.write(idOf(item), START - 1 - (item % within), item % shards);
  if (machine === 'replay') simulation.replay({ from: iso(from), to: iso(START), ...input });
  else simulation.tick(START);
  disturb?.(simulation);
  await simulation.finish();
  const [execution] = simulation.executions;
  const [report] = simulation.reportsOf();
  if (execution === undefined || report === undefined) throw new Error(`no report: ${execution?.cause}`);
  expect(sumOfFates(report)).toBe(report.dryRun ? 0 : report.found);
  expect(simulation.deleted.length + simulation.table.size).toBe(count);
  return { simulation, execution, report };
}

/** Fails the calls of one function. */
const failing =
  (failed: keyof SweepFunctions, fault: CallFault, most = Number.POSITIVE_INFINITY, part = '') =>
  (name: keyof SweepFunctions, { input }: { readonly input: unknown }) => {
    if (name !== failed || most === 0 || !JSON.stringify(input).includes(part)) return undefined;
    most -= 1;
    return fault;
  };

describe.each(MACHINES)('the %s', machine => {
  test.each([1, 25, 26, 1001])('deletes %d items, each once', async count => {
    const { simulation, execution, report } = await sweep(machine, count, TEN_MINUTES);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({
      ...{ found: count, deleted: count, retries: 0, leftForLater: 0, shardsFailed: 0, failedKeys: [] },
    });
    expect(simulation.journal.rows).toMatchObject([
      { table: 'simulated', kind: machine, report: { deleted: count } },
    ]);
  });

  test('of a wrong input fails at once, in PlanSweep', async () => {
    const simulation = new Simulation({ start: START });
    if (machine === 'replay') simulation.replay({ from: 'yesterday', to: 'today' });
    else simulation.tick(START, 0, { tables: [] });
    await simulation.finish();
    expect(simulation.executions).toMatchObject([{ status: 'FAILED', error: 'InvalidExecutionInputError' }]);
    expect(simulation.calls).toMatchObject({ 'plan-sweep': 1, 'record-metrics': 0 });
  });

  test('tries a key that DynamoDB throttles again, alone, and holds up nothing', async () => {
    let refusals = 4;
    const throttled = (id: string) => id === '30' && refusals-- > 0;
    const { simulation, report, execution } = await sweep(machine, 75, { throttled });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 75, deleted: 75, throttled: 4, retries: 4 });
    expect(simulation.deleted.at(-1)?.id).toBe('30');
    const others = simulation.deleted.slice(0, -1).map(({ deletedAt }) => deletedAt);
    expect(Math.max(...others)).toBeLessThan((START + 1) * 1000);
    // A replay has cut its span into parts.
    expect(simulation.calls['delete-chunk']).toBeLessThanOrEqual(4 + 4);
  });

  test('finds a key that DynamoDB throttles for longer than a chunk is tried with its next page', async () => {
    const throttled = (id: string, nowMs: number) => id === '30' && nowMs < (START + 20) * 1000;
    const { report, execution } = await sweep(machine, 75, { throttled });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 75, deleted: 75, failed: 0 });
  });

  test.each([
    'DynamoDbBusyError',
    'Lambda.TooManyRequestsException',
    'Lambda.ServiceException',
    'Lambda.Unknown',
    'Runtime.ExitError',
    'Sandbox.Timedout',
  ])('calls every function again after %s', async error => {
    const failed = new Set<string>();
    const failingCall = (name: string) => (failed.size < failed.add(name).size ? { error } : undefined);
    const { report, execution } = await sweep(machine, 3, { failingCall });
    expect([failed.size, execution.status]).toEqual([4, 'SUCCEEDED']);
    expect(report).toMatchObject({ found: 3, deleted: 3 });
  });

  test('counts what a function deleted whose answer was lost', async () => {
    const failingCall = failing('delete-chunk', { error: 'Lambda.Unknown', answerLost: true }, 2);
    const { report, execution } = await sweep(machine, 60, { failingCall });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 60, deleted: 10, notFound: 50, failed: 0 });
  });

  const failedKey = (id: string, reason: string) => ({ key: { id: { S: id } }, reason });

  test.each<[string, Story, object, number]>([
    ['throttles for good', { throttled: () => true }, { deleted: 0 }, 60],
    [
      'refuses',
      { refused: id => ['0', '25', '50'].includes(id) },
      {
        ...{ found: 60, failed: 3, shardsFailed: 0 },
        // In the order of their TTLs.
        failedKeys: ['50', '25', '0'].map(id => failedKey(id, 'ValidationError')),
      },
      3,
    ],
    [
      'does not allow to delete',
      { failingCall: failing('delete-chunk', { error: 'AccessDeniedException' }, 99, '"S":"7"') },
      { failed: 10, failedKeys: expect.arrayContaining([failedKey('7', 'AccessDeniedException')]) },
      10,
    ],
    [
      'would delete, if the function did not crash each time',
      { failingCall: failing('delete-chunk', { error: 'Runtime.ExitError' }) },
      { deleted: 0 },
      60,
    ],
    [
      'would show, if the function did not crash for one shard',
      { shards: 4, failingCall: failing('query-expired', { error: 'TypeError' }, 99, '"shards":"0"') },
      { shardsFailed: expect.any(Number) },
      15,
    ],
  ])('tells the keys that DynamoDB %s, and does not stop the rest', async (_name, story, told, left) => {
    const { simulation, report, execution } = await sweep(machine, 60, { ...TEN_MINUTES, ...story });
    expect(execution).toMatchObject({ status: 'FAILED', error: SWEEP_INCOMPLETE });
    expect(report).toMatchObject(told);
    expect(simulation.table.size).toBe(left);
    expect(report.failed + report.shardsFailed).toBeGreaterThan(0);
  });

  const fill = (item: number, character: string) =>
    `${item}-${character.repeat(Math.floor(2043 / Buffer.byteLength(character)))}`;

  test.each<[string, number, (item: number) => string]>([
    ['few short ones', 12, item => `someone-${item}@department.example.com`],
    ['the longest ones, in each of many shards', 100, item => fill(item, '\u0001')],
    ['those of three bytes a character', 50, item => fill(item, '語')],
  ])('lists keys that failed as far as the cause of a failure has room: %s', async (_name, shards, idOf) => {
    const { report, execution } = await sweep(machine, shards, { shards, idOf, refused: () => true });
    // Source: Step Functions quotas, length of a cause; whether that counts characters or bytes is not said.
    expect(Buffer.byteLength(execution.cause ?? '')).toBeLessThan(32_768);
    expect(report).toMatchObject({ found: shards, failed: shards, shardsFailed: 0 });
    expect(report.failedKeys.length).toBeGreaterThan(0);
    expect(report.failedKeys.length).toBeLessThanOrEqual(20);
    expect(report.failedKeys[0]?.reason).toBe('ValidationError');
  });

  test('ends within seconds after a pause, and what it left is not deleted', async () => {
    const disturb = ({ clock, journal }: Simulation) =>
      clock.schedule(3_000, () => Object.assign(journal.pauses, { simulated: { since: iso(START + 3) } }));
    const story = { disturb, failingCall: failing('delete-chunk', { hangsMs: 2_000 }) };
    const { simulation, execution, report } = await sweep(machine, 2_000, story);
    expect(simulation.deleted.length).toBeGreaterThan(0);
    expect(simulation.deleted.at(-1)?.deletedAt).toBeLessThan((START + 8) * 1000);
    expect(report).toMatchObject({ deleted: simulation.deleted.length, failed: 0, shardsFailed: 0 });
    expect(report.leftForLater).toBeGreaterThan(0);
    // A tick's items are the next one's; those of a replay nobody's.
    expect(execution.status).toBe(machine === 'tick' ? 'SUCCEEDED' : 'FAILED');
  });
});

describe('a replay', () => {
  test('goes on in rounds with what its children leave when their time is over', async () => {
    // One child, of which a page of a thousand takes 24 seconds.
    const story = { callMs: 9_500, failingCall: failing('delete-chunk', { hangsMs: 5_000 }) };
    const { simulation, execution, report } = await sweep('replay', 11_000, story);
    expect([execution.status, simulation.table.size]).toEqual(['SUCCEEDED', 0]);
    expect(report).toMatchObject({ found: 11_000, failed: 0, shardsFailed: 0, leftForLater: 0 });
    expect(report.shardsSwept).toBeGreaterThan(1);
  });

  test('as a dry run counts, lists some, and deletes nothing', async () => {
    const { simulation, report } = await sweep('replay', 3_000, { input: { dryRun: true } });
    expect(report).toMatchObject({ dryRun: true, found: 3_000, deleted: 0 });
    expect(report.sampleKeys.length).toBeGreaterThan(0);
    expect([simulation.calls['delete-chunk'], simulation.journal.rows]).toEqual([0, []]);
  });

  test('keeps its limit', async () => {
    const { simulation } = await sweep('replay', 1_000, { input: { maxDeletesPerSecond: 50 } });
    const perSecond = Map.groupBy(simulation.deleted, ({ deletedAt }) => Math.floor(deletedAt / 1000));
    expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThanOrEqual(60);
    const seconds = (simulation.deleted.at(-1)?.deletedAt ?? 0) / 1000 - START;
    expect(seconds).toBeGreaterThan(18);
    expect(seconds).toBeLessThan(40);
  });

  test('moves the watermark over its span, up to ten seconds before its start', async () => {
    const { simulation } = await sweep('replay', 1);
    expect(simulation.journal.state.watermarks.tables['simulated']?.gone).toBe(START - 10);
  });

  test.each([
    ['transient error: it is called again', 2, 'Lambda.Unknown', 'SUCCEEDED', 0],
    ['error for good: what the round came to is told', 99, 'TypeError', 'FAILED', 1],
  ])('after whose round PlanSweep has a %s', async (_name, most, error, status, shardsFailed) => {
    const failingCall = failing('plan-sweep', { error }, most, '"totals"');
    const { execution, report } = await sweep('replay', 10, { failingCall });
    expect(execution.status).toBe(status);
    expect(report).toMatchObject({ deleted: 10, shardsFailed });
  });
});
