import { itemBytes, writeUnits } from '../../cost/item-size.ts';

test.each([
  ['a name and a string', { ab: { S: 'é1' } }, 2 + 3],
  ['a number: two digits a byte and one', { n: { N: '1234' } }, 1 + 3],
  ['zeros around a number', { n: { N: '0012000' } }, 1 + 2],
  ['a negative number with a fraction', { n: { N: '-12.345' } }, 1 + 3 + 1 + 1],
  ['bytes, not their base64', { b: { B: Buffer.alloc(10).toString('base64') } }, 1 + 10],
  ['NULL and BOOL', { a: { NULL: true }, b: { BOOL: false } }, 1 + 1 + 1 + 1],
  ['sets', { s: { SS: ['ab', 'c'] }, n: { NS: ['1', '22'] }, b: { BS: ['AA=='] } }, 1 + 3 + 1 + 4 + 1 + 1],
  ['a list', { l: { L: [{ S: 'ab' }, { S: 'c' }] } }, 1 + 3 + 2 + 3],
  ['a map', { m: { M: { ab: { S: 'c' } } } }, 1 + 3 + 1 + 3],
])('%s', (_what, item, bytes) => {
  expect(itemBytes(item)).toBe(bytes);
});

test.each([
  [0, 1],
  [1024, 1],
  [1025, 2],
])('%d bytes take %d units', (bytes, units) => {
  expect(writeUnits(bytes)).toBe(units);
});
