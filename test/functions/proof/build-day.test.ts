import fc from 'fast-check';
import type { LedgerEntry } from '../../../functions/journal/ledger.ts';
import { beginOf, buildDay, countKept, lateLines, linesOfDay } from '../../../functions/proof/build-day.ts';
import { keyField, type ProofLine } from '../../../functions/proof/manifest.ts';
import { type BookRow, readRows, rowsOf } from '../../support/proof-books.ts';

const DATE = '2026-11-20';
const BEGIN = beginOf(DATE);
const AS_OF = '2026-11-21T03:00:00.000Z';
const LATER = '2026-11-21T04:00:00.000Z';

const entry = (name: string, at: number, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  key: { pk: { S: name } },
  ttl: at - 1,
  at,
  ...more,
});

async function day(rows: readonly BookRow[], date = DATE, asOf = AS_OF) {
  const hours: Record<string, ProofLine[]> = {};
  const counts = await buildDay(
    { read: readRows(rows), date, asOf, keyField: keyField(undefined) },
    async ({ name, lines }) => {
      expect([...lines]).toEqual([...lines].sort());
      hours[name] = lines.map(line => JSON.parse(line));
    },
  );
  return { hours, lines: Object.values(hours).flat(), counts };
}

async function allOf<Each>(given: AsyncIterable<Each>): Promise<Each[]> {
  const all: Each[] = [];
  for await (const each of given) all.push(each);
  return all;
}

test('a day has what the sweep deleted with its line of the archive, and what only the archive has', async () => {
  const rows = [
    ...rowsOf('deleted', [entry('a', BEGIN), entry('b', BEGIN + 3_700, { ttl: BEGIN - 100 })]),
    ...rowsOf('archived', [entry('a', BEGIN + 1, { ttl: BEGIN - 1, line: 'hash of a' })]),
    ...rowsOf('archived', [entry('native', BEGIN + 9, { ttl: null, line: 'hash of native' })]),
  ];
  const { hours, counts } = await day(rows);
  expect(hours).toEqual({
    '00': [
      {
        key: { pk: { S: 'a' } },
        expiredAt: '2026-11-19T23:59:59.000Z',
        deletedAt: '2026-11-20T00:00:00.000Z',
        by: 'sweep',
        line: 'hash of a',
      },
      {
        key: { pk: { S: 'native' } },
        expiredAt: null,
        deletedAt: '2026-11-20T00:00:09.000Z',
        by: 'other',
        line: 'hash of native',
      },
    ],
    '01': [
      {
        key: { pk: { S: 'b' } },
        expiredAt: '2026-11-19T23:58:20.000Z',
        deletedAt: '2026-11-20T01:01:40.000Z',
        by: 'sweep',
      },
    ],
  });
  expect(counts).toEqual({
    deleted: { sweep: 2, other: 1 },
    expired: { '2026-11-19': 2, none: 1 },
    latestSeconds: 3_800,
  });
});

test('a key that is deleted again and again has each of its lines at its own deletion', async () => {
  const times = Array.from({ length: 60 }, (_, index) => BEGIN + index * 50 + 29);
  const rows = [
    ...times.flatMap(at => rowsOf('deleted', [entry('lock', at)])),
    ...times.flatMap(at => rowsOf('archived', [entry('lock', at + 1, { line: `of ${at}` })])),
  ];
  const { lines } = await day(rows);
  expect(lines.map(({ deletedAt, line }) => [Date.parse(deletedAt) / 1000, line]).sort()).toEqual(
    times.map(at => [at, `of ${at}`]).sort(),
  );
});

test('the line of a deletion is not that of the one before, which has none', async () => {
  const rows = [
    ...rowsOf('deleted', [entry('lock', BEGIN + 30), entry('lock', BEGIN + 80)]),
    ...rowsOf('archived', [entry('lock', BEGIN + 80, { line: 'of 80' })]),
  ];
  const { lines } = await day(rows);
  expect(lines.map(({ deletedAt, line }) => [Date.parse(deletedAt) / 1000 - BEGIN, line])).toEqual([
    [30, undefined],
    [80, 'of 80'],
  ]);
});

test('around midnight a deletion is of the day that the sweep has', async () => {
  const rows = [
    ...rowsOf('deleted', [entry('old', BEGIN - 1), entry('new', BEGIN)]),
    ...rowsOf('archived', [entry('old', BEGIN + 5, { line: 'o' }), entry('new', BEGIN - 5, { line: 'n' })]),
  ];
  expect((await day(rows)).lines.map(({ line }) => line)).toEqual(['n']);
  expect((await day(rows, '2026-11-19')).lines.map(({ line }) => line)).toEqual(['o']);
});

test('a chunk that was tried again, and a batch that was cut otherwise, count once; a key that is deleted anew counts again', async () => {
  const again = { ttl: BEGIN };
  const rows = [
    ...rowsOf('deleted', [entry('a', BEGIN + 1, again), entry('a', BEGIN + 4, again)]),
    ...rowsOf('deleted', [entry('a', BEGIN + 500, { ttl: BEGIN + 499 })]),
    ...rowsOf('archived', [entry('a', BEGIN + 1, { line: '1' }), entry('a', BEGIN + 1, { line: '1' })]),
    ...rowsOf('archived', [entry('a', BEGIN + 501, { line: '2' })]),
  ];
  expect((await day(rows)).counts.deleted).toEqual({ sweep: 2, other: 0 });
});

