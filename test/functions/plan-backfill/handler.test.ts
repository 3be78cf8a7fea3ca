import { planBackfill } from '../../../functions/plan-backfill/handler.ts';
import { InvalidExecutionInputError } from '../../../functions/runtime/errors.ts';
import {
  DEFAULT_RATE_PER_SECOND,
  DEFAULT_SEGMENTS,
  MAX_RATE_PER_SECOND,
  MAX_SEGMENTS,
  SEGMENTS_AT_ONCE,
} from '../../../statemachine/backfill-contract.ts';
import { NO_BACKFILL_COUNTS } from '../../../statemachine/backfill-counts.ts';

const plan = (executionInput: unknown) => planBackfill({ executionInput });

test('without input everything has its default', async () => {
  const { dryRun, segments } = await plan({});
  expect(dryRun).toBe(false);
  expect(segments).toHaveLength(DEFAULT_SEGMENTS);
  expect(segments[7]).toEqual({
    progress: {
      segment: 7,
      segments: DEFAULT_SEGMENTS,
      dryRun: false,
      writesPerSecond: DEFAULT_RATE_PER_SECOND / SEGMENTS_AT_ONCE,
      position: null,
      steps: 0,
      counts: NO_BACKFILL_COUNTS,
    },
    retries: 0,
  });
});

test.each([
  [1, 100, 100],
  [4, 100, 25],
  [SEGMENTS_AT_ONCE, 100, 10],
  [MAX_SEGMENTS, 100, 10],
  [MAX_SEGMENTS, 1, 0.1],
])('of %d segments at a rate of %d each has %d writes a second', async (segments, ratePerSecond, each) => {
  const planned = await plan({ segments, ratePerSecond, dryRun: true });
  expect(planned.dryRun).toBe(true);
  expect(planned.segments.map(({ progress }) => progress.segment)).toEqual([...Array(segments).keys()]);
  for (const { progress } of planned.segments) {
    expect(progress).toMatchObject({ segments, dryRun: true, writesPerSecond: each });
  }
});

test.each([
  [null, 'input: expected an object, got null'],
  ['all', 'input: expected an object, got "all"'],
  [[], 'input: expected an object, got []'],
  [{ segment: 3 }, 'segment: expected'],
  [{ segments: 0 }, `segments: expected a whole number from 1 to ${MAX_SEGMENTS}, got 0`],
  [{ segments: MAX_SEGMENTS + 1 }, `segments: expected a whole number from 1 to ${MAX_SEGMENTS}`],
  [{ segments: 1.5 }, 'segments: expected a whole number'],
  [{ segments: '4' }, 'segments: expected a whole number'],
  [{ segments: null }, 'segments: expected a whole number'],
  [{ ratePerSecond: 0 }, `ratePerSecond: expected a whole number from 1 to ${MAX_RATE_PER_SECOND}, got 0`],
  [{ ratePerSecond: MAX_RATE_PER_SECOND + 1 }, 'ratePerSecond: expected a whole number'],
  [{ ratePerSecond: Number.NaN }, 'ratePerSecond: expected a whole number'],
  [{ dryRun: 'yes' }, 'dryRun: expected true or false, got "yes"'],
])('fails for %p', async (input, message) => {
  const planned = plan(input);
  await expect(planned).rejects.toThrow(InvalidExecutionInputError);
  await expect(planned).rejects.toThrow(message);
  await expect(planned).rejects.toThrow('Nothing was written.');
});
