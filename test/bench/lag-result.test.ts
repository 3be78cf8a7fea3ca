import { drawLag } from '../../bench/lag/plot.ts';
import { type LagResult, lagTable, type Mode, modeResult, parseModes } from '../../bench/lag/result.ts';

const tally = { written: 10, expired: 10, liveDeleted: 0, renewed: 0, renewedKept: 0 };
const mode = (name: Mode, lags: number[]) =>
  modeResult(name, { ...tally, deleted: lags.length, overdue: 10 - lags.length }, lags);

const RESULT: LagResult = {
  settings: { minutes: 5, rate: 20, seed: 1, waitedSeconds: 150 },
  machine: { node: 'v24.0.0', cores: 2, processor: 'any', loadBefore: 0, date: '2026-11-20T09:00:00.000Z' },
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
  const [head = '', rule = '', ...rows] = lagTable(RESULT).split('\n');
  const cells = (row: string | undefined) =>
    row
      ?.split('|')
      .map(cell => cell.trim())
      .slice(1, -1);

  test('has a row for each mode, of as many cells as its head', () => {
    expect(rows).toHaveLength(3);
    for (const row of [rule, ...rows]) expect(cells(row)).toHaveLength(cells(head)?.length ?? 0);
  });

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
    const [row] = lagTable({ ...RESULT, modes: [mode('published', [])] })
      .split('\n')
      .slice(2);
    expect(cells(row)?.slice(6)).toEqual(['–', '–', '–', '–', '–', '–']);
  });
});

describe('the plot', () => {
  const svg = drawLag(RESULT);

  test('is well-formed', () => {
    expect(unbalanced(svg)).toEqual([]);
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('has three lines, each with its name', () => {
    const lines = svg.match(/<path [^>]*fill="none"[^>]*stroke-width="3"/g);
    expect(lines).toHaveLength(3);
    for (const name of [
      'to the second',
      'once a minute',
      'published algorithm, once a minute: 2 never deleted',
    ]) {
      expect(svg).toContain(name);
    }
  });

  test('is the same each time it is drawn', () => {
    expect(drawLag(RESULT)).toBe(svg);
  });

  test('can be drawn when a mode deleted nothing', () => {
    const empty = drawLag({ ...RESULT, modes: [mode('precise', [])] });
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
