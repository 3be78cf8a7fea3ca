import { VirtualClock } from 'stepfunctions-emulator';
import type { DeploymentState, Watermark } from '../../../functions/journal/layout.ts';
import type { AskedTable } from '../../../functions/plan-sweep/plan-round.ts';
import { planTick } from '../../../functions/plan-sweep/plan-tick.ts';
import type { SweepSettings } from '../../../functions/runtime/environment.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import { shardsOfTarget } from '../../../functions/table/target-windows.ts';
import type { PlanSweepOutput } from '../../../statemachine/contract/execution.ts';
import { PART_BYTES, TICK_CHILDREN } from '../../../statemachine/contract/limits.ts';
import { carriedOf } from '../../support/sweep-settings.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const STARTED_MS = (MINUTE + 5) * 1000;
const TICK = { scheduledTime: '2026-11-20T09:00:00Z' };
/** Within the minute that the tick owns. */
const UPCOMING = MINUTE + 90;
const OVERDUE = MINUTE - 30;

type Props = Partial<Parameters<typeof carriedOf>[0]>;

interface Deployment {
  /** By name of the table: its TTLs, by shard; or what a read of it throws, or when it answers. */
  readonly tables: Readonly<Record<string, Held>>;
  readonly props?: Readonly<Record<string, Props>>;
  /** Settings that no deployment has. */
  readonly broken?: Readonly<Record<string, object>>;
  readonly control?: Partial<DeploymentState['control']>;
  readonly watermarks?: Readonly<Record<string, Watermark>>;
  readonly input?: object;
  /** That each read takes. @default 0 */
  readonly readMs?: number;
  /** When another tick began, ISO-8601. */
  readonly otherTick?: string;
  /** The journal takes nothing. @default false */
  readonly isUnwritable?: boolean;
  /** When this tick begins, epoch milliseconds. */
  readonly startedMs?: number;
}

type Held = readonly (readonly number[])[] | Error;

async function plan({
  tables,
  props = {},
  broken = {},
  control,
  watermarks = {},
  input = {},
  readMs = 0,
  otherTick,
  isUnwritable = false,
  startedMs = STARTED_MS,
}: Deployment) {
  const clock = new VirtualClock(startedMs);
  const asked: string[] = [];
  const written: Readonly<Record<string, Watermark>>[] = [];
  const ages: [string, number][] = [];
  const logger = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const tableOf = (settings: SweepSettings): AskedTable => {
    const readIndex: ReadIndex = async ({ value }, range, _startKey, limit) => {
      asked.push(settings.tableName);
      const held = tables[settings.tableName] ?? [];
      if (held instanceof Error) throw held;
      if (readMs > 0) await clock.sleep(readMs);
      // A window of a day: all that a shard holds.
      const [, shard = '0'] = String(value).split('#');
      const isToday = String(value).startsWith('2026-11-20');
      const ttls = (isToday ? (held[Number(shard)] ?? []) : []).filter(
        ttl => range.from <= ttl && ttl <= range.upTo,
      );
      const entries = ttls
        .toSorted((one, other) => one - other)
        .slice(0, limit)
        .map(ttl => ({ key: { id: { S: 'a' } }, ttl }));
      return {
        entries,
        positions: entries.map(({ key }) => key),
        more: ttls.length > limit,
        readAt: MINUTE + 5,
      };
    };
    return { settings, readIndex, logger };
  };
  const output = await planTick(
    {
      machine: 'tick',
      tables: Object.keys(tables).map(tableName => ({
        ...carriedOf({
          tableName,
          partitionKey: 'id',
          index: { granularityMinutes: 1440 },
          ...props[tableName],
        }),
        ...broken[tableName],
      })),
      executionInput: { ...TICK, ...input },
      execution: 'tick-1',
      startedAt: new Date(startedMs).toISOString(),
      soFar: null,
    },
    {
      tableOf,
      logger,
      journal: {
        read: async () => ({
          control: { pauses: {}, handOvers: {}, ...control },
          watermarks: { tables: watermarks, ...(otherTick !== undefined && { tick: otherTick }) },
        }),
        writeWatermarks: async (_tick, all) => {
          if (isUnwritable) throw new Error('read only');
          written.push(all);
        },
      },
      record: (name, value, told) => {
        if (name === 'WatermarkAge') ages.push([told?.['TableName'] ?? '', value]);
      },
      clock: () => clock.now(),
      sleep: readMs > 0 ? ms => clock.sleep(ms) : () => new Promise(() => undefined),
    },
  );
  return { output, asked: new Set(asked), written, ages, logger };
}

