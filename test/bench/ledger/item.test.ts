import { seededRandom } from 'stepfunctions-emulator';
import { variedAttributes } from '../../../bench/fuzz/users.ts';
import { itemText } from '../../../bench/ledger/item.ts';

const LONG = '12345678901234567890123456789012345678';

test.each([
  ['the order of attributes', { a: { S: '1' }, b: { S: '2' } }, { b: { S: '2' }, a: { S: '1' } }],
  ['the order of a set', { a: { NS: ['1', '2'] } }, { a: { NS: ['2', '1'] } }],
  ['how a number is written', { a: { N: '1.50' } }, { a: { N: '15E-1' } }],
  [
    'bytes or base64',
    { a: { L: [{ B: Buffer.from('x') as unknown as string }] } },
    { a: { L: [{ B: 'eA==' }] } },
  ],
])('%s makes no difference', (_case, one, other) => {
  expect(itemText(one)).toBe(itemText(other));
});

test.each([
  ['the last digit', { a: { N: LONG } }, { a: { N: `${LONG.slice(0, -1)}9` } }],
  ['the type', { a: { N: '1' } }, { a: { S: '1' } }],
  ['the order of a list', { a: { L: [{ S: '1' }, { S: '2' }] } }, { a: { L: [{ S: '2' }, { S: '1' }] } }],
  ['a map without its type', { a: { M: {} } }, { a: {} as never }],
  ['an attribute more', { a: { S: '1' } }, { a: { S: '1' }, b: { NULL: true } }],
])('%s makes a difference', (_case, one, other) => {
  expect(itemText(one)).not.toBe(itemText(other));
});

test("an item has the same text after an archive's line, whatever types it has", () => {
  const random = seededRandom(1);
  const seen = new Set<string>();
  for (let count = 0; count < 200; count += 1) {
    const image = variedAttributes(random);
    for (const value of Object.values(image)) seen.add(Object.keys(value)[0] ?? '');
    expect(itemText(JSON.parse(JSON.stringify(image)))).toBe(itemText(image));
  }
  expect([...seen].sort()).toEqual(['B', 'BOOL', 'BS', 'L', 'M', 'N', 'NS', 'NULL', 'S', 'SS']);
});
