import { expiryModel } from '../../../expiry/model.ts';
import { unchangedDelete } from '../../../functions/delete-chunk/unchanged-delete.ts';
import type { ItemImage } from '../../../functions/stream/event.ts';
import { settingsOf } from '../../support/sweep-settings.ts';

const settings = {
  ...settingsOf({ tableName: 'T-1', partitionKey: 'pk' }),
  model: expiryModel({ partitionKey: 'pk', sortKey: 'sk' }),
};
const held = { ...settings, holdAttribute: 'h"old' };
const IMAGE: ItemImage = { pk: { S: 'p' }, sk: { N: '1' }, ttl: { N: '2' }, n: { N: '3' }, 'a"b': { L: [] } };

/** An item of as many attributes besides its keys and TTL, whose names have so many letters. */
function wide(attributes: number, letters = 4): ItemImage {
  const others = Array.from({ length: attributes }, (_unused, index) => [
    String(index).padStart(letters, 'x'),
    { S: 'v' },
  ]);
  return { pk: { S: 'p' }, sk: { S: 's' }, ttl: { N: '2' }, ...Object.fromEntries(others) };
}

test('asks that every attribute has its value, besides what a guarded delete asks', () => {
  const { statement, values, compared } = unchangedDelete(held, IMAGE);
  expect(statement).toBe(
    'DELETE FROM "T-1" WHERE "pk" = ? AND "sk" = ? AND "ttl" <= ? AND "ttl" > ? AND "h""old" IS MISSING' +
      ' AND "ttl" = ? AND "a""b" = ? AND "n" = ? RETURNING ALL OLD *',
  );
  expect(values).toEqual([{ N: '2' }, { L: [] }, { N: '3' }]);
  expect([...compared].sort()).toEqual(Object.keys(IMAGE).sort());
});

test.each([
  // Two keys and two ends of the TTL's range, the TTL itself, and what stands here: 150 conditions have 149 ANDs.
  ['as many as an expression takes', settings, 145, 145],
  ['one more', settings, 146, 145],
  ['as many with a hold', held, 144, 144],
  ['one more with a hold', held, 145, 144],
])('compares %s', (_name, of, attributes, some) => {
  const { statement, compared } = unchangedDelete(of, wide(attributes));
  expect(compared.size).toBe(some + 3);
  expect(statement.match(/ AND /g)?.length).toBeLessThanOrEqual(149);
});

test.each([5, 60, 255, 4000, 9000])(
  'stays within the length of a statement with names of %i letters',
  letters => {
    const { statement, compared, values } = unchangedDelete(settings, wide(140, letters));
    expect(Buffer.byteLength(statement)).toBeLessThanOrEqual(8192);
    expect(compared.has('ttl')).toBe(true);
    expect(values).toHaveLength(compared.size - 2);
    // Another name of this length had no room.
    const isWhole = compared.size === 143;
    expect(isWhole || Buffer.byteLength(statement) + letters + ' AND "" = ?'.length > 8192).toBe(true);
  },
);

test.each(['#n', ':n'])('does not name %s, which DynamoDB Local takes for a placeholder', name => {
  const { statement, compared } = unchangedDelete(settings, { ...IMAGE, [name]: { S: 'x' } });
  expect(compared.has(name)).toBe(false);
  expect(statement).not.toContain(name);
});
