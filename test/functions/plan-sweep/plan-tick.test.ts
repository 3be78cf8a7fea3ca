import { MemoryJournal } from '../../../bench/fuzz/memory-journal.ts';
import type { Watermark } from '../../../functions/journal/layout.ts';
import { planTick } from '../../../functions/plan-sweep/plan-tick.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { ChildStart } from '../../../statemachine/contract/child.ts';
import { carriedOf, settingsOf } from '../../support/configs.ts';
import { MemoryTable } from '../../support/simulation/memory-table.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z') / 1000;
const DAY = 86_400;
/** With an upcoming minute, the second of the tick itself belongs to the tick before. */
const CUTOFF = NOW - 1;
const iso = (epochSeconds: number) => new Date(epochSeconds * 1000).toISOString();

type Props = Parameters<typeof carriedOf>[0];
type Held = readonly (readonly [ttl: number, shard?: number])[];

interface Case {
  /** What is in each table. */
  readonly tables?: Readonly<Record<string, Held>>;
  readonly props?: Partial<Props>;
  /** The watermark of each table. */
  readonly mark?: Partial<Watermark>;
  /** When the tick before began. */
  readonly tick?: number;
  /** Tables whose probe fails with this error. */
  readonly failing?: Readonly<Record<string, Error>>;
  readonly input?: object;
  readonly startedAt?: number;
  readonly journal?: MemoryJournal;
  /** Milliseconds of each read; null: none is answered. */
  readonly readMs?: number | null;
}

async function plan({
  tables = { aaa: [] },
  props = {},
  mark,
  tick,
  failing = {},
  input = {},
  startedAt = NOW + 5,
  journal = new MemoryJournal(() => startedAt * 1000),
  readMs = 0,
}: Case) {
  const names = Object.keys(tables);
  const propsOf = (tableName: string): Props => ({ tableName, partitionKey: 'id', ...props });
  const items = new Map(
    Object.entries(tables).map(([name, held]) => {
      const table = new MemoryTable(settingsOf(propsOf(name)).model, () => startedAt * 1000);
      for (const [index, [ttl, shard = 0]] of held.entries()) table.write(`${index}`, ttl, shard);
      return [name, table] as const;
    }),
  );
  if (mark !== undefined) {
    const known = { since: 0, gone: NOW - 70, at: iso(NOW - 55), shards: 2, ...mark };
    await journal.writeWatermarks(
      iso(tick ?? NOW - 55),
      Object.fromEntries(names.map(name => [name, known])),
    );
  }
  let [writes, reads] = [0, 0];
  const aged: unknown[] = [];
  const output = await planTick(
    {
      machine: 'tick',
      tables: names.map(name => carriedOf(propsOf(name))),
      executionInput: { scheduledTime: iso(NOW), ...input },
      startedAt: iso(startedAt),
      soFar: null,
    },
    {
      readIndexOf:
        ({ tableName }) =>
        async (...query) => {
          const error = failing[tableName];
          if (error) throw error;
          reads += 1;
          if (readMs === null) return new Promise(() => undefined);
          const page = await items.get(tableName)?.readIndex(...query);
          return page ?? { entries: [], more: false };
        },
      logger: { error: () => undefined },
      journal: {
        read: () => journal.read(),
        writeWatermarks: (...written) => {
          writes += 1;
          return journal.writeWatermarks(...written);
        },
      },
      record: (...metric) => aged.push(metric),
      clock: () => startedAt * 1000 + 100 + reads * (readMs ?? 0),
      sleep: () => (readMs === null ? Promise.resolve() : new Promise(() => undefined)),
    },
  );
  const children = output.groups.flatMap(({ due }) => due);
  return { output, children, writes, reads, aged, marks: journal.state.watermarks };
}

