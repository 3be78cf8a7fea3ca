import type { PromiseName } from '../../../bench/demo/promises.ts';
import { formatProgress, formatReport, type JudgedRun, judge, lagOf } from '../../../bench/demo/report.ts';
import type { Tally } from '../../../bench/ledger/tally.ts';
import { Progress } from '../../../bench/report/progress.ts';
import type { MachineReport } from '../../../bench/watch/machine.ts';

const good: Tally = {
  written: 3600,
  expired: 3000,
  deleted: 3000,
  overdue: 0,
  liveDeleted: 0,
  renewed: 540,
  renewedKept: 540,
};
const IDLE: MachineReport = { stoodStillMs: 0, busyMs: 0, slowAnswersMs: 0, clockSetBackMs: 0 };
const context = { renewals: true, executions: 4 };
const ARRIVED = {
  items: 3000,
  ...{ again: 2, strays: 0, doubtful: 0, altered: 0 },
  lagMs: { p50: 1_500, p99: 2_500, max: 3_000 },
};
/** The run also has two pipes, which are as they should be but for what a test says. */
const withEvents = (one: object, other: object = {}): Over => ({
  events: [
    { target: 'event-bus/orders', ...ARRIVED, ...one },
    { target: 'expired.fifo', ...ARRIVED, again: 0, ...other },
  ],
});

/** A run that kept every promise, but for what a test says. */
function run({ tally = {}, machine = {}, ...over }: Over = {}): JudgedRun {
  return {
    tally: { ...good, ...tally },
    punctuality: { inTime: 3000, excused: 0, late: 0 },
    lags: [1000, 2000],
    promisedLagMs: 2_020,
    contradictions: [],
    events: [],
    failures: [],
    excusedFailures: [],
    machine: { ...IDLE, ...machine },
    interrupted: false,
    ...over,
  };
}
type Over = Partial<Omit<JudgedRun, 'tally' | 'machine'>> & {
  readonly tally?: Partial<Tally>;
  readonly machine?: Partial<MachineReport>;
};

/** The promises of a run that have this status. */
function promisesWith(status: string, over: Over): PromiseName[] {
  return judge(run(over)).result.promises.flatMap(promise => (promise.status === status ? promise.name : []));
}

test('lag takes values in any order', () => {
  expect(lagOf([30.4, 10, 20])).toEqual({ p50: 20, p99: 30, max: 30 });
  expect(lagOf([])).toEqual({ p50: 0, p99: 0, max: 0 });
});

test('the result has exactly the fields that --json promises', () => {
  const { result, violations, doubts } = judge(run());
  expect([violations, doubts]).toEqual([[], []]);
  expect(result).toEqual({
    written: 3600,
    expired: 3000,
    deleted: 3000,
    liveDeleted: 0,
    renewedKept: 540,
    overdue: 0,
    lagMs: { p50: 1000, p99: 2000, max: 2000 },
    promisedLagMs: 2_020,
    verdict: 'kept',
    promises: [
      { name: 'expiredDeleted', status: 'kept', expected: 3000, got: 3000 },
      { name: 'goneInTime', status: 'kept', expected: 3000, got: 3000 },
      { name: 'liveKept', status: 'kept', expected: 0, got: 0 },
      { name: 'renewedKept', status: 'kept', expected: 540, got: 540 },
      { name: 'noneOverdue', status: 'kept', expected: 0, got: 0 },
      { name: 'tableAsWritten', status: 'kept', expected: 0, got: 0 },
      { name: 'nothingFailed', status: 'kept', expected: 0, got: 0 },
    ],
    machine: IDLE,
  });
});

test.each<[string, Over, PromiseName[]]>([
  ['expired and not deleted', { tally: { deleted: 2999, overdue: 1 } }, ['expiredDeleted', 'noneOverdue']],
  ['deleted too late', { punctuality: { inTime: 2990, excused: 0, late: 10 } }, ['goneInTime']],
  ['too late, some by the machine', { punctuality: { inTime: 2980, excused: 10, late: 10 } }, ['goneInTime']],
  ['live and deleted', { tally: { liveDeleted: 2 } }, ['liveKept']],
  ['renewed and lost', { tally: { renewedKept: 539 } }, ['renewedKept']],
  ['in the table against the ledger', { contradictions: ['1 live items missing'] }, ['tableAsWritten']],
  ['without an event', withEvents({ items: 2999 }, { items: 2998 }), ['eventOfEach']],
  [
    'events and had not expired',
    withEvents({ strays: 2, doubtful: 1 }, { strays: 3 }),
    ['eventsOnlyOfExpired'],
  ],
  ['events otherwise than they were', withEvents({ altered: 2 }, { altered: 3 }), ['eventsAsWritten']],
  ['an execution that failed', { failures: ['the sweep of 09:00 ended FAILED'] }, ['nothingFailed']],
])('fails for items that are %s', (_, over, broken) => {
  expect(promisesWith('broken', over)).toEqual(broken);
  const judged = judge(run(over));
  expect(judged.result.verdict).toBe('broken');
  expect(judged.violations.length).toBeGreaterThanOrEqual(broken.length);
  const text = formatReport(judged, context);
  for (const sentence of judged.violations) expect(text).toContain(`✗ ${sentence}`);
});

