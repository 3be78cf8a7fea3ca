import { MemoryJournal } from '../../../bench/fuzz/memory-journal.ts';
import { planReplay } from '../../../functions/plan-sweep/plan-replay.ts';
import type { ChildOutput, SweepTarget } from '../../../statemachine/contract/child.ts';
import type { PlanSweepOutput, SweepState } from '../../../statemachine/contract/execution.ts';
import { MAX_ROUNDS, ROUND_CHILDREN } from '../../../statemachine/contract/limits.ts';
import { carriedOf } from '../../support/configs.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z') / 1000;
const iso = (epochSeconds: number) => new Date(epochSeconds * 1000).toISOString();
const one = carriedOf({ tableName: 'one', partitionKey: 'id', index: { shards: 3 } });
const two = carriedOf({
  tableName: 'two',
  partitionKey: 'id',
  index: { shards: 1 },
  maxDeletesPerSecond: 100,
});

/** Plans a round of a span before now, in seconds. */
async function plan(
  [from, to]: readonly [number, number],
  input: object = { table: 'one' },
  soFar: SweepState | null = null,
  shards = 1,
): Promise<PlanSweepOutput> {
  const journal = new MemoryJournal(() => 0);
  const at = iso(NOW);
  await journal.writeWatermarks(at, {
    one: { since: 0, gone: 0, at, shards },
    two: { since: 0, gone: 0, at, shards },
  });
  const executionInput = { from: iso(NOW - from), to: iso(NOW - to), ...input };
  return planReplay({ machine: 'replay', tables: [one, two], executionInput, startedAt: at, soFar }, journal);
}

const targetsOf = ({ due }: PlanSweepOutput) => due.map(({ sweep }) => sweep.target);
const shown = ({ shards, from, before }: SweepTarget) => `${shards}: ${NOW - from} to ${NOW - before}`;

describe('the first round', () => {
  test.each<[string, readonly [number, number], number, string[]]>([
    ['by shards, where the span is short', [119, 0], 1, ['0: 119 to 0', '1: 119 to 0', '2: 119 to 0']],
    [
      'of the shards that the table once had',
      [60, 50],
      5,
      ['0', '1', '2', '3', '4'].map(shard => `${shard}: 60 to 50`),
    ],
    [
      'by time, and by shards',
      [121, 1],
      1,
      [121, 61].flatMap(from => ['0', '1', '2'].map(shard => `${shard}: ${from} to ${from - 60}`)),
    ],
  ])('cuts its span %s', async (_name, span, shards, targets) => {
    const planned = await plan(span, undefined, null, shards);
    expect(targetsOf(planned).map(shown)).toEqual(targets);
    expect(planned).toMatchObject({
      next: 'sweep',
      sweeps: { one: { targets: targets.length, totals: { rounds: 1 } } },
    });
  });

  test.each([[86_400], [30 * 86_400], [4 * 365 * 86_400]])(
    'of %d s has at most 200 children without a gap',
    async seconds => {
      const targets = targetsOf(await plan([seconds, 0], { table: 'two' }));
      expect(targets.length).toBeLessThanOrEqual(ROUND_CHILDREN);
      expect(targets.length).toBeGreaterThan(ROUND_CHILDREN - 10);
      expect([targets[0]?.from, targets.at(-1)?.before]).toEqual([NOW - seconds, NOW]);
      for (const [index, { from }] of targets.slice(1).entries()) expect(from).toBe(targets[index]?.before);
    },
  );

  test('of a thousand shards has as many children, each with some of them', async () => {
    const targets = targetsOf(await plan([100, 50], undefined, null, 1_000));
    expect(targets.map(({ shards }) => shards).slice(0, 2)).toEqual(['0-4', '5-9']);
    expect(targets).toHaveLength(ROUND_CHILDREN);
  });

  test('has children that begin at once, note nothing and return no more than all together may', async () => {
    const { due } = await plan([3_600, 0]);
    for (const { next, sweep } of due) {
      expect([next, sweep.note, sweep.limit, sweep.endsAfter]).toEqual(['query', null, null, 195]);
    }
    expect(due.reduce((sum, { sweep }) => sum + sweep.resultBytes, 0)).toBeLessThanOrEqual(160_000);
    expect((await plan([1, 0], { table: 'two' })).due.map(({ sweep }) => sweep.listedKeysBytes)).toEqual([
      20_000,
    ]);
  });

  test.each([
    [{ table: 'two' }, [60, 50], 100],
    [{ table: 'two' }, [3_600, 0], 5],
    [{ table: 'two', maxDeletesPerSecond: 40 }, [60, 50], 40],
    [{ table: 'two', dryRun: true }, [60, 50], undefined],
  ] as const)('with %j gives each child of %j its share of the limit', async (input, span, perSecond) => {
    const { due } = await plan(span, input);
    expect(due[0]?.sweep.limit?.perSecond).toBe(perSecond);
    expect(due[0]?.sweep.dryRun).toBe('dryRun' in input);
  });

  test('needs the table of several', async () => {
    await expect(plan([60, 0], {})).rejects.toThrow('table: expected one of one, two, got nothing');
  });
});

describe('a further round', () => {
  const target: SweepTarget = { shards: '1', from: NOW - 40, before: NOW, upcomingFrom: null };
  const afterRound = async (results: readonly ChildOutput[], rounds = 1) => {
    const { sweeps } = await plan([119, 0]);
    const known = sweeps['one'];
    if (known?.totals === undefined) throw new Error('no totals');
    const sweep = { ...known, totals: { ...known.totals, rounds } };
    return plan([119, 0], undefined, { sweeps: { one: sweep }, results });
  };

  test('has what the children before it have left, and adds up the rest', async () => {
    const planned = await afterRound([
      { table: 'one', found: 7, deleted: 7, resume: target },
      { found: 2, deleted: 2 },
      {},
    ]);
    expect(targetsOf(planned)).toEqual([target]);
    expect(planned).toMatchObject({
      next: 'sweep',
      sweeps: { one: { targets: 1, totals: { deleted: 9, rounds: 2, shardsSwept: 2, shardsFailed: 1 } } },
    });
  });

  test('is the last one when nothing is left', async () => {
    expect(await afterRound([{ found: 7, deleted: 7 }])).toMatchObject({ next: 'record', due: [] });
  });

  test('does not come after the last one: what is left has failed', async () => {
    const planned = await afterRound(new Array(3).fill({ found: 1, deleted: 1, resume: target }), MAX_ROUNDS);
    expect(planned).toMatchObject({
      next: 'record',
      due: [],
      sweeps: { one: { totals: { deleted: 3, shardsFailed: 3 } } },
    });
  });
});