describe('the watermark', () => {
  test.each<[string, Held, Partial<Watermark> | undefined, Partial<Watermark>]>([
    ['ends ten seconds before the cutoff where nothing is left', [], {}, { since: 0, gone: CUTOFF - 10 }],
    ['stops before the first item', [[NOW - 30], [NOW - 20]], {}, { gone: NOW - 31 }],
    ['stops before the second of a fraction', [[NOW - 29.5]], {}, { gone: NOW - 31 }],
    ['stays where the first item is an old one', [[NOW - 75]], {}, { gone: NOW - 70 }],
    ['begins two days back', [[NOW - DAY]], undefined, { since: CUTOFF - 2 * DAY, gone: NOW - DAY - 1 }],
    ['does not go back', [], { gone: NOW + 500 }, { gone: NOW + 500 }],
    ['keeps the most shards that the table ever had', [], { shards: 7 }, { shards: 7 }],
    ['takes over more shards', [], { shards: 1 }, { shards: 2 }],
    [
      'moves over what children have swept',
      [[NOW - 400]],
      {
        gone: NOW - 3_600,
        swept: [{ from: NOW - 3_599, to: NOW - 500, tick: iso(NOW - 60), part: 0, parts: 1 }],
      },
      { gone: NOW - 401 },
    ],
  ])('%s', async (_name, held, mark, expected) => {
    const { marks } = await plan({ tables: { aaa: held }, tick: NOW - 115, ...(mark && { mark }) });
    expect(marks.tables['aaa']).toMatchObject(expected);
    expect(marks).toMatchObject({ tick: iso(NOW + 5), tables: { aaa: { at: iso(NOW + 5) } } });
    expect(marks.tables['aaa']?.swept).toBeUndefined();
  });

  const failing = { aaa: Object.assign(new Error('no access'), { name: 'AccessDeniedException' }) };

  test('of a table that cannot be probed is written by its first tick, and stays with each further one', async () => {
    const { output, marks } = await plan({ tables: { aaa: [], bbb: [] }, failing });
    expect(output).toMatchObject({
      next: 'record',
      sweeps: { aaa: { targets: 0, failure: { error: 'AccessDeniedException', message: 'no access' } } },
    });
    const first = CUTOFF - 2 * DAY;
    expect(marks.tables).toMatchObject({
      aaa: { since: first, gone: first - 1, shards: 2 },
      bbb: { gone: CUTOFF - 10 },
    });
    const journal = new MemoryJournal(() => 0);
    await journal.writeWatermarks(iso(NOW - 55), marks.tables);
    const later = await plan({ journal, failing, startedAt: NOW + 15 });
    expect(later.marks.tables['aaa']).toEqual(marks.tables['aaa']);
  });

  test('is not written where it cannot be', async () => {
    const journal = new MemoryJournal(() => 0);
    journal.writeWatermarks = () => Promise.reject(new Error('no access'));
    expect((await plan({ tables: { aaa: [[NOW - 10]] }, journal })).children).toHaveLength(1);
  });
});

describe('the lookback', () => {
  const fromOf = async (more: Case) => (await plan(more)).children[0]?.sweep.target.from;

  test.each<[string, Case, number]>([
    ['begins behind the watermark', { props: { index: { by: 'second' } } }, NOW - 69],
    [
      'in windows of a minute, no earlier than with the window',
      { props: { index: { granularityMinutes: 1 } } },
      NOW - 120,
    ],
    ['in windows of a day, ten minutes earlier', {}, NOW - 669],
  ])('%s', async (_name, more, from) => {
    for (const [ttl, found] of [
      [from - 1, false],
      [from, true],
    ] as const) {
      const { children } = await plan({ mark: {}, tables: { aaa: [[ttl]] }, ...more });
      expect(children.length > 0).toBe(found);
    }
    expect(await fromOf({ mark: {}, tables: { aaa: [[from]] }, ...more })).toBe(from);
  });

  test.each([
    [49, [[NOW - 130, 0]], []],
    [50, [[NOW - 130, 0]], [NOW - 130]],
    [49, [[NOW - 100, 0]], [NOW - 100]],
    // One that began later: this one was called late.
    [-49, [[NOW - 130, 0]], []],
    [-50, [[NOW - 130, 0]], [NOW - 130]],
  ] as const)('of a tick %d s after another one, with an item %j, is %j', async (seconds, held, expected) => {
    const other = NOW + 5 - seconds;
    const mark = { gone: NOW - 200 };
    const { children, marks } = await plan({ mark, tick: other, tables: { aaa: held } });
    expect(children.map(({ sweep }) => sweep.target.from)).toEqual(expected);
    // The tick beside it knows the whole lookback, and this one does not: nor do its notes say what is gone.
    const isBeside = Math.abs(seconds) < 50;
    for (const { sweep } of children) expect(sweep.note?.before).toBe(isBeside ? undefined : CUTOFF - 9);
    expect(marks.tables['aaa']?.gone === NOW - 200).toBe(isBeside);
    expect(marks.tick).toBe(iso(isBeside ? other : NOW + 5));
  });
});