test('events are told of where there are any', () => {
  const judged = judge(run(withEvents({})));
  const text = formatReport(judged, { ...context, deletedByUs: 31 });
  expect(judged.result).toMatchObject({ verdict: 'kept', events: [{ items: 3000 }, { items: 3000 }] });
  expect(text.replaceAll(/ {2,}/g, '  ')).toContain(`
  ✓ deleted = events = events  3,000 = 3,000 = 3,000  each item once; delivered twice: 2
  event lag  1.5 s / 2.5 s / 3.0 s  from expiry to the event; to event-bus/orders
  event lag  1.5 s / 2.5 s / 3.0 s  from expiry to the event; to expired.fifo
  ✓ events wrongly  0  not expired, or not as last written; the application deleted 31 itself`);
  expect(formatReport(judge(run()), context)).not.toMatch(/event/);
});

test.each<[string, Over, PromiseName[]]>([
  [
    'deletes of the application that were read too late',
    withEvents({ doubtful: 1 }, { doubtful: 2 }),
    ['eventsOnlyOfExpired'],
  ],
  [
    'what is late by no more than the machine lost',
    { punctuality: { inTime: 2990, excused: 10, late: 0 }, machine: { stoodStillMs: 42_000 } },
    ['goneInTime'],
  ],
  [
    'an execution that failed in a standstill',
    { excusedFailures: ['the sweep of 09:00 ended FAILED'], machine: { stoodStillMs: 400_000 } },
    ['nothingFailed'],
  ],
  [
    'everything that looks broken, after the clock was set back',
    { tally: { liveDeleted: 5 }, machine: { clockSetBackMs: 30_000 } },
    ['liveKept'],
  ],
  [
    'a run in which nothing expired',
    { tally: { expired: 0, deleted: 0 }, punctuality: { inTime: 0, excused: 0, late: 0 }, lags: [] },
    ['expiredDeleted', 'goneInTime'],
  ],
])('does not decide %s', (_, over, undecided) => {
  expect(promisesWith('undecided', over)).toEqual(undecided);
  expect(promisesWith('broken', over)).toEqual([]);
  const judged = judge(run(over));
  expect(judged.result.verdict).toBe('undecided');
  const text = formatReport(judged, context);
  for (const sentence of judged.doubts) expect(text).toContain(`? ${sentence}`);
  expect(text.includes('This machine: ')).toBe(over.machine !== undefined);
  expect(text).not.toContain('✗');
});

test('the summary shows every promise and what became of it', () => {
  const text = formatReport(judge(run()), context);
  expect(text).toMatch(/✓ expired = deleted +3,000 = 3,000/);
  expect(text).toMatch(/✓ gone in time +3,000 of 3,000 +promised: gone within 2\.0 s of expiry/);
  expect(text).toMatch(/lag p50 \/ p99 \/ max +1\.0 s \/ 2\.0 s \/ 2\.0 s/);
  expect(text).toMatch(/✓ live items deleted +0/);
  expect(text).toMatch(/✓ renewed, kept +540 of 540/);
  expect(text).toMatch(/✓ overdue at the end +0/);
  expect(text).toMatch(/✓ contradictions +0/);
  expect(text).toMatch(/✓ failures +0 +of 4 executions/);
  expect(text).toContain('Every promise was kept.');
  const broken = judge(run({ tally: { deleted: 1, overdue: 2999 } }));
  expect(formatReport(broken, context)).toMatch(/✗ expired = deleted/);
  const undecided = judge(run({ punctuality: { inTime: 2999, excused: 1, late: 0 } }));
  expect(formatReport(undecided, context)).toMatch(/\? gone in time +2,999 of 3,000/);
});

test('where nothing is renewed, nothing is said to be kept', () => {
  const judged = judge(run({ tally: { renewed: 0, renewedKept: 0 } }));
  const text = formatReport(judged, { ...context, renewals: false });
  expect(text).toMatch(/^ {4}renewed, kept +– +none: deleteMode 'batch'/m);
});

