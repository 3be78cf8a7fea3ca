import { resolveVariant } from '../../../cli/fuzz-variant.ts';
import { ALL_FAULTS } from '../../../lab/fuzz/faults.ts';
import { runOnce, type SubRun } from '../../../lab/fuzz/run.ts';
import { VARIANTS, type Variant } from '../../../lab/fuzz/variants.ts';

const shortRun = (variant: Variant): SubRun => ({
  variant,
  seed: 1,
  items: 120,
  minutes: 1,
  faults: ALL_FAULTS,
});

test.each(VARIANTS.map(variant => [variant.name, variant] as const))(
  '%s keeps its promises, whatever goes wrong',
  async (_name, variant) => {
    const { violations, deleted, faults } = await runOnce(shortRun(variant), resolveVariant);
    expect(violations).toEqual([]);
    expect(deleted).toBeGreaterThan(80);
    expect(faults.size).toBeGreaterThan(4);
  },
);

test('a seed repeats a run', async () => {
  const [variant] = VARIANTS as [Variant];
  const one = await runOnce(shortRun(variant), resolveVariant);
  expect(await runOnce(shortRun(variant), resolveVariant)).toEqual(one);
  expect(await runOnce({ ...shortRun(variant), seed: 2 }, resolveVariant)).not.toEqual(one);
});

test('a filter of the stream that lets no removal through is found out', async () => {
  const variant: Variant = { name: 'archive', props: { archive: {} } };
  const { violations, deleted } = await runOnce({ ...shortRun(variant), faults: [] }, props => ({
    ...resolveVariant(props),
    filter: '{"eventName":["MODIFY"]}',
  }));
  expect(violations.map(({ finding }) => finding)).toEqual(Array(deleted).fill('notArchived'));
});
