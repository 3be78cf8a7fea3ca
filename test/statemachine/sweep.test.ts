import { expiryModel } from '../../expiry/model.ts';
import { MACHINES, SWEEP_INCOMPLETE } from '../../statemachine/contract/machines.ts';
import { sumOfFates } from '../../statemachine/counts.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

/* What both state machines keep. Each story is a sweep of items that expired in the ten minutes before it. */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const iso = (epochSeconds: number) => new Date(epochSeconds * 1000).toISOString();
const SPAN = { from: iso(START - 600), to: iso(START) };

describe.each(MACHINES)('the %s', machine => {
  interface Story extends Omit<SimulationOptions, 'start'> {
    readonly shards?: number;
    /** The id of an item by its number. */
    readonly idOf?: (item: number) => string;
    /** @default one: what it leaves is told */
    readonly ticks?: number;
  }

  async function sweep(count: number, { shards = 1, idOf = String, ticks = 1, ...options }: Story = {}) {
    const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards });
    const simulation = new Simulation({ start: START, model, ...options });
    const at = iso(START - 60);
    await simulation.journal.writeWatermarks(at, { simulated: { since: 0, gone: START - 700, at, shards } });
    for (let item = 0; item < count; item += 1)
      simulation.table.write(idOf(item), START - 1 - (item % 590), item % shards);
    if (machine === 'replay') simulation.replay(SPAN);
    else for (let tick = 0; tick < ticks; tick += 1) simulation.tick(START + tick * 60);
    await simulation.finish();
    const reports = simulation.reportsOf();
    for (const report of reports) expect(sumOfFates(report)).toBe(report.found);
    const [execution] = simulation.executions;
    const [report] = reports;
    if (execution === undefined || report === undefined) throw new Error(`no report: ${execution?.cause}`);
    return { simulation, execution, report, reports };
  }

  test.each([1, 24, 25, 26, 1000, 1001, 2500])('deletes %d items, each once', async count => {
    const { simulation, execution, report } = await sweep(count);
    expect(execution.status).toBe('SUCCEEDED');
    expect(new Set(simulation.deleted.map(({ id }) => id)).size).toBe(count);
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

  describe('keys that DynamoDB throttles', () => {
    test('are tried again, alone, and hold up nothing', async () => {
      let refusals = 4;
      const { simulation, report, execution } = await sweep(75, {
        throttled: id => id === '30' && refusals-- > 0,
      });
      expect(execution.status).toBe('SUCCEEDED');
      expect(report).toMatchObject({ found: 75, deleted: 75, throttled: 4, retries: 4 });
      expect(simulation.deleted.at(-1)?.id).toBe('30');
      const others = simulation.deleted.slice(0, -1).map(({ deletedAt }) => deletedAt);
      expect(Math.max(...others)).toBeLessThan((START + 1) * 1000);
      // A replay has cut its span into parts.
      expect(simulation.calls['delete-chunk']).toBeLessThanOrEqual(4 + 4);
    });

    test('for longer than a chunk is tried are found by the next page', async () => {
      const { report, execution } = await sweep(75, {
        throttled: (id, nowMs) => id === '30' && nowMs < (START + 20) * 1000,
      });
      expect(execution.status).toBe('SUCCEEDED');
      expect(report).toMatchObject({ found: 75, deleted: 75, failed: 0 });
    });

    test('for good are told of', async () => {
      const { simulation, reports, execution } = await sweep(3, { throttled: () => true });
      expect(execution).toMatchObject({ status: 'FAILED', error: SWEEP_INCOMPLETE });
      expect(reports[0]).toMatchObject({ deleted: 0 });
      expect((reports[0]?.failed ?? 0) + (reports[0]?.shardsFailed ?? 0)).toBeGreaterThan(0);
      expect(simulation.table.size).toBe(3);
    });
  });

  describe('keys that cannot be deleted', () => {
    test('are told with their reason, and do not stop the rest', async () => {
      const { simulation, report, execution } = await sweep(60, {
        refused: id => ['0', '25', '50'].includes(id),
      });
      expect(execution.error).toBe(SWEEP_INCOMPLETE);
      expect(report).toMatchObject({ found: 60, deleted: 57, failed: 3, shardsFailed: 0 });
      expect(report.failedKeys.map(({ key }) => (key as { id: unknown } | undefined)?.id)).toEqual(
        expect.arrayContaining(['0', '25', '50'].map(S => ({ S }))),
      );
      expect(simulation.table.ids()).toEqual(['0', '25', '50']);
    });

    test('since a call fails for good are told with its error', async () => {
      const failingCall: SimulationOptions['failingCall'] = (name, { input }) =>
        name === 'delete-chunk' && JSON.stringify(input).includes('"S":"7"')
          ? { error: 'AccessDeniedException' }
          : undefined;
      const { report, execution } = await sweep(50, { failingCall });
      expect(execution.error).toBe(SWEEP_INCOMPLETE);
      expect(report).toMatchObject({ found: 50, deleted: 25, failed: 25 });
      expect(report.failedKeys[0]).toMatchObject({ reason: 'AccessDeniedException' });
    });

    const fill = (item: number, character: string, bytes: number) =>
      `${item}-${character.repeat(Math.floor((bytes - 5) / Buffer.byteLength(character)))}`;

    test.each<[string, number, (item: number) => string]>([
      ['few short ones', 12, item => `someone-${item}@department.example.com`],
      ['the longest ones', 12, item => fill(item, '\u0001', 2048)],
      ['the longest ones, in each of many shards', 200, item => fill(item, '\u0001', 2048)],
      ['those of three bytes a character', 200, item => fill(item, '語', 2048)],
    ])('are listed as far as the cause of a failure has room: %s', async (_name, shards, idOf) => {
      const { report, execution } = await sweep(shards, { shards, idOf, refused: () => true });
      expect(execution.error).toBe(SWEEP_INCOMPLETE);
      // Source: Step Functions quotas, length of a cause; whether that counts characters or bytes is not said.
      expect(Buffer.byteLength(execution.cause ?? '')).toBeLessThan(32_768);
      expect(report).toMatchObject({ found: shards, failed: shards, shardsFailed: 0 });
      expect(report.failedKeys.length).toBeGreaterThan(0);
      expect(report.failedKeys.length).toBeLessThanOrEqual(20);
      expect(report.failedKeys[0]?.reason).toBe('ValidationError');
    });
  });

  describe('functions that fail', () => {
    test.each([
      'DynamoDbBusyError',
      'Lambda.TooManyRequestsException',
      'Lambda.ServiceException',
      'Lambda.Unknown',
      'Runtime.ExitError',
      'Sandbox.Timedout',
    ])('%s: every one is called again', async error => {
      const failed = new Set<string>();
      const failingCall: SimulationOptions['failingCall'] = name => {
        if (failed.has(name)) return undefined;
        failed.add(name);
        return { error };
      };
      const { report, execution } = await sweep(3, { failingCall });
      expect(failed.size).toBe(4);
      expect(execution.status).toBe('SUCCEEDED');
      expect(report).toMatchObject({ found: 3, deleted: 3 });
    });

    test('after their work is done: what they deleted is counted', async () => {
      let lost = 2;
      const failingCall: SimulationOptions['failingCall'] = name =>
        name === 'delete-chunk' && lost-- > 0 ? { error: 'Lambda.Unknown', answerLost: true } : undefined;
      const { simulation, report, execution } = await sweep(60, { failingCall });
      expect(execution.status).toBe('SUCCEEDED');
      expect(simulation.deleted).toHaveLength(60);
      expect(report).toMatchObject({ found: 60, deleted: 10, notFound: 50, failed: 0 });
    });

    test('each time end their child in time, and are told of', async () => {
      const failingCall: SimulationOptions['failingCall'] = name =>
        name === 'delete-chunk' ? { error: 'Runtime.ExitError' } : undefined;
      const { simulation, report, execution } = await sweep(3, { failingCall });
      expect(execution.error).toBe(SWEEP_INCOMPLETE);
      expect(report.failed + report.shardsFailed).toBeGreaterThan(0);
      expect(simulation.table.size).toBe(3);
    });

    test('in the one that plans a child: the others are swept, and it is told of', async () => {
      const failingCall: SimulationOptions['failingCall'] = (name, { input }) => {
        const isFirst = JSON.stringify(input).includes('"shards":"0"');
        return name === 'query-expired' && isFirst ? { error: 'TypeError' } : undefined;
      };
      const { simulation, report, execution } = await sweep(40, {
        shards: 4,
        failingCall,
        model: expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards: 4 }),
      });
      expect(execution.error).toBe(SWEEP_INCOMPLETE);
      expect(report.shardsFailed + simulation.table.size).toBeGreaterThan(0);
    });
  });

  test('a pause ends it within seconds, and what it left is not deleted', async () => {
    const pauseAt = START + 3;
    const failingCall: SimulationOptions['failingCall'] = name => {
      if (simulationNow() >= pauseAt) pause();
      return name === 'delete-chunk' ? { hangsMs: 1_000 } : undefined;
    };
    let running: Simulation | undefined;
    const simulationNow = () => (running?.clock.now() ?? 0) / 1000;
    const pause = () => Object.assign(running?.journal.pauses ?? {}, { simulated: { since: iso(pauseAt) } });
    running = new Simulation({
      start: START,
      model: expiryModel({ partitionKey: 'id', granularityMinutes: 1440 }),
      failingCall,
    });
    const at = iso(START - 60);
    await running.journal.writeWatermarks(at, { simulated: { since: 0, gone: START - 700, at, shards: 1 } });
    for (let item = 0; item < 20_000; item += 1) running.table.write(`${item}`, START - 10 - (item % 100));
    if (machine === 'replay') running.replay(SPAN);
    else running.tick(START);
    await running.finish();
    expect(running.deleted.length).toBeGreaterThan(0);
    expect(Math.max(...running.deleted.map(({ deletedAt }) => deletedAt))).toBeLessThan((pauseAt + 5) * 1000);
    expect(running.table.size + running.deleted.length).toBe(20_000);
    const [report] = running.reportsOf();
    expect(report).toMatchObject({ deleted: running.deleted.length, failed: 0, shardsFailed: 0 });
    expect(report?.leftForLater).toBeGreaterThan(0);
    // A tick's items are the next one's; those of a replay nobody's.
    expect(running.executions[0]?.status).toBe(machine === 'tick' ? 'SUCCEEDED' : 'FAILED');
  });
});

