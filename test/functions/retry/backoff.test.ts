import { backoffMs, sleepRest, waitUntil } from '../../../functions/retry/backoff.ts';

test.each([
  [1, 0, 0],
  [1, 0.5, 500],
  [1, 0.9999, 1000],
  [2, 0.5, 1000],
  [4, 0.5, 4000],
  [5, 0.5, 4000],
  [2000, 0.5, 4000],
])('after attempt %d, by chance %d, waits %d ms', (attempts, random, expected) => {
  expect(backoffMs(attempts, () => random)).toBe(expected);
});

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [1_795_165_200, '2026-11-20T09:00:00Z'],
  [1_795_165_200.999, '2026-11-20T09:00:00Z'],
])('waits until %d as %s', (epochSeconds, expected) => expect(waitUntil(epochSeconds)).toBe(expected));

test.each([
  [1000, 1000, []],
  [1000, 1500, []],
  [1000, 300, [700]],
  [5000, 1000, [999]], // never longer than what a Wait can leave
])('until %d, at %d, sleeps %p', async (untilMs, nowMs, expected) => {
  const slept: number[] = [];
  await sleepRest(untilMs, nowMs, async ms => void slept.push(ms));
  expect(slept).toEqual(expected);
});