const partsOf = ({ due, parts, sweeps }: PlanSweepOutput) => [{ due, sweeps }, ...parts];
const childrenOf = (output: PlanSweepOutput) => partsOf(output).flatMap(({ due }) => due);
const tablesOf = (output: PlanSweepOutput) => partsOf(output).map(({ due }) => due.map(({ table }) => table));
const named = (count: number, held: Held) =>
  Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`table-${index}`, held]));

describe('an idle deployment', () => {
  test('has nothing to do, and says of each table that it is clean', async () => {
    const { output, written, logger } = await plan({ tables: named(100, []) });
    expect(output).toEqual({
      next: 'end',
      due: [],
      parts: [],
      last: true,
      results: [],
      sweeps: {},
      report: null,
    });
    expect(written).toHaveLength(1);
    expect(Object.keys(written[0] ?? {})).toHaveLength(100);
    // An execution says so itself: a line would only be paid for.
    expect(logger.info).not.toHaveBeenCalled();
  });
});

describe('what the operators have set', () => {
  test('a paused table is neither asked nor swept, and its watermark stays', async () => {
    const gone = { since: 0, gone: MINUTE - 3600, at: '2026-11-20T08:00:00.000Z' };
    const { output, asked, written } = await plan({
      tables: { one: [[UPCOMING]], two: [[UPCOMING]] },
      control: { pauses: { one: { since: '2026-11-20T08:00:00Z' } } },
      watermarks: { one: gone, two: gone },
    });
    expect(tablesOf(output)).toEqual([['two']]);
    expect([...asked]).toEqual(['two']);
    expect(written[0]).not.toHaveProperty('one');
  });

  test('a pause that has ended pauses nothing', async () => {
    const until = new Date(STARTED_MS).toISOString();
    const { output } = await plan({
      tables: { one: [[UPCOMING]] },
      control: { pauses: { one: { since: '2026-11-20T08:00:00Z', until } } },
    });
    expect(tablesOf(output)).toEqual([['one']]);
  });

  test('a limit holds for its table only', async () => {
    const { output } = await plan({
      tables: { one: [[UPCOMING]], two: [[UPCOMING]] },
      props: { one: { maxDeletesPerSecond: 7 } },
    });
    expect(output.due.map(({ table, progress: { limit } }) => [table, limit?.perSecond])).toEqual([
      ['one', 7],
      ['two', undefined],
    ]);
    expect(output.sweeps['one']?.planned).toMatchObject({ limited: true });
    expect(output.sweeps['two']?.planned).not.toHaveProperty('limited');
  });

  test('a journal that cannot be read fails the plan, and nothing is asked', async () => {
    const readIndex = jest.fn();
    const unreadable = Object.assign(new Error('no'), { name: 'JournalUnreadableError' });
    const planning = planTick(
      {
        machine: 'tick',
        tables: [carriedOf({ tableName: 'one', partitionKey: 'id' })],
        executionInput: TICK,
        execution: 'tick-1',
        startedAt: new Date(STARTED_MS).toISOString(),
        soFar: null,
      },
      {
        tableOf: settings => ({ settings, readIndex, logger: console }),
        logger: console,
        journal: {
          read: () => Promise.reject(unreadable),
          writeWatermarks: jest.fn(),
        },
        record: jest.fn(),
        clock: () => STARTED_MS,
        sleep: () => new Promise(() => undefined),
      },
    );
    await expect(planning).rejects.toBe(unreadable);
    expect(readIndex).not.toHaveBeenCalled();
  });
});

const iso = (seconds: number) => new Date(STARTED_MS + seconds * 1000).toISOString();

