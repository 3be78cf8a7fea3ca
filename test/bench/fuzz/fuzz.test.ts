import { ALL_FAULTS } from '../../../bench/fuzz/faults.ts';
import { smallest } from '../../../bench/fuzz/fuzz.ts';
import type { SubRun } from '../../../bench/fuzz/run.ts';

const RUN: SubRun = {
  variant: { name: 'any', props: {} },
  seed: 7,
  items: 1000,
  minutes: 3,
  faults: ALL_FAULTS,
};

test('leaves out faults and items as long as the run fails', async () => {
  const small = await smallest(RUN, async ({ faults, items }) => faults.includes('kills') && items > 100);
  expect(small).toEqual({ ...RUN, faults: ['kills'], items: 125 });
});

test('a run that needs no faults has none', async () => {
  expect(await smallest(RUN, async () => true)).toEqual({ ...RUN, faults: [], items: 1 });
});

test('the run itself when nothing smaller fails', async () => {
  expect(await smallest(RUN, async () => false)).toEqual(RUN);
});
