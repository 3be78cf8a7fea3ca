import {
  boolean,
  fieldProblems,
  type Kind,
  kind,
  number,
  objectProblems,
  oneOf,
  text,
  under,
  unknownFieldProblems,
  valueProblems,
  whole,
} from '../../expiry/fields.ts';

describe('a kind', () => {
  test.each<[string, Kind<unknown>, unknown[], unknown[]]>([
    ['text', text(), ['a', ' ', '\n'], ['', 1, null, undefined, ['a']]],
    ['text of a pattern', text(/^a+$/, 'some a'), ['a', 'aa'], ['', 'b', 'ab']],
    ['true or false', boolean(), [true, false], ['true', 0, 1, null]],
    ['number', number(1, 60), [1, 1.5, 60], [0.9, 60.1, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n]],
    ['whole number', whole(0, 3), [0, 3, 3.0, -0], [-1, 4, 1.5, Number.NaN, '1', null]],
    ['one of some', oneOf(['S', 1]), ['S', 1], ['s', '1', true, null, [['S']]]],
  ])('takes and refuses: %s', (_name, { is }, good, wrong) => {
    expect(good.filter(value => !is(value))).toEqual([]);
    expect(wrong.filter(is)).toEqual([]);
  });

  test.each<[Kind<unknown>, string, unknown]>([
    [whole(1, 9), '5', 5],
    [whole(1, 9), '-5', -5],
    [number(1, 9), '2.50', 2.5],
    // Not as a person writes a number: these stay texts, and are refused as such.
    ...['', ' 5', '5 ', '1e1', '0x5', '+5', '.5', '5.', 'Infinity', 'NaN'].map(
      (got): [Kind<unknown>, string, unknown] => [whole(1, 9), got, got],
    ),
    [boolean(), 'true', true],
    [boolean(), 'false', false],
    [boolean(), 'TRUE', 'TRUE'],
    [text(), '5', '5'],
    [oneOf(['5']), '5', '5'],
  ])('%# reads a text', ({ fromText }, given, expected) => expect(fromText(given)).toBe(expected));
});

describe('the problems of fields', () => {
  const kinds = { name: text(), shards: whole(1, 100), enabled: boolean() };
  const remedy = 'Correct it.';

  test('are told in the order of the fields, all of them, null too', () => {
    expect(fieldProblems(kinds, { enabled: null, shards: '1' }, { required: ['name'], remedy })).toEqual([
      {
        field: 'name',
        expected: 'a text that is not empty',
        got: undefined,
        remedy: 'Add the field: there is no default for it.',
      },
      { field: 'shards', expected: 'a whole number from 1 to 100', got: '1', remedy },
      { field: 'enabled', expected: 'true or false', got: null, remedy },
    ]);
  });

  test('have the remedy of their kind, where it has one', () => {
    const nearest = kind<number>(got => got === 2, 'two', { remedy: got => `Not ${got}.` });
    expect(fieldProblems({ one: nearest }, { one: 1 }, { remedy })).toMatchObject([{ remedy: 'Not 1.' }]);
  });

  test('within a value have its path', () => {
    const object = (inner: Parameters<typeof objectProblems>[0], required: string[] = []) =>
      kind<object>(value => typeof value === 'object' && !Array.isArray(value), 'an object', {
        inside: value => objectProblems(inner, value, { required, remedy }),
      });
    const config = object({ table: object(kinds, ['name']) });
    const problems = valueProblems('config', config, { table: { nme: 'a', name: 'b', shards: 0 } }, remedy);
    expect(problems.map(({ field, remedy: what }) => [field, what])).toEqual([
      ['config.table.nme', 'Did you mean name?'],
      ['config.table.shards', remedy],
    ]);
    expect(valueProblems('config', config, [], remedy)).toMatchObject([{ expected: 'an object', got: [] }]);
  });

  test.each([
    ['name', 'tables.name'],
    ['[0].name', 'tables[0].name'],
    ['', 'tables'],
  ])('%s under tables is %s', (field, expected) => {
    expect(under('tables', [{ field, expected: '', got: 1, remedy }])).toMatchObject([{ field: expected }]);
  });
});

describe('unknownFieldProblems', () => {
  const KNOWN = ['ttlAttribute', 'shards', 'sortKey'];

  test('finds none among known fields', () => {
    expect(unknownFieldProblems({ shards: 1, sortKey: undefined }, KNOWN)).toEqual([]);
  });

  test.each([
    ['ttlAtribute', 'Did you mean ttlAttribute?'],
    ['shard', 'Did you mean shards?'],
    ['tableName', 'Remove it.'],
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