test.each<[string, number, Partial<Deployment>]>([
  ['not again a minute after the last ones', 0, {}],
  ['two minutes after them', 1, { otherTick: iso(-120) }],
  ['when something is due', 1, { tables: { one: [[MINUTE + 65]] } }],
  ['of a table that had none', 1, { watermarks: {} }],
  ['by second, each minute', 1, { props: { one: { index: { by: 'second' } } } }],
  ['of a table that is not where it should be', 1, { tables: { one: new DynamoDbBusyError('throttled') } }],
])('watermarks are written %s', async (_when, writes, changed) => {
  const { written } = await plan({
    tables: { one: [] },
    watermarks: { one: { since: 0, gone: MINUTE - 60, at: iso(-60) } },
    otherTick: iso(-60),
    ...changed,
  });
  expect(written).toHaveLength(writes);
});

describe('the age of the oldest watermark', () => {
  const HOUR = 3_600;
  const NOW = STARTED_MS / 1000;
  const ISO = (seconds: number) => new Date(seconds * 1000).toISOString();
  const goneAgo = (seconds: number): Watermark => ({ since: 0, gone: NOW - seconds, at: ISO(NOW - seconds) });

  test('is recorded of a table that somebody has paused and forgotten, with its name', async () => {
    const { ages } = await plan({
      tables: { idle: [], one: [], two: [] },
      control: { pauses: { one: { since: ISO(NOW - 25 * HOUR) }, two: { since: ISO(NOW - 30 * HOUR) } } },
      watermarks: { idle: goneAgo(60), one: goneAgo(25 * HOUR), two: goneAgo(30 * HOUR) },
    });
    expect(ages).toEqual([['two', 30 * HOUR]]);
  });

  test('is recorded of a table that nobody knows enough of to move its watermark', async () => {
    const props = { one: { index: { granularityMinutes: 1 } } };
    const { ages } = await plan({ tables: { one: [] }, props, watermarks: { one: goneAgo(72 * HOUR) } });
    expect(ages).toEqual([['one', 72 * HOUR]]);
  });

  test('is recorded of a table that was paused before anybody swept it', async () => {
    const pauses = { one: { since: ISO(NOW - 26 * HOUR) } };
    expect((await plan({ tables: { one: [] }, control: { pauses } })).ages).toEqual([['one', 26 * HOUR]]);
  });

  test.each<[string, Parameters<typeof plan>[0]]>([
    ['all keep up', { tables: { one: [] }, watermarks: { one: goneAgo(60) } }],
    [
      'this tick moves it',
      {
        tables: { one: [] },
        props: { one: { lookbackMinutes: 1440 } },
        watermarks: { one: goneAgo(5 * HOUR) },
      },
    ],
    ['none is known', { tables: { one: [] } }],
    [
      'the pause has an end that is still to come',
      {
        tables: { one: [] },
        control: { pauses: { one: { since: ISO(NOW - 72 * HOUR), until: ISO(NOW + 1) } } },
        watermarks: { one: goneAgo(72 * HOUR) },
      },
    ],
    [
      'the pause has just ended, and the ticks may still make up for it',
      {
        tables: { one: [] },
        control: { pauses: { one: { since: ISO(NOW - 72 * HOUR), until: ISO(NOW - HOUR + 1) } } },
        watermarks: { one: goneAgo(72 * HOUR) },
      },
    ],
    [
      'the table is in none of its ticks any more',
      { tables: { one: [] }, watermarks: { one: goneAgo(60), gone: goneAgo(72 * HOUR) } },
    ],
    [
      'the tick is for some tables only',
      {
        tables: { one: [], two: [] },
        input: { tables: ['one'] },
        watermarks: { one: goneAgo(60), two: goneAgo(72 * HOUR) },
      },
    ],
  ])('is not recorded when %s', async (_when, deployment) => {
    expect((await plan(deployment)).ages).toEqual([]);
  });
});