test('an interrupted run is not judged', () => {
  const judged = judge(run({ tally: { deleted: 5, overdue: 2995 }, interrupted: true }));
  expect(judged.result.verdict).toBe('interrupted');
  expect(new Set(judged.result.promises.map(({ status }) => status))).toEqual(new Set(['undecided']));
  const text = formatReport(judged, context);
  expect(text).toContain('Interrupted: this is what is known so far');
  expect(text).not.toMatch(/[✓✗?]/);
});

describe('progress', () => {
  test('says how things stand', () => {
    expect(formatProgress({ ...good, overdue: 12 }, [400, 300, 1200], 75)).toBe(
      'written 3,600  expired 3,000  deleted 3,000  overdue 12  lag 0.4/1.2 s  1:15',
    );
    expect(formatProgress(good, [], 0)).toMatch(/lag – {2}last tick$/);
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
    expect(text).toContain('a line that is …');
    expect(text).not.toContain('far');
    expect(text).toMatch(/second.*above\n.*third/s);
    expect(text.match(/\n/g)).toHaveLength(1);
  });

  const visible = (written: readonly string[]) => written.join('').replaceAll('\u001b[', 'ESC');

  /** The screen of a terminal after all that was written to it: moves of the cursor, and what is cleared. */
  function screenOf(written: readonly string[]): string[] {
    const lines = [''];
    let [row, column] = [0, 0];
    for (const [text, move] of visible(written).matchAll(/ESC([?\d]*[A-Za-z])|[\s\S]/gu)) {
      const line = lines[row] ?? '';
      if (text === '\r') column = 0;
      else if (text === '\n') [row, column] = [row + 1, 0];
      else if (move?.endsWith('A')) row -= Number.parseInt(move, 10);
      else if (move === 'K') lines[row] = line.slice(0, column);
      else if (move === 'J') lines.splice(row, lines.length, line.slice(0, column));
      else if (move === undefined) {
        lines[row] = line.slice(0, column).padEnd(column) + text + line.slice(column + 1);
        column += 1;
      }
      expect(row).toBeGreaterThanOrEqual(0);
    }
    return lines.map(each => each.trimEnd());
  }

  test('redraws a block in place, below what is said, and leaves nothing of it', () => {
    const terminal = output(true);
    const progress = new Progress(terminal);
    progress.showBlock(['one', 'two', 'three']);
    progress.showBlock(['four', 'five']);
    expect(screenOf(terminal.written)).toEqual(['four', 'five']);
    progress.say('above');
    expect(screenOf(terminal.written)).toEqual(['above', 'four', 'five']);
    progress.show('a line');
    expect(screenOf(terminal.written)).toEqual(['above', 'a line']);
    progress.showBlock(['six', 'seven']);
    progress.end();
    progress.end();
    progress.say('below');
    expect(screenOf(terminal.written)).toEqual(['above', 'below']);
  });

  test('hides the cursor while a block is shown, and shows it at the end, also of the process', () => {
    const before = process.listeners('exit');
    const terminal = output(true);
    const progress = new Progress(terminal);
    const cursor = () => visible(terminal.written).match(/ESC\?25[lh]/g) ?? [];
    progress.show('a line');
    expect(cursor()).toEqual([]);
    progress.showBlock(['one', 'two']);
    progress.showBlock(['one', 'two']);
    expect(cursor()).toEqual(['ESC?25l']);
    const [atExit] = process.listeners('exit').filter(each => !before.includes(each));
    atExit?.(0);
    expect(cursor()).toEqual(['ESC?25l', 'ESC?25h']);
    progress.end();
    expect(process.listeners('exit')).toEqual(before);
    expect(cursor()).toHaveLength(2);
  });

  test('goes up by the lines that a terminal shows which became narrower', () => {
    const terminal = { ...output(true), columns: 20 };
    const progress = new Progress(terminal);
    progress.showBlock(['x'.repeat(19), '\u001b[31mred\u001b[39m']);
    terminal.columns = 10;
    progress.showBlock(['y']);
    expect(visible(terminal.written.slice(-1))).toMatch(/^\rESC2Ay/);
  });

  test('shows the last lines of a block where the terminal is lower than it', () => {
    const terminal = { ...output(true), rows: 3 };
    new Progress(terminal).showBlock(['one', 'two', 'three']);
    expect(screenOf(terminal.written)).toEqual(['two', 'three']);
  });

  test('writes a line after two seconds and every ten elsewhere', () => {
    const file = output(false);
    let now = 0;
    const progress = new Progress(file, () => now);
    for (; now <= 25_000; now += 250) progress.show(`at ${now}`);
    expect(file.written).toEqual(['at 2000\n', 'at 12000\n', 'at 22000\n']);
  });
});
