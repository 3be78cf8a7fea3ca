import { keyOfStatement, matches, readStatement, UnknownRequestError } from '../../../bench/fuzz/partiql.ts';

const GUARDED = 'DELETE FROM "t" WHERE "id" = ? AND "ttl" <= ? AND "a ""b"" AND c" > ? RETURNING ALL OLD *';

test('reads the statement of a guarded delete', () => {
  const statement = readStatement(GUARDED);
  expect(statement.tableName).toBe('t');
  expect(statement.conditions.map(({ name, operator }) => `${name} ${operator}`)).toEqual([
    'id =',
    'ttl <=',
    'a "b" AND c >',
  ]);
  expect(keyOfStatement(statement, [{ S: 'x' }], ['id'])).toEqual({ id: { S: 'x' } });
});

test.each([
  ['SELECT * FROM "t"'],
  ['DELETE FROM "t" WHERE "id" = ?'],
  ['DELETE FROM "t" WHERE "id" = ? OR "ttl" <= ? RETURNING ALL OLD *'],
  ['DELETE FROM "t" WHERE "id" = ? AND "ttl" < ? RETURNING ALL OLD *'],
  ['DELETE FROM "t" WHERE "id" = ? AND  RETURNING ALL OLD *'],
])('refuses %s by its text', text => {
  expect(() => readStatement(text)).toThrow(UnknownRequestError);
  expect(() => readStatement(text)).toThrow(text);
});

test('refuses a statement whose key is not its first condition', () => {
  const statement = readStatement('DELETE FROM "t" WHERE "ttl" <= ? AND "id" = ? RETURNING ALL OLD *');
  expect(() => keyOfStatement(statement, [{ N: '1' }, { S: 'x' }], ['id'])).toThrow('"id" = ?');
});

const WITHIN = 'DELETE FROM "t" WHERE "id" = ? AND "ttl" <= ? AND "ttl" > ? RETURNING ALL OLD *';

test.each([
  [{ ttl: { N: '9' } }, true],
  [{ ttl: { N: '10' } }, true],
  [{ ttl: { N: '10.5' } }, false],
  [{ ttl: { N: '5' } }, false],
  [{ ttl: { S: '9' } }, false],
  [{}, false],
])('%j is deleted: %s', (item, isMatch) => {
  const parameters = [{ S: 'x' }, { N: '10' }, { N: '5' }];
  expect(matches(readStatement(WITHIN), parameters, { id: { S: 'x' }, ...item } as never)).toBe(isMatch);
});

test('numbers and sets are compared by their value', () => {
  const statement = readStatement('DELETE FROM "t" WHERE "id" = ? AND "a" = ? RETURNING ALL OLD *');
  const item = { id: { S: 'x' }, a: { NS: ['1', '2.50'] } };
  expect(matches(statement, [{ S: 'x' }, { NS: ['2.5', '1'] }], item)).toBe(true);
  expect(matches(statement, [{ S: 'x' }, { NS: ['2.5', '3'] }], item)).toBe(false);
});