describe('while a hand-over', () => {
  const handOvers = (until: number) => ({
    one: { before: MINUTE - 10, until, execution: 'replay-1' },
  });

  test('lives, a tick takes only what expires from its end on', async () => {
    const { output, written } = await plan({
      tables: { one: [[OVERDUE, MINUTE - 5, UPCOMING]] },
      control: { handOvers: handOvers(MINUTE + 60) },
    });
    const froms = childrenOf(output).map(({ progress: { target } }) => target.from);
    expect(Math.min(...froms)).toBe(MINUTE - 10);
    expect(written[0]).not.toHaveProperty('one');
  });

  test('is dead, it takes everything again', async () => {
    const { output } = await plan({
      tables: { one: [[OVERDUE]] },
      control: { handOvers: handOvers(MINUTE + 5) },
    });
    const [
      {
        progress: { target },
      } = { progress: { target: { from: MINUTE } } },
    ] = output.due;
    expect(target.from).toBeLessThan(OVERDUE);
    expect(output.sweeps['one']?.planned).toMatchObject({ oldestOverdueSeconds: 35 });
  });
});

describe('trouble with a table', () => {
  test('is its own: one that cannot be asked has its failure, and the others are swept', async () => {
    const gone = Object.assign(new Error('no such table'), { name: 'ResourceNotFoundException' });
    const { output, written, logger } = await plan({ tables: { bad: gone, good: [[UPCOMING]] } });
    expect(tablesOf(output)).toEqual([['good']]);
    expect(output.sweeps['bad']?.planned).toMatchObject({
      targets: 0,
      failure: { error: 'ResourceNotFoundException', message: 'no such table' },
    });
    expect(Object.keys(written[0] ?? {})).toEqual(['good']);
    expect(logger.info.mock.calls[0]?.[1]).toMatchObject({ failed: [{ table: 'bad' }] });
  });

  test('alone is recorded', async () => {
    const { output } = await plan({ tables: { bad: new Error('no') } });
    expect(output).toMatchObject({ next: 'record', due: [] });
  });

  test('with its settings is its own, too', async () => {
    const { output } = await plan({
      tables: { bad: [[UPCOMING]], good: [[UPCOMING]] },
      broken: { bad: { shards: 'many' } },
    });
    expect(tablesOf(output)).toEqual([['good']]);
    expect(output.sweeps['bad']?.planned?.failure).toMatchObject({ error: 'InvalidSettingsError' });
  });

  test('that is too busy to say gets a child for each shard all the same, now and in the upcoming minute', async () => {
    const { output, written } = await plan({
      tables: { busy: new DynamoDbBusyError('throttled'), good: [[UPCOMING]] },
      props: { busy: { index: { shards: 3 } } },
    });
    const busy = childrenOf(output).filter(({ table }) => table === 'busy');
    const keys = (isUpcoming: boolean) =>
      busy
        .filter(({ progress: { target } }) => (target.upcomingFrom !== null) === isUpcoming)
        .flatMap(({ progress: { target } }) => shardsOfTarget(target))
        .map(String);
    expect(keys(true)).toEqual(['0', '1', '2']);
    expect([...new Set(keys(false))]).toEqual(['0', '1', '2']);
    expect(output.sweeps['busy']?.planned).not.toHaveProperty('failure');
    // Nobody knows what it holds.
    expect(Object.keys(written[0] ?? {})).toEqual(['good']);
  });

  test('of which an input names another fails the execution', async () => {
    await expect(plan({ tables: { one: [] }, input: { tables: ['two'] } })).rejects.toMatchObject({
      name: 'InvalidExecutionInputError',
    });
  });
});

test('an input that names tables sweeps only these', async () => {
  const { output, asked } = await plan({
    tables: { one: [[UPCOMING]], two: [[UPCOMING]] },
    input: { tables: ['two'] },
  });
  expect(tablesOf(output)).toEqual([['two']]);
  expect([...asked]).toEqual(['two']);
});

