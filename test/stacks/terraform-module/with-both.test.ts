import { withBoth } from '../../../stacks/terraform-module/with-both.ts';

const NEITHER = { mode: 'a', list: [1, { deep: 'x' }], kept: true };

test('what each of two changes did is there, and the order of keys is that of the first', () => {
  const held = { mode: 'a', hold: 'h', list: [1, { deep: 'x' }], kept: false };
  const batch = { mode: 'b', list: [1, { deep: 'y' }], kept: true };
  const both = withBoth(held, NEITHER, batch);
  expect(JSON.stringify(both)).toBe(
    JSON.stringify({ mode: 'b', hold: 'h', list: [1, { deep: 'y' }], kept: false }),
  );
});

test.each([
  ['a value', { ...NEITHER, mode: 'b' }, { ...NEITHER, mode: 'c' }, 'mode'],
  ['the length of a list', { ...NEITHER, list: [1] }, { ...NEITHER, list: [2, { deep: 'x' }] }, 'list'],
  ['what there is', { ...NEITHER, mode: 'b' }, { ...NEITHER, more: 1, hold: 2 }, 'more|mode'],
  ['a key that the second takes away', { ...NEITHER, mode: 'b' }, { mode: 'a', list: NEITHER.list }, 'kept'],
])('%s that both change is refused', (_name, one, other, path) => {
  expect(() => withBoth(one, NEITHER, other)).toThrow(
    new RegExp(`(${path}) is changed by both of two props`),
  );
});
