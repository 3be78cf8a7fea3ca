import { statSync } from 'node:fs';
import type { Moment } from '../../../bench/demo/live.ts';
import { drawPicture } from '../../../bench/experiments/picture.ts';

const FIRST = Date.parse('2026-11-20T09:01:00Z') / 1000;

/** A run of ten sessions that expire in the first second; all are seen to be gone half a second later. */
function momentAt(now: number): Moment {
  const isGone = now >= FIRST * 1000 + 500;
  return {
    now,
    seconds: [{ ttl: FIRST, there: isGone ? 0 : 10, gone: isGone ? 10 : 0 }],
    tally: { written: 10, expired: isGone ? 10 : 0, deleted: isGone ? 10 : 0, overdue: 0 },
    lags: [isGone ? { p50: 400, max: 500 } : undefined],
    ...{ promisedLagMs: 2_000, firstTtl: FIRST, lastTtl: FIRST, rate: 10 },
    ...{ sweep: '<b>', page: 'http://127.0.0.1:45123/' },
  };
}

test('a dot comes nearer to now, from six seconds before; it is a point in the frame in which it was seen to be gone', () => {
  const moments = Array.from({ length: 200 }, (_, index) => momentAt(FIRST * 1000 - 10_000 + index * 250));
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
