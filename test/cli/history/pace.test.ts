import { Pace } from '../../../cli/history/pace.ts';

test('lets a burst through, and then so many a second, however fast they come', async () => {
  let now = 0;
  const pace = new Pace(10, 20, {
    now: () => now,
    wait: async ms => {
      now += ms;
    },
  });
  const began: number[] = [];
  for (let call = 0; call < 71; call += 1) {
    await pace.turn();
    began.push(Math.round(now));
  }
  expect(began.slice(0, 21).every(at => at === 0)).toBe(true);
  expect([began[30], began[70]]).toEqual([1000, 5000]);
});
