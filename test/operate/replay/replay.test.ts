import fc from 'fast-check';
import type { Executions } from '../../../operate/aws/executions.ts';
import { type ExecutionState, executionsOfTable } from '../../../operate/aws/executions-of-table.ts';
import { InputError } from '../../../operate/errors.ts';
import { executionName, LABEL, MAX_PIECES, splitSpan, usualSplit } from '../../../operate/replay/pieces.ts';
import { runPiece } from '../../../operate/replay/replay.ts';
import { checkPieces, longestMinutes, readSpan } from '../../../operate/replay/settings.ts';
import { NO_TOTALS } from '../../../operate/replay/totals.ts';

const at = (time: string): number => Date.parse(time) / 1000;
const NOW = Date.parse('2026-11-20T10:00:00.500Z');
const SETTINGS = {
  lookbackMinutes: 10,
  precisionSeconds: 1,
  maxDeletesPerSecond: 0,
  windowSeconds: 60,
  shards: 1,
};

const spans = fc
  .record({
    from: fc.integer({ min: at('2022-01-01T00:00:00Z'), max: at('2026-01-01T00:00:00Z') }),
    seconds: fc.integer({ min: 1, max: 2 * 24 * 3600 }),
  })
  .map(({ from, seconds }) => ({ from, to: from + seconds }));
const splits = fc.integer({ min: 10, max: 3000 });

