import { ALL_FAULTS } from '../../../bench/fuzz/faults.ts';
import { runOnce, type SubRun } from '../../../bench/fuzz/run.ts';
import { resolveVariant, VARIANTS, type Variant } from '../../../bench/fuzz/variants.ts';

const shortRun = (variant: Variant): SubRun => ({
  variant,
  seed: 1,
  items: 120,
  minutes: 1,
  faults: ALL_FAULTS,
});

test('a seed repeats a run, also the first one of a process', async () => {
  const [variant] = VARIANTS as [Variant];
  const one = await runOnce(shortRun(variant));
  expect(await runOnce(shortRun(variant))).toEqual(one);
  expect(await runOnce({ ...shortRun(variant), seed: 2 })).not.toEqual(one);
});

// All variants with all faults are run by CI itself: npm run bench fuzz, each time on a new seed.

/** Runs that have found something. */
const FOUND = [
  // A child with a limit noted its whole minute as swept: an item that was written within it was left.
  { name: 'limit-second', seed: 4242, items: 16, minutes: 3, faults: [] },
  { name: 'limit-second', seed: 11, items: 17, minutes: 3, faults: [] },
  // The same child noted a second as swept before the index showed all items of the second.
  { name: 'limit-second', seed: 72_388_456, items: 8_000, minutes: 3, faults: ALL_FAULTS },
  // A delete that was planned for a second came before it, while Step Functions' clock was ahead.
  { name: 'steps-machine', seed: 11, items: 300, minutes: 3, faults: ALL_FAULTS },
] as const;

test.each(FOUND)('keeps what $name with the seed $seed has found', async ({ name, ...run }) => {
  const variant = VARIANTS.find(each => each.name === name) as Variant;
  const { violations } = await runOnce({ ...run, variant });
  expect(violations).toEqual([]);
});

test('a sweep without the second between its clock and those of the records is found out', async () => {
  const variant = VARIANTS.find(({ name }) => name === 'skew+0.1s') as Variant;
  const withMargin = (marginSeconds: number) =>
    runOnce({ ...shortRun(variant), faults: [] }, (props, name) => {
      const resolved = resolveVariant(props, name);
      return { ...resolved, carried: { ...resolved.carried, marginSeconds } };
    });
  const { violations } = await withMargin(0);
  expect(violations.map(({ finding }) => finding)).toContain('notDelivered');
  expect((await withMargin(1)).violations).toEqual([]);
});

test('a pipe that names another TTL attribute is found out', async () => {
  const variant: Variant = { name: 'archive', props: { archive: true } };
  const { violations, deletedOfVariant: deleted } = await runOnce(
    { ...shortRun(variant), faults: [] },
    (props, name) => {
      const resolved = resolveVariant(props, name);
      const pipes = resolved.pipes.map(pipe => ({
        ...pipe,
        inputTemplate: pipe.inputTemplate.replace(/"ttlAttribute":"[^"]+"/, '"ttlAttribute":"other"'),
      }));
      return { ...resolved, pipes };
    },
  );
  expect(violations.map(({ finding }) => finding)).toEqual(Array(deleted).fill('notDelivered'));
});
