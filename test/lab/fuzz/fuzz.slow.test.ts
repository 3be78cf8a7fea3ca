import { resolveVariant } from '../../../lab/experiments/fuzz.ts';
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

/** By second each minute of the lookback is sixty queries of each tick. */
const withShortLookback = (variant: Variant): Variant =>
  variant.props.indexedBy === 'second'
    ? { ...variant, props: { ...variant.props, lookbackMinutes: 2 } }
    : variant;

/** Each tick of the first makes 1,800 queries, whatever its lookback; the others are between -5 s, 0.1 s and 5 s. */
const ONLY_IN_BENCH = ['limit-second', 'skew-0.2s', 'skew+0.2s'];
const SHORT_VARIANTS = VARIANTS.filter(({ name }) => !ONLY_IN_BENCH.includes(name)).map(withShortLookback);

test.each(SHORT_VARIANTS.map(variant => [variant.name, variant] as const))(
  '%s keeps its promises, whatever goes wrong',
  async (_name, variant) => {
    const { violations, deleted, faults } = await runOnce(shortRun(variant), resolveVariant);
    expect(violations).toEqual([]);
    expect(deleted).toBeGreaterThan(80);
    // The plain mode makes the fewest calls that something can go wrong with.
    expect(faults.size).toBeGreaterThan(3);
  },
);

test('a seed repeats a run', async () => {
  const [variant] = VARIANTS as [Variant];
  const one = await runOnce(shortRun(variant), resolveVariant);
  expect(await runOnce(shortRun(variant), resolveVariant)).toEqual(one);
  expect(await runOnce({ ...shortRun(variant), seed: 2 }, resolveVariant)).not.toEqual(one);
});

test('a sweep without the second between its clock and those of the records is found out', async () => {
  const variant = VARIANTS.find(({ name }) => name === 'skew+0.1s') as Variant;
  const withMargin = (marginSeconds: number) =>
    runOnce({ ...shortRun(variant), faults: [] }, props => {
      const resolved = resolveVariant(props);
      return { ...resolved, carried: { ...resolved.carried, marginSeconds } };
    });
  const { violations } = await withMargin(0);
  expect(violations.map(({ finding }) => finding)).toContain('notPublished');
  expect((await withMargin(1)).violations).toEqual([]);
});

test('a filter of the stream that lets no removal through is found out', async () => {
  const variant: Variant = { name: 'archive', props: { archive: {} } };
  const { violations, deleted } = await runOnce({ ...shortRun(variant), faults: [] }, props => ({
    ...resolveVariant(props),
    filter: '{"eventName":["MODIFY"]}',
  }));
  expect(violations.map(({ finding }) => finding)).toEqual(Array(deleted).fill('notArchived'));
});
