import { type PlannedTable, planChildren, tickChildren } from '../../../functions/plan-sweep/children.ts';
import type { ShardProbe, Spans } from '../../../functions/plan-sweep/probe.ts';
import type { SweepLimit } from '../../../functions/plan-sweep/sweep-input.ts';
import { GROUP_CHILDREN, TICK_CHILDREN } from '../../../statemachine/contract/limits.ts';

const CUTOFF = 1_000_000;
const UPCOMING = { from: CUTOFF + 60, before: CUTOFF + 120 };
const spansOf = (seconds: number): Spans => ({ from: CUTOFF - seconds, before: CUTOFF, upcoming: UPCOMING });
const probe = (shard: number, left?: number, isUpcoming = false): ShardProbe => ({
  ...{ shard, left, isSeen: left !== undefined, isUpcoming },
});
/** So many shards with something left since so many seconds. */
const shardsLeft = (count: number, seconds: number) =>
  Array.from({ length: count }, (_unused, shard) => probe(shard, CUTOFF - seconds));

const planned = (...[spans, probes, limit = null]: [Spans, readonly ShardProbe[], (SweepLimit | null)?]) =>
  planChildren(spans, probes, { limit: limit ?? null, notesBefore: NOTE.before });
/** The note of an only child. */
const NOTE = { before: CUTOFF - 10, part: { part: 0, parts: 1 } };
/** Each child of the lookback as its shards, its span as seconds before the cutoff, and its part. */
const backOf = (spans: Spans, probes: readonly ShardProbe[], limit?: SweepLimit) =>
  planned(spans, probes, limit).back.map(
    ({ target: { shards, from, before }, note }) =>
      `${shards}: ${CUTOFF - from} to ${CUTOFF - before}, ${note?.part.part}/${note?.part.parts}`,
  );

describe('the children of a lookback', () => {
  test.each<[string, number, ShardProbe[], string[]]>([
    ['nothing is left', 600, [probe(0), probe(1)], []],
    ['a short span, of one shard', 239, shardsLeft(1, 239), ['0: 239 to 0, 0/1']],
    ['two parts of two minutes', 240, shardsLeft(1, 240), ['0: 240 to 120, 0/1', '0: 120 to 0, 0/1']],
    [
      'a short span, of shards, of which some have nothing',
      60,
      [probe(0, CUTOFF - 50), probe(1), probe(2, CUTOFF - 60), probe(3, CUTOFF - 1)],
      ['0: 60 to 0, 0/3', '2: 60 to 0, 1/3', '3: 60 to 0, 2/3'],
    ],
    [
      'ten shards in eight children at most',
      60,
      shardsLeft(10, 60),
      ['0-1', '2-3', '4-5', '6-7', '8-9'].map((shards, part) => `${shards}: 60 to 0, ${part}/5`),
    ],
    [
      'parts of time and of shards',
      360,
      shardsLeft(4, 360),
      [360, 240, 120].flatMap(from => [
        `0-1: ${from} to ${from - 120}, 0/2`,
        `2-3: ${from} to ${from - 120}, 1/2`,
      ]),
    ],
    ['the span of what is left', 600, [probe(0, CUTOFF - 9.5)], ['0: 10 to 0, 0/1']],
    [
      'what the probe did not get to',
      600,
      [probe(0, CUTOFF - 700)],
      [5, 4, 3, 2, 1].map(n => `0: ${n * 120} to ${n * 120 - 120}, 0/1`),
    ],
  ])('%s', (_name, seconds, probes, children) => expect(backOf(spansOf(seconds), probes)).toEqual(children));

  test.each([960, 961, 36_000, 259_200])('%d s are eight parts without a gap', seconds => {
    const { back } = planned(spansOf(seconds), shardsLeft(3, seconds));
    expect(back).toHaveLength(8);
    expect(back[0]?.target.from).toBe(CUTOFF - seconds);
    expect(back.at(-1)?.target.before).toBe(CUTOFF);
    for (const [index, { target, note }] of back.entries()) {
      expect(target).toMatchObject({ shards: '0-2', upcomingFrom: null });
      expect(note).toEqual(NOTE);
      if (index > 0) expect(target.from).toBe(back[index - 1]?.target.before);
    }
  });
});

describe('with a limit', () => {
  const limit = (perSecond: number): SweepLimit => ({ perSecond, ...UPCOMING });
  const soon = [probe(0, undefined, true), probe(1), probe(2, CUTOFF - 60, true)];

  test('one child sweeps all that is left and all of the minute, and notes what was left', () => {
    expect(planned(spansOf(600), soon, limit(500))).toEqual({
      ahead: [],
      upcoming: UPCOMING,
      back: [
        {
          target: { shards: '0,2', from: CUTOFF - 60, before: UPCOMING.before, upcomingFrom: UPCOMING.from },
          note: NOTE,
        },
      ],
    });
  });

  test.each<[string, number, ShardProbe[], string[]]>([
    ['a higher one needs more', 501, soon, ['0: 60 to -120, 0/2', '2: 60 to -120, 1/2']],
    ['only what is left', 1, [probe(0, CUTOFF - 60)], ['0: 60 to 0, 0/1']],
    ['only the minute', 1, [probe(0, undefined, true)], ['0: -60 to -120, 0/1']],
    ['nothing', 1, [probe(0)], []],
  ])('%s', (_name, perSecond, probes, children) =>
    expect(backOf(spansOf(600), probes, limit(perSecond))).toEqual(children),
  );
});

const TIMES = { startedAtMs: 0, nowMs: 2_100 };

