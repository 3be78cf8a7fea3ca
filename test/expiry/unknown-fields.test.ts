import fc from 'fast-check';
import { editDistance, unknownFieldProblems } from '../../expiry/unknown-fields.ts';

describe('unknownFieldProblems', () => {
  const KNOWN = ['ttlAttribute', 'shards', 'sortKey'];

  test('finds none among known fields', () => {
    expect(unknownFieldProblems({ shards: 1, sortKey: undefined }, KNOWN)).toEqual([]);
  });

  test.each([
    ['ttlAtribute', 'Did you mean ttlAttribute?'],
    ['TTLATTRIBUTE', 'Did you mean ttlAttribute?'],
    ['shard', 'Did you mean shards?'],
    ['sort_key', 'Did you mean sortKey?'],
    ['tableName', 'Remove it.'],
    ['', 'Remove it.'],
  ])('%s: %s', (name, remedy) => {
    expect(unknownFieldProblems({ [name]: 1 }, KNOWN)).toEqual([
      {
        field: name,
        expected: 'one of the fields ttlAttribute, shards, sortKey',
        got: `the field ${name}`,
        remedy,
      },
    ]);
  });
});

describe('editDistance', () => {
  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['same', 'same', 0],
    ['kitten', 'sitting', 3],
    ['saturday', 'sunday', 3],
    ['ab', 'ba', 2],
  ])('"%s" to "%s" is %d', (one, other, distance) => {
    expect(editDistance(one, other)).toBe(distance);
    expect(editDistance(other, one)).toBe(distance);
  });

  const word = fc
    .array(fc.constantFrom('a', 'b', 'c', 'ü'), { maxLength: 12 })
    .map(letters => letters.join(''));

  test('is no longer by way of a third text, and at least the difference in length', () => {
    fc.assert(
      fc.property(word, word, word, (one, other, third) => {
        const distance = editDistance(one, other);
        expect(distance).toBeLessThanOrEqual(editDistance(one, third) + editDistance(third, other));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(one.length - other.length));
        expect(distance === 0).toBe(one === other);
      }),
    );
  });
});
