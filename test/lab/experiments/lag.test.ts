import fc from 'fast-check';
import type { ExpiryEvent } from '../../../expiry/index.ts';
import { drawLag, type LagResult, type Mode } from '../../../lab/experiments/lag/plot.ts';
import { cumulative, EventReceiver, lagTable, modeResult, parseModes } from '../../../lab/experiments/lag.ts';

const tally = { written: 10, expired: 10, liveDeleted: 0, renewed: 0, renewedKept: 0 };
const mode = (name: Mode, lags: number[]) =>
  modeResult(name, { ...tally, deleted: lags.length, overdue: 10 - lags.length }, lags);

const RESULT: LagResult = {
  settings: { minutes: 5, rate: 20 },
  modes: [
    mode('precise', [100, 110, 120, 130, 150, 200, 250, 300, 500, 900]),
    mode('plain', [1000, 7000, 13_000, 20_000, 27_000, 33_000, 40_000, 47_000, 53_000, 60_000]),
    mode('published', [2000, 9000, 15_000, 22_000, 29_000, 36_000, 43_000, 50_000]),
  ],
};

describe('a list of modes', () => {
  test.each<[string, Mode[]]>([
    ['precise,plain,published', ['precise', 'plain', 'published']],
    ['published,precise', ['precise', 'published']],
    ['plain', ['plain']],
  ])('%s', (list, expected) => {
    expect(parseModes(list)).toEqual(expected);
  });

  test.each(['', 'slow', 'precise,', 'toString'])('fails for "%s"', list => {
    expect(() => parseModes(list)).toThrow(/^--modes: expected some of precise,plain,published, got "/);
  });
});

describe('the table', () => {
  const [, , ...rows] = lagTable(RESULT.modes).split('\n');
  const cells = (row: string | undefined) =>
    row
      ?.split('|')
      .map(cell => cell.trim())
      .slice(1, -1);

  test('has the counts, the lag in seconds and its ratio to the plain mode', () => {
    expect(cells(rows[0])?.slice(1)).toEqual([
      '10',
      '10',
      '10',
      '0',
      '0',
      '0.15',
      '0.90',
      '0.90',
      '0.0056',
      '0.015',
      '0.015',
    ]);
    expect(cells(rows[2])?.slice(1, 6)).toEqual(['10', '10', '8', '2', '0']);
  });

  test('has dashes for a mode that deleted nothing', () => {
    const [row] = lagTable([mode('published', [])])
      .split('\n')
      .slice(2);
    expect(cells(row)?.slice(6)).toEqual(['–', '–', '–', '–', '–', '–']);
  });
});

describe('the plot', () => {
  test('is well-formed, the same each time, and has a line with its name for each mode', async () => {
    const svg = await drawLag(RESULT);
    expect(unbalanced(svg)).toEqual([]);
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(svg.match(/<path [^>]*fill="none"[^>]*stroke-width="3"/g)).toHaveLength(3);
    expect(svg).toContain('published algorithm, once a minute: 2 never deleted');
    expect(await drawLag(RESULT)).toBe(svg);
  });

  test('can be drawn when a mode deleted nothing', async () => {
    const empty = await drawLag({ ...RESULT, modes: [mode('precise', [])] });
    expect(unbalanced(empty)).toEqual([]);
    expect(empty).not.toMatch(/NaN|Infinity/);
  });
});

/** Elements that aren't closed, or closed without being open. */
function unbalanced(xml: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, close, name = '', selfClosed] of xml.matchAll(
    /<(\/?)([\w:]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g,
  )) {
    if (selfClosed) continue;
    if (!close) open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  // Whatever isn't a tag or text is neither.
  const rest = xml.replaceAll(/<(\/?)([\w:]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g, '');
  return [...wrong, ...open, ...(/[<>]/.test(rest) ? ['stray'] : [])];
}

describe('the cumulative distribution', () => {
  test('has every lag while there is room, and then the first and the largest', () => {
    const lags = [3, 1, 2];
    expect(cumulative([], 10, 200)).toEqual([]);
    expect(cumulative(lags, 4, 3)).toEqual(lags.sort().map(lag => [lag, lag / 4]));
    expect(cumulative(lags, 3, 2).map(([lag]) => lag)).toEqual([1, 3]);
    expect(cumulative(lags, 3, 1)).toEqual([[3, 1]]);
  });

  test('never falls, never has too many points, and ends with what was deleted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(200_000), { minLength: 1, maxLength: 500 }),
        fc.nat(50),
        fc.integer({ min: 1, max: 200 }),
        (lags, left, maxPoints) => {
          const expired = lags.length + left;
          const points = cumulative(lags, expired, maxPoints);
          expect(points.length).toBeLessThanOrEqual(maxPoints);
          for (const [index, [lagMs, share]] of points.entries()) {
            const [lagBefore, shareBefore] = points[index - 1] ?? [0, 0];
            expect(lagMs).toBeGreaterThanOrEqual(lagBefore);
            expect(share).toBeGreaterThan(shareBefore);
          }
          expect(points.at(-1)?.[0]).toBe(Math.max(...lags));
          expect(points.at(-1)?.[1]).toBeCloseTo(lags.length / expired, 4);
        },
      ),
    );
  });
});

const EXPIRED_AT = '2026-11-22T09:00:30.000Z';
const event = (id: string, key: string): ExpiryEvent => ({
  id,
  table: 'Sessions',
  key: { id: { S: key } },
  expiredAt: EXPIRED_AT,
  deletedAt: '2026-11-22T09:00:31.000Z',
});

test('counts each item once, from its expiry to its first event', () => {
  const receiver = new EventReceiver();
  const at = Date.parse(EXPIRED_AT);
  receiver.receive(event('1', 'a'), at + 400);
  receiver.receive(event('2', 'b'), at + 900);
  receiver.receive(event('1', 'a'), at + 5_000);
  expect(receiver.received()).toEqual({
    items: 2,
    again: 1,
    early: 0,
    lagMs: { p50: 400, p99: 900, max: 900 },
  });
});

test('an event before the expiry, or without one, is early', () => {
  const receiver = new EventReceiver();
  receiver.receive(event('1', 'a'), Date.parse(EXPIRED_AT) - 1);
  receiver.receive({ ...event('2', 'b'), expiredAt: null }, Date.parse(EXPIRED_AT));
  expect(receiver.received().early).toBe(2);
});
