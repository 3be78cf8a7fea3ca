import { describeNext, describeProgress, describeReport } from '../../../cli/backfill/text.ts';
import { estimate } from '../../../operate/backfill.ts';
import type { BackfillReport } from '../../../statemachine/backfill-contract.ts';
import { NO_BACKFILL_COUNTS } from '../../../statemachine/backfill-counts.ts';

const INPUT = { segments: 100, ratePerSecond: 500, dryRun: false };
const REPORT: BackfillReport = { ...NO_BACKFILL_COUNTS, dryRun: false, segments: 100, segmentsIncomplete: 0 };

test('a million items of 250 bytes take two write units each, and half an hour', () => {
  const million = estimate({ itemCount: 1e6, sizeBytes: 250e6 }, INPUT, 512);
  expect(million).toMatchObject({ seconds: 2000, writeUnits: 2e6, readUnits: Math.ceil(250e6 / 8192) });
  // The writes cost $1.25; the rest is Step Functions and Lambda.
  expect(million.dollars).toBeGreaterThan(1.35);
  expect(million.dollars).toBeLessThan(1.5);
});

test('items above one KB take as many units more, a dry run none, and an empty table next to nothing', () => {
  expect(estimate({ itemCount: 1000, sizeBytes: 1000 * 1025 }, INPUT, 512).writeUnits).toBe(3000);
  const dry = estimate({ itemCount: 1000, sizeBytes: 1000 * 1025 }, { ...INPUT, dryRun: true }, 512);
  expect(dry).toMatchObject({ writeUnits: 0, seconds: 0.2 });
  const empty = estimate({ itemCount: 0, sizeBytes: 0 }, INPUT, 512);
  expect(empty).toMatchObject({ seconds: 0, writeUnits: 0, readUnits: 0 });
  expect(empty.dollars).toBeLessThan(0.02);
});

test.each([
  [{ total: 100, done: 0, doneBefore: 0 }, 10, '0 %  0 of 100 segments'],
  [{ total: 100, done: 25, doneBefore: 0 }, 60, '25 %  25 of 100 segments  25 a minute  about 3 min left'],
  // An execution that ran before this command: ten segments in a minute.
  [{ total: 100, done: 60, doneBefore: 50 }, 60, '60 %  60 of 100 segments  10 a minute  about 4 min left'],
  [{ total: 100, done: 99, doneBefore: 0 }, 36_000, '99 %  99 of 100 segments  10 an hour  about 7 min left'],
  [
    { total: 100, done: 50, doneBefore: 0 },
    36_000,
    '50 %  50 of 100 segments  5 an hour  about 10 hours left',
  ],
  [{ total: 3, done: 3, doneBefore: 0 }, 5, '100 %  3 of 3 segments  36 a minute'],
])('progress of %p after %d s', (segments, elapsed, expected) => {
  expect(describeProgress({ ...segments, seconds: elapsed })).toBe(expected);
});

test('a report shows what was counted, and what was not only where it is expected', () => {
  const refused = { ...REPORT.refused, notNumber: 2 };
  expect(describeReport({ ...REPORT, scanned: 1007, stamped: 1000, rightAlready: 5, refused })).toBe(
    [
      '  scanned              1,007',
      '  stamped              1,000  its window was written',
      '  right already            5  it has the right window',
      '  refused: not number      2  the TTL is no Number: it never expires',
    ].join('\n'),
  );
});

test('it says what is left to do', () => {
  expect(describeNext(REPORT)).toEqual([]);
  const all = { ...REPORT, changedMeanwhile: 1, failed: 1, dryRun: true };
  expect(describeNext({ ...all, refused: { ...REPORT.refused, tooOld: 1 } })).toHaveLength(4);
});
