import { sparingly } from '../../../../bench/demo/live/moment.ts';

test.each([
  [5, 40],
  [50, 10],
  [500, 5],
])('work that takes %d ms is done %d times in ten seconds', (took, times) => {
  let now = 0;
  let done = 0;
  const work = sparingly(
    () => {
      done += 1;
      now += took;
    },
    () => now,
  );
  for (let asked = 0; asked < 10_000; asked += 250) {
    now = Math.max(now, asked);
    work();
  }
  expect(done).toBe(times);
});