/** A table with this number of children ahead, and of children of the lookback. */
function table(name: string, ahead: number, back = 0, more: Partial<PlannedTable> = {}): PlannedTable {
  const shards = (count: number) => Array.from({ length: count }, (_unused, shard) => shard);
  return {
    carried: { tableName: name },
    children: {
      ahead: shards(ahead),
      upcoming: UPCOMING,
      back: shards(back).map(shard => ({
        target: { shards: `${shard}`, from: 0, before: CUTOFF, upcomingFrom: null },
        note: { before: CUTOFF, part: { part: shard, parts: back } },
      })),
    },
    ...{ oldestOverdueSeconds: 0, marginSeconds: 0, limit: null },
    ...more,
  };
}

describe('the children of a tick', () => {
  const plan = (...tables: PlannedTable[]) => tickChildren(tables, TIMES);
  const startsOf = (...tables: PlannedTable[]) => plan(...tables).groups.flatMap(({ due }) => due);

  test('one of the minute waits for it, one of the lookback begins at once and ends 45 s after the plan', () => {
    const [ahead, back] = startsOf(table('a', 1, 1));
    expect(ahead).toMatchObject({
      ...{
        table: 'a',
        next: 'wait',
        until: new Date(UPCOMING.from * 1000).toISOString().replace('.000', ''),
      },
      ...{
        timeoutSeconds: 3,
        sweep: { target: { upcomingFrom: UPCOMING.from }, endsAfter: 195, note: null },
      },
    });
    expect(back).toMatchObject({
      ...{ next: 'query', until: null, timeoutSeconds: 10 },
      sweep: {
        endsAfter: 48,
        note: { before: CUTOFF, part: { tick: '1970-01-01T00:00:00.000Z', part: 0, parts: 1 } },
      },
    });
  });

  test('with a margin the wait ends as much later', () => {
    const [{ until } = { until: null }] = startsOf(table('a', 1, 0, { marginSeconds: 30 }));
    expect(Date.parse(until ?? '')).toBe((UPCOMING.from + 30) * 1000);
  });

  test('the tables take turns, with the minute before the lookback', () => {
    const order = startsOf(table('a', 8, 1), table('b', 4), table('c', 0, 2)).map(
      ({ table: name, sweep }) => `${name} ${sweep.target.shards}`,
    );
    expect(order).toEqual(['a 0-3', 'b 0-3', 'c 0', 'a 4-7', 'c 1', 'a 0']);
  });

  test('a child sweeps four shards of the minute, and more where there is no room for all', () => {
    const targets = (shards: number, count: number) =>
      startsOf(...Array.from({ length: count }, (_unused, index) => table(`${index}`, shards))).map(
        ({ sweep }) => sweep.target.shards,
      );
    expect(targets(9, 1)).toEqual(['0-2', '3-5', '6-8']);
    expect(targets(40, 41)).toHaveLength(5 * 41);
    expect(targets(1_000, 3)).toHaveLength(3 * 125);
    const full = Array.from({ length: TICK_CHILDREN / 2 }, (_unused, index) => table(`${index}`, 5));
    expect(startsOf(...full)).toHaveLength(TICK_CHILDREN);
    expect(startsOf(...full, table('more', 1))).toHaveLength(TICK_CHILDREN / 2 + 1);
  });

  test('are at most 400 in groups of 40; a table without room has failed, and another one is first a minute later', () => {
    const tables = Array.from({ length: 60 }, (_unused, index) => table(`${index}`, 0, 8));
    const { next, groups, sweeps } = plan(...tables);
    expect(next).toBe('sweep');
    expect(groups.map(({ due }) => due.length)).toEqual(new Array(10).fill(GROUP_CHILDREN));
    // 400 are six of each of the first forty, and seven of the others.
    const failed = Object.entries(sweeps).filter(([, { failure }]) => failure?.error === 'TickTooLargeError');
    expect(failed).toHaveLength(60);
    expect(Object.values(sweeps).reduce((sum, { targets }) => sum + targets, 0)).toBe(TICK_CHILDREN);
    const later = tickChildren(tables, { ...TIMES, startedAtMs: 60_000 });
    expect([groups[0]?.due[0]?.table, later.groups[0]?.due[0]?.table]).toEqual(['0', '1']);
  });

  test('share the room for their results', () => {
    const resultBytes = (children: number) => startsOf(table('a', 0, children))[0]?.sweep.resultBytes;
    expect([1, 4, 40, 400].map(resultBytes)).toEqual([40_000, 40_000, 4_000, 400]);
  });

  test('of a table with a limit share it, and wait for the minute in which they may delete', () => {
    const limit = { perSecond: 5, from: UPCOMING.from, before: UPCOMING.before };
    const starts = startsOf(table('a', 0, 2, { limit }), table('b', 1));
    expect(starts.filter(start => start.table === 'a')).toMatchObject(
      [0, 1].map(() => ({
        ...{ next: 'wait', until: '1970-01-12T13:47:40Z' },
        sweep: { limit: { perSecond: 2.5, credit: 2, before: UPCOMING.before }, endsAfter: 195 },
      })),
    );
    expect(starts.find(start => start.table === 'b')?.sweep.limit).toBeNull();
  });

  test.each<[string, PlannedTable[], string, string[]]>([
    ['nothing to do', [table('a', 0), table('b', 0)], 'end', []],
    [
      'only a failure',
      [table('a', 0), table('b', 0, 0, { failure: { error: 'E', message: '' } })],
      'record',
      ['b'],
    ],
    ['one with children', [table('a', 1), table('b', 0)], 'sweep', ['a']],
    ['no table', [], 'end', []],
  ])('with %s', (_name, tables, next, swept) => {
    const answer = plan(...tables);
    expect([answer.next, Object.keys(answer.sweeps)]).toEqual([next, swept]);
  });
});