test('what was kept counts by key', async () => {
  const rows = rowsOf('kept', [
    entry('a', BEGIN, { kept: 'renewed' }),
    entry('a', BEGIN + 60, { kept: 'renewed' }),
    entry('b', BEGIN, { kept: 'renewed' }),
    entry('next day', BEGIN + 86_400, { kept: 'renewed' }),
  ]);
  const options = { read: readRows(rows), date: DATE, asOf: AS_OF, keyField: keyField(undefined) };
  await expect(countKept(options)).resolves.toEqual({ renewed: 2 });
});

test('what was written after the manifest is late: a line of a deletion that was there, and a deletion', async () => {
  const rows = [
    ...rowsOf('deleted', [entry('a', BEGIN)]),
    ...rowsOf('archived', [entry('a', BEGIN, { line: 'a' }), entry('native', BEGIN, { line: 'n' })], LATER),
  ];
  expect((await day(rows)).lines).toEqual([expect.not.objectContaining({ line: 'a' })]);
  const options = { read: readRows(rows), date: DATE, asOf: LATER, keyField: keyField(undefined) };
  const lateSince = async (since: string) =>
    (await allOf(lateLines(options, since))).flatMap(({ lines }) => lines);
  const late = (await lateSince(AS_OF)).map(line => JSON.parse(line) as ProofLine);
  expect(late.map(({ line, by }) => [line, by])).toEqual([
    ['a', 'sweep'],
    ['n', 'other'],
  ]);
  await expect(lateSince(LATER)).resolves.toEqual([]);
});

test('an hour with more lines than a part has room for has further parts, in whichever order its rows come', async () => {
  const rows = rowsOf(
    'deleted',
    ['a', 'b', 'c', 'd', 'e'].map((name, index) => entry(name, BEGIN + 7_200 + index * 300)),
  );
  const partsOf = (those: readonly BookRow[]) =>
    allOf(
      linesOfDay({
        ...{ read: readRows(those), date: DATE, asOf: AS_OF },
        ...{ keyField: keyField(undefined), mostPartBytes: 300 },
      }),
    );
  const parts = await partsOf(rows);
  expect(parts.map(({ name, lines }) => [name, lines.length])).toEqual([
    ['02', 2],
    ['02-2', 2],
    ['02-3', 1],
  ]);
  await expect(partsOf(rows.toReversed())).resolves.toEqual(parts);
});

test('of a row that nobody has written no manifest is made', async () => {
  const wrong = rowsOf('deleted', [{ ...entry('a', BEGIN), ttl: 'soon' as unknown as number }]);
  await expect(day(wrong)).rejects.toThrow(
    'Book deleted: expected entries with `ttl` in epoch seconds or null, got "soon". No manifest was written.',
  );
});

test('hashes of keys tell nothing without the salt', () => {
  const salt = Buffer.alloc(32, 1);
  expect(keyField(salt)('{"pk":{"S":"a"}}')).toMatch(/^"keyHash":"[0-9a-f]{64}"$/);
  expect(keyField(salt)('{"pk":{"S":"a"}}')).not.toBe(keyField(Buffer.alloc(32, 2))('{"pk":{"S":"a"}}'));
});

/** Deletions around two midnights: in both books, in one, with a reader's clock that is up to a minute apart. */
const deletions = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      // Each key at most once in ten minutes.
      tenMinutes: fc.nat(288),
      second: fc.nat(300),
      skew: fc.integer({ min: -60, max: 60 }),
      books: fc.constantFrom('both', 'deleted', 'archived'),
    }),
    { maxLength: 40, selector: ({ name, tenMinutes }) => `${name}${tenMinutes}` },
  )
  .map(all =>
    all.map(({ name, tenMinutes, second, skew, books }) => {
      const at = BEGIN - 43_200 + tenMinutes * 600 + second;
      const [deleted, archived] = [books !== 'archived', books !== 'deleted'];
      const seenAt = deleted ? at + skew : at;
      return {
        at,
        rows: [
          ...(deleted ? rowsOf('deleted', [entry(name, at)]) : []),
          ...(archived
            ? rowsOf('archived', [entry(name, seenAt, { ttl: at - 1, line: `${name}${at}` })])
            : []),
        ],
      };
    }),
  );

test('each deletion is in the manifest of exactly one day', async () => {
  await fc.assert(
    fc.asyncProperty(deletions, async all => {
      const rows = all.flatMap(each => each.rows);
      const dates = ['2026-11-19', DATE, '2026-11-21'];
      const days = await Promise.all(dates.map(async date => (await day(rows, date)).lines));
      for (const [index, lines] of days.entries())
        for (const { deletedAt } of lines) expect(deletedAt.slice(0, 10)).toBe(dates[index]);
      const times = days.flat().map(({ deletedAt }) => Date.parse(deletedAt) / 1000);
      expect(times.sort()).toEqual(all.map(({ at }) => at).sort());
    }),
  );
});

test('neither the order of the rows nor their repetition changes anything', async () => {
  const shuffled = deletions.chain(all => {
    const rows = all.flatMap(each => each.rows);
    const other = fc.shuffledSubarray([...rows, ...rows], { minLength: rows.length * 2 });
    return fc.record({ rows: fc.constant(rows), other });
  });
  await fc.assert(
    fc.asyncProperty(shuffled, async ({ rows, other }) => {
      expect(await day(other)).toEqual(await day(rows));
    }),
  );
});