describe('targets', () => {
  const busy = (shards: number): Held => Array.from({ length: shards }, () => [UPCOMING]);

  test("are dealt out in turn: a table with many has them after everybody else's first", async () => {
    const { output } = await plan({
      tables: { many: busy(30), one: busy(1), two: busy(9) },
      props: { many: { index: { shards: 30 } }, two: { index: { shards: 9 } } },
    });
    expect(tablesOf(output)[0]?.slice(0, 6)).toEqual(['many', 'one', 'two', 'many', 'two', 'many']);
  });

  test.each([
    ['without a limit: a child takes up to eight shards', {}, [5, 5]],
    ['with a limit: each shard has a child of its own', { maxDeletesPerSecond: 500 }, Array(10).fill(1)],
  ])('of an upcoming minute, %s', async (_name, props, counts) => {
    const { output } = await plan({
      tables: { one: busy(10) },
      props: { one: { index: { shards: 10 }, ...props } },
    });
    const keys = output.due.map(({ progress: { target } }) => shardsOfTarget(target));
    expect(keys.map(({ length }) => length)).toEqual(counts);
    expect(new Set(keys.flat()).size).toBe(10);
  });

  test('beyond 40 go to further executions, each with the settings of its tables and what is told of them once', async () => {
    const { output } = await plan({ tables: named(90, [[OVERDUE]]) });
    const parts = partsOf(output);
    expect(parts.map(({ due }) => due.length)).toEqual([40, 40, 10]);
    for (const { due, sweeps } of parts) {
      expect(Object.keys(sweeps).sort()).toEqual(due.map(({ table }) => table).sort());
      for (const { planned, settings } of Object.values(sweeps)) {
        expect(planned).toMatchObject({ targets: 1, oldestOverdueSeconds: 35 });
        expect(settings).toMatchObject({ partitionKey: 'id' });
      }
    }
  });

  test.each<[string, readonly number[], number, readonly number[]]>([
    ['shortly before the minute, since their waiting is paid for', [UPCOMING], 5, [40, 40]],
    ['at once when the tick comes late', [UPCOMING], 50, [0, 0]],
    ['at once where they sweep what lies back', [OVERDUE, UPCOMING], 5, [40, 40, 0, 0, 0]],
    ['at once where the tick itself has something that lies back', [OVERDUE], 5, [0, 0]],
  ])('further executions are started %s', async (_name, ttls, lateSeconds, waits) => {
    const { output } = await plan({ tables: named(90, [ttls]), startedMs: (MINUTE + lateSeconds) * 1000 });
    expect(output.parts.map(({ afterSeconds }) => afterSeconds)).toEqual(waits);
  });

  /** How often each shard of a table has a child. */
  const shardsIn = (output: PlanSweepOutput, name: string, isUpcoming: boolean) =>
    childrenOf(output)
      .filter(({ table }) => table === name)
      .filter(({ progress: { target } }) => (target.upcomingFrom !== null) === isUpcoming)
      .flatMap(({ progress: { target } }) => shardsOfTarget(target));

  test('of one table with many shards go to further executions, eight shards to a child', async () => {
    const shards = 1000;
    const { output } = await plan({ tables: { wide: busy(shards) }, props: { wide: { index: { shards } } } });
    expect(partsOf(output).map(({ due }) => due.length)).toEqual([40, 40, 40, 5]);
    expect(shardsIn(output, 'wide', true).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: shards }, (_unused, shard) => shard),
    );
  });

  test('that small tables beside one with a thousand shards and a backlog do not need are given to that one', async () => {
    const shards = 1000;
    const small = named(99, [[UPCOMING]]);
    const big = Array.from({ length: shards }, () => [OVERDUE, UPCOMING]);
    const { output } = await plan({ tables: { ...small, big }, props: { big: { index: { shards } } } });
    for (const name of Object.keys(small)) expect(shardsIn(output, name, true)).toEqual([0]);
    expect(childrenOf(output)).toHaveLength(TICK_CHILDREN);
    expect(new Set(shardsIn(output, 'big', true)).size).toBe(shards);
    expect(new Set(shardsIn(output, 'big', false)).size).toBe(shards);
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(256 * 1024);
  });

  test.each([
    [100, 26],
    [10, 400],
  ])(
    'of %i tables with %i shards, all busy and all with something that lies back, are planned in one tick',
    async (count, shards) => {
      const tables = named(
        count,
        Array.from({ length: shards }, () => [OVERDUE, UPCOMING]),
      );
      const props = Object.fromEntries(Object.keys(tables).map(name => [name, { index: { shards } }]));
      const { output, logger } = await plan({ tables, props });
      expect(logger.info.mock.calls[0]?.[1].failed).toEqual([]);
      for (const name of Object.keys(tables)) {
        expect(new Set(shardsIn(output, name, true)).size).toBe(shards);
        expect(new Set(shardsIn(output, name, false)).size).toBe(shards);
      }
      expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(256 * 1024);
      for (const part of partsOf(output))
        expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(PART_BYTES);
    },
  );

  test('for which no execution has room fail their tables, and those that have it are swept', async () => {
    const { output, logger } = await plan({ tables: named(TICK_CHILDREN + 60, [[UPCOMING]]) });
    const parts = partsOf(output);
    const swept = new Set(tablesOf(output).flat());
    const failed = parts.flatMap(({ sweeps }) =>
      Object.entries(sweeps).flatMap(([name, { planned }]) => (planned?.failure ? [name] : [])),
    );
    expect(failed.length).toBeGreaterThanOrEqual(60);
    expect(failed).toHaveLength(TICK_CHILDREN + 60 - swept.size);
    expect(failed.some(name => swept.has(name))).toBe(false);
    expect(swept.size).toBeGreaterThan(100);
    expect(logger.info.mock.calls[0]?.[1].failed).toHaveLength(failed.length);
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(256 * 1024);
  });
});

