import { planReplay } from '../../../functions/plan-sweep/plan-replay.ts';
import { startTotals } from '../../../functions/report/sweep-totals.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { SweepState } from '../../../statemachine/contract/execution.ts';
import type { SweepTotals } from '../../../statemachine/contract/report.ts';
import { carriedOf } from '../../support/sweep-settings.ts';

const SPAN = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:00Z' };
const TTL = Date.parse('2026-11-20T08:30:00Z') / 1000;
const HANDED_OVER = { table: 'one', ...SPAN, handOver: true };

interface Replay {
  readonly tables?: readonly string[];
  readonly input?: object;
  readonly soFar?: SweepState | null;
  readonly renewed?: boolean;
  readonly isBusy?: boolean;
  readonly maxDeletesPerSecond?: number;
}

/** Every table holds one item, in the middle of the span. */
async function plan({
  tables = ['one', 'two'],
  input = {},
  soFar = null,
  renewed = true,
  isBusy = false,
  maxDeletesPerSecond = 0,
}: Replay = {}) {
  const renewHandOver = jest.fn(async (_table: string, _execution: string) => renewed);
  const asked = new Set<string>();
  const planning = planReplay(
    {
      machine: 'replay',
      tables: tables.map(tableName =>
        carriedOf({
          tableName,
          partitionKey: 'id',
          index: { granularityMinutes: 1440, shards: 1 },
          maxDeletesPerSecond,
        }),
      ),
      executionInput: { ...SPAN, ...input },
      execution: 'replay-1',
      startedAt: '2026-11-20T09:30:00.000Z',
      soFar,
    },
    {
      tableOf: settings => ({
        settings,
        logger: { info: jest.fn(), warn: jest.fn() },
        readIndex: async () => {
          asked.add(settings.tableName);
          if (isBusy) throw new DynamoDbBusyError('throttled');
          const entries = [{ key: { id: { S: 'a' } }, ttl: TTL }];
          return { entries, positions: entries.map(({ key }) => key), more: false, readAt: TTL + 3600 };
        },
      }),
      journal: {
        renewHandOver,
        read: async () => ({
          control: { pauses: {}, handOvers: {} },
          watermarks: { tables: {} },
        }),
      },
    },
    () => 100_000,
  );
  return { planning, asked, renewHandOver };
}

const planned = async (replay?: Replay) => {
  const { planning, ...seen } = await plan(replay);
  return { output: await planning, ...seen };
};

describe('the table', () => {
  test('is the one that the input names, and no other is asked', async () => {
    const { output, asked } = await planned({ input: { table: 'two' } });
    expect([...asked]).toEqual(['two']);
    expect(Object.keys(output.sweeps)).toEqual(['two']);
    expect(output.due.map(({ table }) => table)).toEqual(['two']);
  });

  test('is the only one of its deployment when the input names none', async () => {
    const { output } = await planned({ tables: ['one'] });
    expect(output.due.map(({ table }) => table)).toEqual(['one']);
    expect(output).toMatchObject({ next: 'sweep', last: true, report: { dryRun: false } });
  });

  test.each([
    ['no name, where there are several', {}, /table: expected one of one, two/],
    ['a name that the deployment has not', { table: 'three' }, /table: expected of one, two, got "three"/],
  ])('fails the execution for %s, which asks nothing', async (_name, input, message) => {
    const { planning, asked } = await plan({ input });
    await expect(planning).rejects.toMatchObject({ name: 'InvalidExecutionInputError' });
    await expect(planning).rejects.toThrow(message);
    expect(asked.size).toBe(0);
  });

  test('keeps the settings that the execution began with', async () => {
    const old = carriedOf({
      tableName: 'one',
      partitionKey: 'id',
      index: { granularityMinutes: 1440, shards: 2 },
    });
    const progress = {
      totals: startTotals(false),
      roundTargets: 0,
      cursor: { window: TTL - (TTL % 86_400), shard: 0 },
    };
    const soFar = { sweeps: { one: { settings: old, progress } }, results: [], retries: 0 };
    const { output } = await planned({ input: { table: 'one' }, soFar });
    expect(output.sweeps['one']?.settings).toEqual(old);
    expect(output.due).toHaveLength(2);
  });
});

describe('what a tick has handed over', () => {
  test('says before each round that it is there', async () => {
    const { output, renewHandOver } = await planned({ input: HANDED_OVER });
    expect(output.next).toBe('sweep');
    expect(renewHandOver.mock.calls).toEqual([['one', 'replay-1']]);
  });

  test('keeps nothing from the ticks as long as it cannot be planned', async () => {
    const { planning, renewHandOver } = await plan({ input: HANDED_OVER, isBusy: true });
    await expect(planning).rejects.toBeInstanceOf(DynamoDbBusyError);
    expect(renewHandOver).not.toHaveBeenCalled();
  });

  test('does not say so any more when its record has failed and it ends', async () => {
    const settings = carriedOf({ tableName: 'one', partitionKey: 'id', index: { granularityMinutes: 1440 } });
    const progress = { totals: { ...startTotals(false), deleted: 5 }, roundTargets: 0, cursor: null };
    const sweeps = { one: { settings, progress } };
    const soFar = { sweeps, results: [], retries: 0, recordingFailed: 'JournalUnwritableError' };
    const { output, renewHandOver } = await planned({ input: HANDED_OVER, soFar });
    expect(output.next).toBe('end');
    expect(renewHandOver).not.toHaveBeenCalled();
  });

  const lost = async (totals: Partial<SweepTotals>) => {
    const settings = carriedOf({ tableName: 'one', partitionKey: 'id', index: { granularityMinutes: 1440 } });
    const cursor = { window: TTL - (TTL % 86_400), shard: 0 };
    const progress = { totals: { ...startTotals(false), deleted: 5, ...totals }, roundTargets: 0, cursor };
    const soFar = { sweeps: { one: { settings, progress } }, results: [], retries: 0 };
    return (await planned({ input: HANDED_OVER, soFar, renewed: false })).output;
  };

  test("ends when its table was paused, or is another one's, and tells what it did and that it left something", async () => {
    const output = await lost({});
    expect(output).toMatchObject({ next: 'record', due: [] });
    expect(output.sweeps['one']?.progress).toMatchObject({
      roundTargets: 0,
      totals: { deleted: 5, leftForLater: 1, shardsFailed: 0 },
    });
  });

  test('fails at that when something had failed before', async () => {
    expect(await lost({ failed: 1 })).toMatchObject({ next: 'recordFailure', due: [] });
  });

  test('ends when its table got a limit, which the ticks keep to', async () => {
    const { output, renewHandOver } = await planned({ input: HANDED_OVER, maxDeletesPerSecond: 50 });
    expect(output).toMatchObject({ next: 'record', due: [] });
    expect(output.sweeps['one']?.progress?.totals).toMatchObject({ leftForLater: 1 });
    expect(renewHandOver).not.toHaveBeenCalled();
  });

  test('is no replay by hand: that asks nobody', async () => {
    const { output, renewHandOver } = await planned({ input: { table: 'one' }, renewed: false });
    expect(output.next).toBe('sweep');
    expect(renewHandOver).not.toHaveBeenCalled();
  });
});