/** `TABLE SHARDS: FROM to BEFORE` in seconds from NOW. */
const shown = ({ table, next, sweep: { target } }: ChildStart) =>
  `${table} ${target.shards}: ${target.from - NOW} to ${target.before - NOW}${next === 'wait' ? ', waits' : ''}`;

test.each<[string, Case, string[]]>([
  [
    'the minute of a tick is swept by a child that waits for it',
    { tables: { aaa: [[NOW + 60], [NOW + 119, 1], [NOW + 120]], bbb: [[NOW + 59]] } },
    ['aaa 0-1: 60 to 120, waits'],
  ],
  [
    'with a precision of a minute a tick owns none, and takes what is due by its time',
    { props: { precision: 'minute' }, tables: { aaa: [[NOW], [NOW + 70]] } },
    ['aaa 0: 0 to 1'],
  ],
  [
    'with pollSeconds the minute has its child whatever is in it',
    { props: { index: { by: 'second' }, pollSeconds: 5 } },
    ['aaa 0-1: 60 to 120, waits'],
  ],
  [
    'the shards that the table once had are read',
    { mark: { shards: 9 }, tables: { aaa: [[NOW - 10, 8]] } },
    ['aaa 8: -10 to 0'],
  ],
])('%s', async (_name, more, children) =>
  expect((await plan({ mark: {}, ...more })).children.map(shown)).toEqual(children),
);

describe('the probe', () => {
  const night = Date.parse('2026-11-21T00:00:05Z') / 1000;
  const bySecond = { index: { by: 'second' } } as const;
  const of = (...held: readonly number[]) => ({ tables: { aaa: held.map(ttl => [NOW + ttl] as const) } });

  test.each<[string, Case, reads: number, children: string[]]>([
    ['reads each shard once', {}, 2, []],
    ['reads on where something is left', of(-9), 3, ['aaa 0: -9 to 0']],
    ['knows by the same read the minute', of(60), 2, ['aaa 0: 60 to 120, waits']],
    ['reads on where something lies between', of(30, 90), 3, ['aaa 0: 60 to 120, waits']],
    ['knows what lies behind the minute', of(120), 2, []],
    [
      'reads of the night both days',
      { startedAt: night, input: { scheduledTime: iso(night - 5) }, mark: { gone: night - 65 } },
      4,
      [],
    ],
    ['reads by second ten seconds at once', { props: bySecond, mark: { shards: 1 } }, 69 + 60, []],
    [
      'reads by second none behind the first with an entry',
      { props: bySecond, mark: { shards: 1 }, ...of(-50, -55, 61) },
      20 + 10,
      ['aaa 0: 60 to 120, waits', 'aaa 0: -55 to 0'],
    ],
    [
      'reads by second ten minutes at most: what lies behind is the children’s to find',
      { props: bySecond, mark: { gone: NOW - 3_610, shards: 1 }, ...of(-5) },
      600 + 60,
      ['aaa 0: -3009 to -2632', 'aaa 0: -370 to 0'],
    ],
    [
      'ends its lookback when three quarters of its time are over, and still asks for the minute',
      { props: bySecond, mark: { gone: NOW - 610, shards: 1 }, readMs: 1_000, ...of(119) },
      40 + 60,
      ['aaa 0: 60 to 120, waits'],
    ],
    [
      'takes a table without an answer for one that has something everywhere',
      { readMs: null },
      2,
      ['aaa 0-1: 60 to 120, waits'],
    ],
  ])('%s', async (_name, more, reads, children) => {
    const planned = await plan({ mark: {}, ...more });
    expect(planned.reads).toBe(reads);
    expect(planned.children.map(shown)).toEqual(expect.arrayContaining(children));
    if (children.length === 0) expect(planned.children).toEqual([]);
  });
});

test.each<[string, Case, number]>([
  ['of an item that was seen', { tables: { aaa: [[NOW - 65.5]] } }, 71],
  ['that nobody could look for', { failing: { aaa: new DynamoDbBusyError('throttled') } }, 0],
])('the age %s is told', async (_name, more, seconds) => {
  const { output } = await plan({ mark: {}, ...more });
  expect(output.sweeps['aaa']?.oldestOverdueSeconds).toBe(seconds);
});

