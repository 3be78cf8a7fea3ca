import type { Tally } from '../../../local/demo/ledger.ts';
import { Progress } from '../../../local/demo/progress.ts';
import { formatProgress, formatReport, judge, lagOf, percentile } from '../../../local/demo/report.ts';

const good: Tally = {
  written: 3600,
  expired: 3000,
  deleted: 3000,
  overdue: 0,
  liveDeleted: 0,
  renewed: 540,
  renewedKept: 540,
};
const context = { promise: 'within 60 s', executions: 4, interrupted: false };

test('percentiles are the nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, i) => i + 1);
  expect([0.5, 0.99, 1].map(share => percentile(values, share))).toEqual([50, 99, 100]);
  expect(percentile([7], 0.5)).toBe(7);
  expect(percentile([], 0.99)).toBe(0);
});

test('lag takes values in any order', () => {
  expect(lagOf([30.4, 10, 20])).toEqual({ p50: 20, p99: 30, max: 30 });
  expect(lagOf([])).toEqual({ p50: 0, p99: 0, max: 0 });
});

test('the result has exactly the fields that --json promises', () => {
  const { result, violations } = judge(good, [1000, 2000], [], []);
  expect(violations).toEqual([]);
  expect(result).toEqual({
    written: 3600,
    expired: 3000,
    deleted: 3000,
    liveDeleted: 0,
    renewedKept: 540,
    overdue: 0,
    lagMs: { p50: 1000, p99: 2000, max: 2000 },
  });
});

test.each<[string, Partial<Tally>, string[], string[], RegExp]>([
  [
    'expired and not deleted',
    { deleted: 2999, overdue: 1 },
    [],
    [],
    /3000 items expired, but 2999 were deleted/,
  ],
  ['live and deleted', { liveDeleted: 2 }, [], [], /2 items were deleted while they were live/],
  ['renewed and lost', { renewedKept: 539 }, [], [], /540 items were renewed in time, but 539 were kept/],
  ['overdue', { overdue: 3 }, [], [], /3 items were overdue at the end/],
  ['in the table against the ledger', {}, ['1 live items missing'], [], /1 live items missing/],
  ['an execution', {}, [], ['the sweep of 09:00 ended FAILED'], /the sweep of 09:00 ended FAILED/],
])('fails for %s', (_, over, found, failures, expected) => {
  const judged = judge({ ...good, ...over }, [1], found, failures);
  expect(judged.violations.join('\n')).toMatch(expected);
  const text = formatReport(judged, context);
  expect(text).toContain('Not as promised:');
  expect(text).toMatch(expected);
});

test('the summary shows every promise and what became of it', () => {
  const text = formatReport(judge(good, [1000, 2000], [], []), context);
  expect(text).toMatch(/✓ expired = deleted +3,000 = 3,000/);
  expect(text).toMatch(/✓ live items deleted +0/);
  expect(text).toMatch(/✓ renewed, kept +540 of 540/);
  expect(text).toMatch(/✓ overdue at the end +0/);
  expect(text).toMatch(/lag p50 \/ p99 \/ max +1\.0 s \/ 2\.0 s \/ 2\.0 s +promised within 60 s/);
  expect(text).toContain('Every promise was kept.');
  expect(formatReport(judge({ ...good, deleted: 1, overdue: 2999 }, [], [], []), context)).toMatch(
    /✗ expired = deleted/,
  );
});

test('an interrupted run is not judged', () => {
  const text = formatReport(judge({ ...good, deleted: 5, overdue: 2995 }, [], [], []), {
    ...context,
    interrupted: true,
  });
  expect(text).toContain('Interrupted: this is what is known so far');
  expect(text).not.toMatch(/[✓✗]/);
});

describe('progress', () => {
  test('says how things stand', () => {
    expect(formatProgress({ ...good, overdue: 12 }, [400, 300, 1200], 75)).toBe(
      'written 3,600  expired 3,000  deleted 3,000  overdue 12  lag 0.4/1.2 s  1:15',
    );
    expect(formatProgress(good, [], 0)).toMatch(/lag – {2}last sweep$/);
  });

  function output(isTTY: boolean) {
    const written: string[] = [];
    return { written, isTTY, columns: 20, write: (text: string) => written.push(text) };
  }

  test('overwrites one line on a terminal, never wider than it', () => {
    const terminal = output(true);
    const progress = new Progress(terminal);
    progress.show('a line that is far too long for it');
    progress.show('second');
    progress.say('above');
    progress.show('third');
    progress.end();
    const text = terminal.written.join('');
    expect(text).toContain('a line that is far ');
    expect(text).not.toContain('far too');
    expect(text).toMatch(/second.*above\n.*third/s);
    expect(text.match(/\n/g)).toHaveLength(1);
  });

  test('writes a line every ten seconds elsewhere', () => {
    const file = output(false);
    let now = 0;
    const progress = new Progress(file, () => now);
    for (; now <= 25_000; now += 250) progress.show(`at ${now}`);
    expect(file.written).toEqual(['at 10000\n', 'at 20000\n']);
  });
});
