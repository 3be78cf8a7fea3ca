import fc from 'fast-check';
import { executionsOfTable } from '../../../operate/aws/executions-of-table.ts';
import { InputError } from '../../../operate/errors.ts';
import { executionName, LABEL, MAX_PIECES, splitSpan, usualSplit } from '../../../operate/replay/pieces.ts';
import { readSpan } from '../../../operate/replay/settings.ts';

const at = (time: string): number => Date.parse(time) / 1000;
const NOW = Date.parse('2026-11-20T10:00:00.500Z');
const SETTINGS = { precision: 'second', maxDeletesPerSecond: 0 } as const;

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
    const cut = (from: string) => {
      const span = { from: at(from), to };
      const split = usualSplit(span);
      return [split, splitSpan(span, split).length];
    };
    expect(cut('2026-11-20T04:00:00Z')).toEqual([60, 6]);
    expect(cut('2026-10-20T10:00:00Z')).toEqual([60, 744]);
    expect(cut('2026-08-20T10:30:00Z')[1]).toBeLessThanOrEqual(1000);
    expect(cut('2022-11-26T10:00:00Z')[1]).toBeLessThanOrEqual(1000);
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

test('an open execution is of a table unless its name says that it is of another', () => {
  const piece = { from: 1_800_000_000, to: 1_800_003_600 };
  const replay = (tableName: string, attempt = 1) =>
    executionName({ tableName, piece, dryRun: false, label: 'again', attempt });
  const names = ['Sessions', 'Tokens'];
  const open = [replay('Sessions'), replay('Tokens', 2), 'by-hand'].map(name => ({ name }));
  const namesOf = (table: string) => executionsOfTable(open, table, names).map(({ name }) => name);
  expect(namesOf('Sessions')).toEqual([replay('Sessions'), 'by-hand']);
  expect(namesOf('Tokens')).toEqual([replay('Tokens', 2), 'by-hand']);
});
