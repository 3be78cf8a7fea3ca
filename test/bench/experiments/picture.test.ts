import { statSync } from 'node:fs';
import type { Moment } from '../../../bench/demo/live/moment.ts';
import { drawRecording } from '../../../bench/experiments/picture/draw.ts';
import { recordingOf } from '../../../bench/experiments/picture/recording.ts';

const FIRST = Date.parse('2026-11-20T09:01:00Z') / 1000;

/** A run of ten sessions that expire in the first second, four a second; each is seen to be gone half a second later. */
function momentAt(now: number): Moment {
  const isGone = now >= FIRST * 1000 + 500;
  const isExpired = now >= FIRST * 1000;
  return {
    now,
    seconds: [{ ttl: FIRST, there: isGone ? 0 : 10, gone: isGone ? 10 : 0 }],
    tally: {
      written: 10,
      expired: isExpired ? 10 : 0,
      deleted: isGone ? 10 : 0,
      overdue: isExpired && !isGone ? 10 : 0,
    },
    lags: [isGone ? { p50: 500, max: 500 } : undefined],
    promisedLagMs: 2_000,
    ...{ firstTtl: FIRST, lastTtl: FIRST, rate: 10 },
    ...{ sweep: '<b>', page: 'http://127.0.0.1:45123/' },
  };
}

const moments = Array.from({ length: 200 }, (_, index) => momentAt(FIRST * 1000 - 10_000 + index * 250));
const recording = recordingOf(moments);

test('records when the items of a second come and go, from six seconds before the first expiry', () => {
  expect(recording.columns).toEqual([
    {
      at: 6,
      there: [
        [0, 10],
        [26, 0],
      ],
      gone: [[26, 10]],
    },
  ]);
  expect(recording.figures).toHaveLength(30);
  expect(recording.figures[5]).toMatchObject({ expired: 0, overdue: 0, p50: -1, max: -1 });
  expect(recording.figures[6]).toMatchObject({ expired: 10, deleted: 10, overdue: 0, p50: 500, max: 500 });
});

test('a run that was broken off is recorded as far as it came', () => {
  expect(recordingOf([])).toEqual({ columns: [], figures: [] });
  expect(recordingOf(moments.slice(0, 1)).columns).toEqual([{ at: 6, there: [[0, 10]], gone: [] }]);
});

test('a dot is there until its item was seen to be gone, and a point from then on', () => {
  const svg = drawRecording(recording, 'about');
  // Ten dots above each other, six pixels apart; the sample 26 is at 21.67% of the time.
  expect(svg).toContain('<g class="there"><g class="o26"><path d="M36 196v-54.1"/></g></g>');
  expect(svg).toContain('<g class="gone"><path class="i26" d="M36 196v-54.1"/></g>');
  expect(svg).toContain('@keyframes o26{21.67%,to{opacity:0}}');
  expect(svg).toContain('&lt;b>');
});

test('the picture of the README is small', () => {
  expect(statSync('bench/results/picture.svg').size).toBeLessThan(60_000);
});
