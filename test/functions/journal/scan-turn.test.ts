import { isScanDue, nextScanAt } from '../../../functions/journal/scan-turn.ts';

const DAY = 86_400;
const NOON = Date.parse('2026-11-20T12:00:00Z') / 1000;
const tables = Array.from({ length: 100 }, (_unused, index) => `table-${index}`);

/** The table's turn on that day. */
const turnOf = (table: string) => nextScanAt(table, NOON - DAY);

test('the tables of a deployment have their turns in different minutes', () => {
  expect(new Set(tables.map(turnOf)).size).toBeGreaterThan(80);
});

test.each([
  ['at its turn', 0],
  ['11 hours late', 11 * 3600],
])('a scan that began %s is followed by one at the turn of the next day', (_when, late) => {
  for (const table of tables) expect(nextScanAt(table, turnOf(table) + late)).toBe(turnOf(table) + DAY);
});

test('one that somebody has begun shortly before the turn takes its place', () => {
  for (const table of tables) expect(nextScanAt(table, turnOf(table) - 3600)).toBe(turnOf(table) + DAY);
});

test('whenever one has begun, the next one is due between half a day and a day and a half later', () => {
  for (const table of tables) {
    for (let began = NOON; began < NOON + DAY; began += 1_801) {
      const next = nextScanAt(table, began);
      expect(next - began).toBeGreaterThanOrEqual(DAY / 2);
      expect(next - began).toBeLessThanOrEqual(1.5 * DAY);
      expect([isScanDue(table, next, next - 1), isScanDue(table, next, next)]).toEqual([false, true]);
    }
  }
});
