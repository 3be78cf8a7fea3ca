import { statSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { drawMoment, type Moment, momentOf, scaleOf } from '../../../bench/demo/live.ts';
import { drawPicture } from '../../../bench/experiments/picture.ts';
import { Ledger } from '../../../bench/ledger/ledger.ts';

const NOW = Date.parse('2026-11-20T09:01:30.300Z');
const SECOND = Math.floor(NOW / 1000);

function moment(over: Partial<Moment> = {}): Moment {
  return {
    now: NOW,
    seconds: [],
    tally: { written: 1_103, expired: 412, deleted: 395, overdue: 17 },
    lags: [undefined, { p50: 200, max: 900 }, { p50: 100, max: 2_500 }],
    promisedLagMs: 2_000,
    firstTtl: SECOND - 30,
    lastTtl: SECOND + 29,
    rate: 20,
    sweep: 'WaitForNextExpiry',
    page: 'http://127.0.0.1:45123/',
    ...over,
  };
}

const drawn = (over: Partial<Moment> = {}, width = 79) =>
  drawMoment(moment(over), width).map(line => stripVTControlCharacters(line));
/** What stands before "now" and behind it, in each row of the field. */
const field = (over: Partial<Moment>, width = 79) =>
  drawn(over, width).flatMap(line => {
    const [, behind, ahead] = /^(.*)│(.*)$/.exec(line) ?? [];
    return behind === undefined ? [] : [{ behind: behind.trim(), ahead: ahead?.trimEnd() }];
  });
/** The colours of the characters that are drawn, in their order. */
const coloursOf = (lines: readonly string[], text: RegExp) =>
  [
    ...lines
      .join('')
      .replaceAll('\u001b[', 'ESC')
      .matchAll(/ESC(\d+)m((?:(?!ESC).)*)/g),
  ].flatMap(([, colour, coloured = '']) => (text.test(coloured) ? [Number(colour)] : []));
const [CYAN, YELLOW, RED] = [36, 33, 31];

const FULL = [...Array(200).keys()].map(index => ({
  ttl: SECOND - 80 + index,
  there: index > 80 ? 20 : 0,
  gone: index > 80 ? 0 : 20,
}));

test.each([79, 99, 159])('fits %d columns, in at most 12 lines', width => {
  for (const rate of [0.5, 20, 1_000]) {
    const tally = { written: 60_000, expired: 60_000, deleted: 60_000, overdue: 1_000 };
    for (const lines of [drawn({ rate, seconds: FULL }, width), drawn({ rate, tally, seconds: [] }, width)]) {
      expect(lines.length).toBeLessThanOrEqual(12);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      // Nothing is cut.
      expect(lines.join('\n')).toMatch(
        /of 2\.0 s\n {2}sweep WaitForNextExpiry {3}look at http:\/\/127\.0\.0\.1:45123\/$/,
      );
    }
  }
});

test('what expires next stands to the right of now, a dot for each session', () => {
  const rows = field({
    rate: 8,
    seconds: [
      { ttl: SECOND + 1, there: 5, gone: 0 },
      { ttl: SECOND + 2, there: 1, gone: 0 },
    ],
  });
  // Five dots in the left column, one in the right one.
  expect(rows).toEqual([
    { behind: '', ahead: '⡀' },
    { behind: '', ahead: '⣇' },
  ]);
  expect(field({ rate: 8, seconds: [{ ttl: SECOND + 6, there: 4, gone: 0 }] }).at(-1)?.ahead).toBe('  ⢸');
});

test('what has expired is a small point once it is gone, and a dot while it is there', () => {
  const gone = { ttl: SECOND - 1, there: 0, gone: 8 };
  expect(field({ rate: 8, seconds: [gone] }).map(({ behind }) => behind)).toEqual(['', '·']);
  expect(field({ rate: 8, seconds: [{ ...gone, gone: 0, there: 4 }] }).at(-1)).toEqual({
    behind: '⡇',
    ahead: '',
  });
});

test('a session is yellow when it expires soon, and red when it should be gone', () => {
  const colourOf = (ttl: number) =>
    coloursOf(drawMoment(moment({ seconds: [{ ttl, there: 4, gone: 0 }] }), 79), /[\u2801-\u28fe]/)[0];
  expect([SECOND + 30, SECOND + 5, SECOND, SECOND - 5].map(colourOf)).toEqual([CYAN, YELLOW, YELLOW, RED]);
});

test('says what native TTL would still hold: all that has expired', () => {
  expect(drawn().join('\n')).toContain('native TTL, "within a few days", would keep: up to 412');
  expect(drawn({ tally: { written: 5, expired: 0, deleted: 0, overdue: 0 } }).join('\n')).toContain(
    'would keep: up to 0',
  );
});

test('counts down to the first expiry, and to the end', () => {
  expect(drawn({ firstTtl: SECOND + 61 }).join('\n')).toMatch(/first expiry in 1:01$/m);
  expect(drawn().join('\n')).toMatch(/overdue 17 {2}0:29 left$/m);
  expect(drawn({ lastTtl: SECOND }).join('\n')).toMatch(/last tick$/m);
});

test('the highest bar of a lag is the promise, and what is above it is red', () => {
  expect(drawn().join('\n')).toContain('lag p50  ▁▁ 0.1 s  max  ▄█ 2.5 s  of 2.0 s');
  expect(coloursOf(drawMoment(moment(), 79), /█/)).toEqual([RED]);
});

test.each([
  [0.5, { itemsPerDot: 1, rows: 1 }],
  [8, { itemsPerDot: 1, rows: 2 }],
  [20, { itemsPerDot: 1, rows: 5 }],
  [21, { itemsPerDot: 2, rows: 3 }],
  [1_000, { itemsPerDot: 50, rows: 5 }],
])('%d sessions a second', (rate, scale) => {
  expect(scaleOf(rate)).toEqual(scale);
  const said =
    scale.itemsPerDot === 1 ? 'a dot is a session' : `a dot is up to ${scale.itemsPerDot} sessions`;
  expect(drawn({ rate }).join('\n')).toContain(said);
});

const standing = {
  promisedLagMs: 2_000,
  firstTtl: SECOND - 30,
  lastTtl: SECOND + 29,
  rate: 20,
  sweep: 'no tick',
  page: 'http://127.0.0.1:45123/',
};

/** A ledger of sessions, each with its TTL and when it was seen to be gone, seconds from now. */
function ledgerOf(...sessions: readonly (readonly [ttl: number, goneAt?: number])[]): Ledger {
  const ledger = new Ledger(() => NOW);
  for (const [index, [ttl, goneAt]] of sessions.entries()) {
    ledger.wrote(`${index}`, 1, SECOND + ttl);
    if (goneAt === undefined) continue;
    ledger.removed(`${index}`, 1, { ttl: SECOND + ttl, seenAt: (SECOND + goneAt) * 1000 });
  }
  return ledger;
}

const at = (ledger: Ledger) => momentOf(ledger, standing, NOW);

test('counts the sessions of each second: which are there, and which are gone', () => {
  const { seconds, tally } = at(ledgerOf([40], [-5, -4], [-5], [-6, -5], [40]));
  expect(seconds).toEqual([
    { ttl: SECOND - 6, there: 0, gone: 1 },
    { ttl: SECOND - 5, there: 1, gone: 1 },
    { ttl: SECOND + 40, there: 2, gone: 0 },
  ]);
  expect(tally).toEqual({ written: 5, expired: 3, deleted: 2, overdue: 1 });
});

test('leaves out what is too far away, and what had expired before the run; what was renewed stands where it expires now', () => {
  const ledger = ledgerOf([10_000], [-1_000, -999], [5]);
  ledger.wrote('2', 2, SECOND + 9, 'renewed');
  expect(at(ledger).seconds).toEqual([{ ttl: SECOND + 9, there: 1, gone: 0 }]);
});

test('plots the lag of each three seconds, up to now', () => {
  const { lags } = at(ledgerOf([-8, -6], [-8, -5], [-1, 0], [-40, -8]));
  expect(lags).toHaveLength(20);
  expect(lags.filter(span => span !== undefined)).toEqual([
    { p50: 2_000, max: 3_000 },
    { p50: 1_000, max: 1_000 },
  ]);
  expect(lags.at(-1)).toEqual({ p50: 1_000, max: 1_000 });
});

const PICTURED = Date.parse('2026-11-20T09:01:00Z') / 1000;

/** A run of ten sessions that expire in the first second; all are seen to be gone half a second later. */
function momentAt(now: number): Moment {
  const isGone = now >= PICTURED * 1000 + 500;
  return {
    now,
    seconds: [{ ttl: PICTURED, there: isGone ? 0 : 10, gone: isGone ? 10 : 0 }],
    tally: { written: 10, expired: isGone ? 10 : 0, deleted: isGone ? 10 : 0, overdue: 0 },
    lags: [isGone ? { p50: 400, max: 500 } : undefined],
    ...{ promisedLagMs: 2_000, firstTtl: PICTURED, lastTtl: PICTURED, rate: 10 },
    ...{ sweep: '<b>', page: 'http://127.0.0.1:45123/' },
  };
}

test('a dot comes nearer to now, from six seconds before; it is a point in the frame in which it was seen to be gone', () => {
  const moments = Array.from({ length: 200 }, (_, index) => momentAt(PICTURED * 1000 - 10_000 + index * 250));
  const frames = drawPicture(moments)
    .split('\n')
    .filter(line => line.startsWith('<g class="t f'));
  expect(frames).toHaveLength(30);
  // Ten dots above each other, six pixels apart.
  expect(frames[0]).toContain('<path class="there" d="M266 196v-54.1"/>');
  expect(frames[6]).toContain('<path class="gone" d="M230 196v-54.1"/><path class="there" d=""/>');
  expect(frames[6]).toContain('at most, 0.4 s in the middle');
  expect(frames[5]).toContain('&lt;b>');
});

test('the picture of the README is small', () => {
  expect(statSync('bench/results/picture.svg').size).toBeLessThan(80_000);
});