const MODEL = expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards: 1 });

describe('a replay', () => {
  async function replay(input: object, options: Partial<SimulationOptions> = {}, count = 3_000) {
    const simulation = new Simulation({
      start: START,
      model: MODEL,
      ...options,
    });
    for (let item = 0; item < count; item += 1) simulation.table.write(`${item}`, START - 1 - (item % 590));
    simulation.replay({ ...SPAN, ...input });
    await simulation.finish();
    const [execution] = simulation.executions;
    return { simulation, execution, report: simulation.reportsOf()[0] };
  }

  test('goes on in rounds with what its children leave when their time is over', async () => {
    // One child, of which a page of a thousand takes eight seconds.
    const simulation = new Simulation({ start: START, callMs: 4_000, model: MODEL });
    for (let item = 0; item < 30_000; item += 1) simulation.table.write(`${item}`, START - 1 - (item % 50));
    simulation.replay({ from: iso(START - 50), to: iso(START) });
    await simulation.finish();
    const [execution] = simulation.executions;
    expect(execution?.status).toBe('SUCCEEDED');
    const counts = {
      found: 30_000,
      deleted: 30_000,
      failed: 0,
      shardsFailed: 0,
      leftForLater: 0,
    };
    expect(simulation.reportsOf()).toMatchObject([counts]);
    expect(simulation.reportsOf()[0]?.shardsSwept).toBeGreaterThan(1);
    expect(simulation.table.size).toBe(0);
  });

  test('as a dry run counts, lists some, and deletes nothing', async () => {
    const { simulation, report } = await replay({ dryRun: true });
    expect(report).toMatchObject({ dryRun: true, found: 3_000, deleted: 0 });
    expect(report?.sampleKeys.length).toBeGreaterThan(0);
    expect([simulation.table.size, simulation.calls['delete-chunk'], simulation.journal.rows]).toEqual([
      3_000,
      0,
      [],
    ]);
  });

  test('keeps its limit', async () => {
    const { simulation, report } = await replay({ maxDeletesPerSecond: 50 });
    expect(report).toMatchObject({ deleted: 3_000 });
    const perSecond = Map.groupBy(simulation.deleted, ({ deletedAt }) => Math.floor(deletedAt / 1000));
    expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThanOrEqual(60);
    const seconds = (simulation.deleted.at(-1)?.deletedAt ?? 0) / 1000 - START;
    expect(seconds).toBeGreaterThan(55);
    expect(seconds).toBeLessThan(90);
  });

  test('moves the watermark over its span', async () => {
    const simulation = new Simulation({ start: START });
    const at = iso(START - 600);
    await simulation.journal.writeWatermarks(at, {
      simulated: { since: 0, gone: START - 601, at, shards: 1 },
    });
    simulation.replay(SPAN);
    await simulation.finish();
    expect(simulation.journal.state.watermarks.tables['simulated']?.gone).toBe(START - 1);
  });
});

describe('PlanFurther', () => {
  test.each([
    ['transient: it is called again', 2, 'Lambda.Unknown', 'SUCCEEDED', { shardsFailed: 0 }],
    ['for good: what the round came to is told', 99, 'TypeError', 'FAILED', { shardsFailed: 1 }],
  ])('an error is %s', async (_name, most, error, status, told) => {
    let plans = 0;
    const simulation = new Simulation({
      start: START,
      failingCall: name => {
        if (name !== 'plan-sweep') return undefined;
        plans += 1;
        return plans > 1 && plans <= 1 + most ? { error } : undefined;
      },
    });
    for (let item = 0; item < 10; item += 1) simulation.table.write(`${item}`, START - 10);
    simulation.replay(SPAN);
    await simulation.finish();
    expect(simulation.executions).toMatchObject([{ status }]);
    expect(simulation.reportsOf()).toMatchObject([{ deleted: 10, ...told }]);
  });
});