describe('the watermark', () => {
  const earlier = (gone: number) => ({ one: { since: 1, gone, at: '2026-11-20T08:59:05.000Z' } });
  const cutoff = MINUTE - 1;

  test.each<[string, Held, Readonly<Record<string, Watermark>>, number | undefined]>([
    ['of a table that holds nothing is the last second that is looked at', [[]], {}, cutoff],
    ['stays behind what is overdue', [[OVERDUE, OVERDUE + 5]], {}, OVERDUE - 1],
    ['does not wait for what is not due yet', [[UPCOMING]], {}, cutoff],
    ['goes on where the tick before it ended', [[]], earlier(MINUTE - 61), cutoff],
    ['does not pass what nobody has looked at', [[]], earlier(MINUTE - 40 * 86_400), undefined],
  ])('%s', async (_name, held, watermarks, gone) => {
    const { written } = await plan({ tables: { one: held }, watermarks });
    const at = new Date(STARTED_MS).toISOString();
    // With the first tick that looks, it begins where that looks back to.
    const since = watermarks['one']?.since ?? cutoff - 600;
    expect(written).toEqual([gone === undefined ? {} : { one: { since, gone, at } }]);
  });
});

test('a journal that can be read but not written keeps nothing from being swept', async () => {
  const { output, logger } = await plan({ tables: { one: [[OVERDUE]] }, isUnwritable: true });
  expect(childrenOf(output)).toHaveLength(1);
  expect(logger.error).toHaveBeenCalledWith('cannot write the watermarks', expect.anything());
});

test('another tick 20 s before leaves this one its minute', async () => {
  const { output } = await plan({
    tables: { one: [[UPCOMING]] },
    otherTick: new Date(STARTED_MS - 20_000).toISOString(),
  });
  expect(childrenOf(output)).toHaveLength(1);
});

test('where there is no room for all, each table has its turn, and the plan fits into a state', async () => {
  const shards = 100;
  const swept = new Set<string>();
  const held = Array.from({ length: shards }, () => [OVERDUE, UPCOMING]);
  const tables = named(100, held);
  const props = Object.fromEntries(Object.keys(tables).map(name => [name, { index: { shards } }]));
  for (let minute = 0; minute < 100; minute += 10) {
    const { output } = await plan({
      tables,
      props,
      startedMs: STARTED_MS + minute * 60_000,
      input: { scheduledTime: new Date(MINUTE * 1000).toISOString() },
    });
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(256 * 1024);
    for (const { table } of childrenOf(output)) swept.add(table);
  }
  expect(swept.size).toBe(100);
});