describe('splitSpan', () => {
  test('gives pieces that tile the span exactly, cut at the clock', () => {
    fc.assert(
      fc.property(spans, splits, (span, splitMinutes) => {
        const pieces = splitSpan(span, splitMinutes);
        expect([pieces[0]?.from, pieces.at(-1)?.to]).toEqual([span.from, span.to]);
        const length = splitMinutes * 60;
        const wrong = pieces.filter(({ from, to }, index) => {
          const cut = index === 0 || (from === pieces[index - 1]?.to && from % length === 0);
          return to <= from || to - from > length || !cut;
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  test('gives a part of a span the same pieces, but for its ends', () => {
    fc.assert(
      fc.property(spans, splits, (span, splitMinutes) => {
        const inner = splitSpan({ from: span.from + 1, to: span.to + 7200 }, splitMinutes).slice(1, -1);
        const outer = splitSpan({ from: span.from, to: span.to + 7201 }, splitMinutes);
        const known = new Set(outer.map(({ from, to }) => `${from}/${to}`));
        expect(inner.filter(({ from, to }) => !known.has(`${from}/${to}`))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('nobody has to say how long the pieces are', () => {
    const to = at('2026-11-20T10:00:00Z');
    const most = longestMinutes({ ...SETTINGS, windowSeconds: 1 });
    const cut = (from: string) => {
      const span = { from: at(from), to };
      const split = usualSplit(span, most);
      const pieces = splitSpan(span, split);
      checkPieces(pieces, { ...SETTINGS, windowSeconds: 1 });
      return [split, pieces.length];
    };
    expect(cut('2026-11-20T04:00:00Z')).toEqual([60, 6]);
    expect(cut('2026-10-20T10:00:00Z')).toEqual([60, 744]);
    expect(cut('2026-08-20T10:30:00Z')[1]).toBeLessThanOrEqual(1000);
    // An execution by second takes 1,000 minutes, so there are more executions.
    expect(cut('2022-11-26T10:00:00Z')).toEqual([1000, 2096]);
    // The longest span that a replay accepts, with the most shards that a table can have.
    const span = { from: to - 5 * 365 * 86_400 + 3600, to };
    const shards = { ...SETTINGS, shards: 100 };
    const split = usualSplit(span, longestMinutes(shards));
    expect(() => checkPieces(splitSpan(span, split), shards)).not.toThrow();
  });

  test('fails for more pieces than anybody wants, and the length it names is enough', () => {
    const span = { from: at('2022-01-01T00:00:30Z'), to: at('2026-01-01T00:00:00Z') };
    let fits = 0;
    try {
      splitSpan(span, 60);
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      fits = Number(/raise it to (\d+)/.exec(String(error))?.[1]);
    }
    expect(fits).toBeGreaterThan(60);
    expect(splitSpan(span, fits).length).toBeLessThanOrEqual(MAX_PIECES);
  });
});

describe('executionName', () => {
  const named = fc.record({
    tableName: fc.stringMatching(/^[A-Za-z0-9_.-]{3,255}$/),
    piece: spans,
    dryRun: fc.boolean(),
    label: fc.stringMatching(LABEL),
    attempt: fc.integer({ min: 1, max: 99 }),
  });

  test('is one that Step Functions and its logs take, and the same every time', () => {
    fc.assert(
      fc.property(named, one => {
        const name = executionName(one);
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,80}$/);
        expect(executionName({ ...one })).toBe(name);
      }),
    );
  });

  test('is another one for every table, piece, mode, label and attempt', () => {
    fc.assert(
      fc.property(named, named, (one, other) => {
        for (const field of ['tableName', 'piece', 'dryRun', 'label', 'attempt'] as const) {
          const changed = { ...one, [field]: other[field] };
          const same = JSON.stringify(changed) === JSON.stringify(one);
          expect(executionName(changed) === executionName(one)).toBe(same);
        }
      }),
    );
  });

  // The mode and the attempt are at the ends of the name, next to the label that a person chooses.
  test.each(['dry-x', 'x-2', '2', '-', 'x-1a2b3c4d-2'])('is not confused by the label %p', label => {
    const base = { tableName: 'T', piece: { from: 0, to: 60 }, dryRun: false, label: 'x', attempt: 2 };
    expect(executionName({ ...base, label, attempt: 1 })).not.toBe(executionName(base));
    expect(executionName({ ...base, label, dryRun: true })).not.toBe(executionName({ ...base, label }));
  });
});

describe('readSpan', () => {
  test.each([
    ['2026-11-20T08:00:00Z', '2026-11-20T09:00:00Z', '2026-11-20T08:00:00Z', '2026-11-20T09:00:00Z'],
    ['2026-11-20T08:00:00+01:00', '2026-11-20T08:30:00Z', '2026-11-20T07:00:00Z', '2026-11-20T08:30:00Z'],
    // The span is extended to whole seconds.
    ['2026-11-20T08:00:00.7Z', '2026-11-20T08:00:01.2Z', '2026-11-20T08:00:00Z', '2026-11-20T08:00:02Z'],
    ['2026-11-20T08:00:00Z', '2026-11-20T10:00:00.500Z', '2026-11-20T08:00:00Z', '2026-11-20T10:00:01Z'],
  ])('reads %s to %s', (from, to, start, end) => {
    expect(readSpan({ from, to }, NOW, SETTINGS)).toEqual({ from: at(start), to: at(end) });
  });

  const TO = '2026-11-20T09:00:00Z';
  test.each([
    [undefined, TO, 'from: expected a time in ISO-8601 with a zone, got nothing; give one such as 2026'],
    [TO, undefined, 'to: expected a time in ISO-8601 with a zone, got nothing; give one such as 2026'],
    [
      'yesterday',
      TO,
      'from: expected a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z, got "yesterday"',
    ],
    ['2026-11-20T08:00:00', TO, 'from: expected a time in ISO-8601 with a zone'],
    ['2026-02-30T08:00:00Z', TO, 'from: expected a time in ISO-8601'],
    [TO, TO, 'from: expected a time before to (2026-11-20T09:00:00Z), got "2026-11-20T09:00:00Z"'],
    ['2021-11-20T08:00:00Z', TO, 'from: expected a time less than five years back'],
    [
      '2026-11-20T08:00:00Z',
      '2026-11-20T10:00:01Z',
      'to: expected a time that has passed, got "2026-11-20T10:00:01Z"; items that expire later are alive',
    ],
  ])('fails for %p to %p', (from, to, message) => {
    const read = () => readSpan({ from, to }, NOW, SETTINGS);
    expect(read).toThrow(InputError);
    expect(read).toThrow(message);
  });
});

// The state machine decides about the limit: test/functions/plan-sweep/sweep-input.test.ts.
test.each([
  [1440, 1, true],
  [1440, 10, true],
  [44_640, 10, false],
  [1_000_000, 1, false],
])('pieces of %d windows in %d shards are what an execution takes: %p', (windows, shards, taken) => {
  const check = () => checkPieces([{ from: 0, to: windows * 60 }], { ...SETTINGS, shards });
  if (taken) expect(check).not.toThrow();
  else expect(check).toThrow(`splitMinutes: expected a span of at most`);
});

test('an open execution is of a table unless its name says that it is of another', () => {
  const piece = { from: 1_800_000_000, to: 1_800_003_600 };
  const replay = (tableName: string, attempt = 1) =>
    executionName({ tableName, piece, dryRun: false, label: 'resume-0a1b2c3d', attempt });
  const names = ['Sessions', 'Tokens'];
  const open = [replay('Sessions'), replay('Tokens', 2), 'of-a-tick', 'of-another-tick', 'by-hand'].map(
    name => ({ name }),
  );
  const handOvers = { Sessions: { execution: 'of-a-tick' }, Tokens: { execution: 'of-another-tick' } };
  const namesOf = (table: string) => executionsOfTable(open, table, names, handOvers).map(({ name }) => name);
  expect(namesOf('Sessions')).toEqual([replay('Sessions'), 'of-a-tick', 'by-hand']);
  expect(namesOf('Tokens')).toEqual([replay('Tokens', 2), 'of-another-tick', 'by-hand']);
});

const PIECE = {
  tableName: 'T',
  piece: { from: 1_700_000_000, to: 1_700_003_600 },
  dryRun: false,
  label: 'l',
};
const nameOf = (attempt: number): string => executionName({ ...PIECE, attempt });
const NEVER = new AbortController().signal;

const counts = (over: Record<string, number>) => JSON.stringify({ ...NO_TOTALS, ...over });
const succeeded = (over: Record<string, number>): ExecutionState => ({
  status: 'SUCCEEDED',
  output: counts(over),
});
const incomplete = (over: Record<string, number>): ExecutionState => ({
  status: 'FAILED',
  error: 'SweepIncompleteError',
  cause: counts(over),
});

/** Executions by attempt: those that were started before, and the result of one that is started now. */
function fake(before: readonly (ExecutionState | 'forgotten' | 'running')[], ends: ExecutionState) {
  const started: { name: string; input: unknown }[] = [];
  const known = new Map(before.map((state, index) => [nameOf(index + 1), state]));
  const executions: Executions = {
    async start(name, input) {
      if (known.has(name)) return false;
      started.push({ name, input });
      known.set(name, 'running');
      return true;
    },
    async describe(name) {
      const state = known.get(name);
      if (state === 'forgotten') return undefined;
      if (state !== 'running') return state;
      known.set(name, ends);
      return { status: 'RUNNING' };
    },
  };
  return { executions, started };
}

test('starts a piece that was never started, with its times', async () => {
  const { executions, started } = fake([], succeeded({ found: 3, deleted: 3 }));
  const result = await runPiece(PIECE, executions, NEVER);
  expect(result).toMatchObject({ status: 'SUCCEEDED', doneBefore: false, totals: { found: 3, deleted: 3 } });
  const input = { table: PIECE.tableName, from: '2023-11-14T22:13:20.000Z', to: '2023-11-14T23:13:20.000Z' };
  expect(started).toEqual([{ name: nameOf(1), input }]);
});

test('a dry run says so to the state machine', async () => {
  const { executions, started } = fake([], succeeded({ found: 3 }));
  await runPiece({ ...PIECE, dryRun: true }, executions, NEVER);
  expect(started[0]?.input).toMatchObject({ dryRun: true });
});

test('a limit is that of the execution', async () => {
  const { executions, started } = fake([], succeeded({ found: 3 }));
  await runPiece({ ...PIECE, maxDeletesPerSecond: 12 }, executions, NEVER);
  expect(started).toMatchObject([{ name: nameOf(1), input: { maxDeletesPerSecond: 12 } }]);
});

test('starts nothing when it is done, and takes its counts', async () => {
  const { executions, started } = fake([succeeded({ found: 3, deleted: 3 })], succeeded({}));
  const result = await runPiece(PIECE, executions, NEVER);
  expect(result).toMatchObject({ doneBefore: true, execution: nameOf(1), totals: { found: 3, deleted: 3 } });
  expect(started).toEqual([]);
});

test.each(['FAILED', 'TIMED_OUT', 'ABORTED'])(
  'starts one that %s again under the next name',
  async status => {
    const { executions, started } = fake([{ status }, { status }], succeeded({ found: 1, deleted: 1 }));
    const result = await runPiece(PIECE, executions, NEVER);
    expect(started.map(({ name }) => name)).toEqual([nameOf(3)]);
    expect(result).toMatchObject({ execution: nameOf(3), status: 'SUCCEEDED' });
  },
);

test('starts one that Step Functions has forgotten again', async () => {
  const { executions, started } = fake(['forgotten'], succeeded({}));
  await runPiece(PIECE, executions, NEVER);
  expect(started.map(({ name }) => name)).toEqual([nameOf(2)]);
});

test('fails, and does not start again by itself, when it fails now', async () => {
  const { executions, started } = fake([], incomplete({ found: 3, deleted: 2, failed: 1 }));
  const result = await runPiece(PIECE, executions, NEVER);
  expect(result).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError', totals: { failed: 1 } });
  expect(started).toHaveLength(1);
});

test('counts every item once, however many attempts it took', async () => {
  const { executions } = fake(
    [incomplete({ found: 10, deleted: 4, renewed: 1, failed: 5, shardsFailed: 1 })],
    succeeded({ found: 5, deleted: 3, notFound: 2 }),
  );
  const { totals } = await runPiece(PIECE, executions, NEVER);
  expect(totals).toEqual({ ...NO_TOTALS, found: 10, deleted: 7, renewed: 1, notFound: 2 });
});

test('an execution that fails without a report counts nothing', async () => {
  const { executions } = fake([], { status: 'FAILED', error: 'Boom', cause: 'in prose' });
  expect(await runPiece(PIECE, executions, NEVER)).toMatchObject({ cause: 'in prose', totals: { found: 0 } });
});

test.each([
  ['before a count existed: it is 0', { found: 3, deleted: 3 }, 3],
  ['with a count that is no number, which is no report', { found: 3, deleted: '3' }, 0],
  ['without what was found, which is no report', { deleted: 3 }, 0],
])('an execution that reported %s', async (_name, report, deleted) => {
  const { executions } = fake([], { status: 'SUCCEEDED', output: JSON.stringify(report) });
  expect((await runPiece(PIECE, executions, NEVER)).totals).toMatchObject({ deleted, renewed: 0 });
});