describe('tables', () => {
  const held = { aaa: [[NOW - 10]], bbb: [[NOW - 10]] } as const;
  test('that are paused are neither swept nor written', async () => {
    const journal = new MemoryJournal(() => 0);
    journal.pauses['aaa'] = { since: iso(NOW - 60) };
    const { children, marks } = await plan({ tables: held, mark: {}, journal });
    expect(children.map(({ table }) => table)).toEqual(['bbb']);
    expect(marks.tables).toMatchObject({ aaa: { at: iso(NOW - 55) }, bbb: { at: iso(NOW + 5) } });
    journal.pauses['aaa'] = { since: iso(NOW - 60), until: iso(NOW) };
    const again = await plan({ tables: held, journal });
    expect(again.children.map(({ table }) => table)).toEqual(['aaa', 'bbb']);
  });

  const raised = { props: { index: { shards: 3 } } };
  test.each<[string, Case, Partial<Watermark>, number]>([
    ['where its first tick began', {}, { gone: CUTOFF - 2 * DAY - 1, shards: 2 }, 1],
    ['the shards that were raised', { mark: {}, ...raised }, { gone: NOW - 70, shards: 3 }, 1],
    ['shards that were lowered', { mark: { shards: 3 } }, { gone: NOW - 70, shards: 3 }, 0],
  ])('that are paused keep %s', async (_name, more, kept, writes) => {
    const journal = new MemoryJournal(() => 0);
    journal.pauses['aaa'] = { since: iso(NOW - 60) };
    const planned = await plan({ ...more, journal });
    expect(planned.children).toEqual([]);
    expect(planned.marks.tables['aaa']).toMatchObject(kept);
    expect(planned.writes).toBe(writes);
  });

  test('that the input names are swept alone, which is no tick of the deployment', async () => {
    const { children, marks } = await plan({ tables: held, mark: {}, input: { tables: ['bbb'] } });
    expect(children.map(({ table }) => table)).toEqual(['bbb']);
    expect(marks.tick).toBe(iso(NOW - 55));
  });
});

describe('the write of the watermarks', () => {
  test.each<[string, Case, number]>([
    ['is left out while nothing is due', { mark: {} }, 0],
    ['comes every other minute', { mark: {}, tick: NOW - 85 }, 1],
    ['comes by second each time', { mark: {}, props: { index: { by: 'second' } } }, 1],
    ['comes where something is due', { mark: {}, tables: { aaa: [[NOW - 10]] } }, 1],
    ['comes for a table that is new', {}, 1],
    ['comes where shards were raised', { mark: {}, props: { index: { shards: 3 } } }, 1],
    [
      'comes where something was noted',
      { mark: { swept: [{ from: NOW - 69, to: NOW - 9, tick: iso(NOW - 55), part: 0, parts: 1 }] } },
      1,
    ],
  ])('%s', async (_name, more, writes) => expect((await plan(more)).writes).toBe(writes));
});

test.each([
  [3_599, []],
  [3_600, [['WatermarkAge', 3_600, { TableName: 'aaa' }]]],
])('a watermark that stopped %d s ago is told as %j', async (age, told) => {
  const gone = NOW + 5 - age;
  const { aged } = await plan({ mark: { gone }, tables: { aaa: [[gone + 1]] } });
  expect(aged).toEqual(told);
});

test('the two days that the first tick of a table looks back are no delay of its ticks', async () => {
  const tables = { aaa: [[NOW - 2 * DAY + 60]] } as const;
  const mark = { since: CUTOFF - 2 * DAY, gone: NOW - 2 * DAY };
  expect((await plan({ tables, mark })).aged).toEqual([]);
  const later = { startedAt: NOW + 3_700, input: { scheduledTime: iso(NOW + 3_660) } };
  expect((await plan({ tables, mark, ...later })).aged).toEqual([
    ['WatermarkAge', 3_701, { TableName: 'aaa' }],
  ]);
});

test('an unreadable journal ends the tick: a table may be paused', async () => {
  const journal = new MemoryJournal(() => 0);
  journal.read = () => Promise.reject(new Error('unreadable'));
  await expect(plan({ journal })).rejects.toThrow('unreadable');
});
