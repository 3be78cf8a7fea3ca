import { startProgress } from '../../../functions/child/progress.ts';
import { resultOf, shardResultOf } from '../../../functions/child/shard-result.ts';
import { countAbove, LAG_BUCKETS, summarizeLag } from '../../../functions/report/lag.ts';
import { jsonBytes } from '../../../functions/report/listed-keys.ts';
import type { ChildOutput, ChildProgress } from '../../../statemachine/contract/child.ts';
import { CHILD_COUNTS, noCounts } from '../../../statemachine/counts.ts';

const target = { shards: '0', from: 5, before: 9, upcomingFrom: null };
const start = startProgress(
  { target, dryRun: false, limit: null, endsAfter: 45, note: null, listedKeysBytes: 0, resultBytes: 0 },
  0,
);
const progressOf = (counts: Partial<ChildProgress['counts']>): ChildProgress => ({
  ...start,
  counts: { ...start.counts, ...counts },
});
const resume = { shards: '0-3', from: 5, before: 9, upcomingFrom: null };
const roomy = { dryRun: false, resultBytes: 40_000 };

describe('a result', () => {
  test('leaves out what is nothing, and of a dry run has what it found', () => {
    const counts = { deleted: 3, renewed: 1, lagCounts: { 7: 3 }, lagMaxMs: 90 };
    expect(resultOf(progressOf({ ...counts, inFlight: 5 }), roomy)).toEqual({ found: 4, ...counts });
    expect(resultOf(progressOf({}), roomy, { resume })).toEqual({ found: 0, resume });
    expect(resultOf(progressOf({ found: 7 }), { ...roomy, dryRun: true })).toEqual({ found: 7 });
  });

  const lagCounts = Object.fromEntries(
    Array.from({ length: LAG_BUCKETS }, (_unused, bucket) => [bucket, 10]),
  );
  const full = progressOf({ deleted: 10 * LAG_BUCKETS, lagCounts, lagMaxMs: 1_000_000 });

  test.each([40_000, 1_000, 500, 200])(
    'fits into %d bytes with wider buckets, which lose no item',
    resultBytes => {
      const result = resultOf(full, { dryRun: false, resultBytes });
      expect(jsonBytes(result)).toBeLessThanOrEqual(resultBytes);
      const told = Object.values(result.lagCounts ?? {}).reduce((sum, count) => sum + count, 0);
      expect(told).toBe(10 * LAG_BUCKETS);
      // Nothing seems faster than it was.
      const read = shardResultOf(result as ChildOutput);
      if (read === undefined) throw new Error('unreadable');
      for (const ms of [1_000, 11_000])
        expect(countAbove(read, ms)).toBeGreaterThanOrEqual(countAbove(full.counts, ms));
      expect(summarizeLag(read)?.p50).toBeGreaterThanOrEqual(summarizeLag(full.counts)?.p50 ?? 0);
    },
  );
});

describe('the output of a child', () => {
  test('is read with all that it leaves out', () => {
    expect(shardResultOf({ found: 2, deleted: 2, resume })).toEqual({
      ...{ ...noCounts(CHILD_COUNTS), found: 2, deleted: 2, resume, interrupted: false },
      ...{ lagCounts: {}, lagMaxMs: 0, failedKeys: [], sampleKeys: [] },
    });
  });

  test('of one that was interrupted counts the page in flight as failed, and 0 for what an update of the functions counts first', () => {
    const { leftForLater: _added, ...counts } = progressOf({ deleted: 3, inFlight: 25 }).counts;
    const output = { interruptedBy: 'States.Timeout', progress: { ...start, counts } } as ChildOutput;
    const told = { found: 28, deleted: 3, failed: 25, leftForLater: 0, interrupted: true };
    expect(shardResultOf(output)).toMatchObject(told);
  });

  test.each<[string, unknown]>([
    ['crashed', { Error: 'States.Timeout' }],
    ['has no progress', { interruptedBy: 'InvalidStart', progress: null }],
    ['is nothing', null],
    ['has a text for a count', { found: 1, deleted: 'all' }],
    ['has a count below 0', { found: 1, deleted: -1 }],
    ['has no list', { found: 1, failedKeys: 5 }],
    ['lists nothing', { found: 1, failedKeys: [null] }],
    ['has a lag that is none', { found: 1, lagCounts: { x: 1 } }],
    ['has a lag beyond all buckets', { found: 1, lagCounts: { [LAG_BUCKETS]: 1 } }],
    ['has shards that are none', { found: 1, resume: { ...resume, shards: 'all' } }],
    ['has a target without a time', { found: 1, resume: { ...resume, from: null } }],
  ])('of one that %s is none', (_name, output) =>
    expect(shardResultOf(output as ChildOutput)).toBeUndefined(),
  );
});
