import fc from 'fast-check';
import { imageText } from '../../../functions/archive/image-text.ts';
import type { ImageValue, ItemImage } from '../../../functions/stream/event.ts';
import { anyImage, anyNumber } from '../../support/any-image.ts';

const DIGITS_38 = '12345678901234567890123456789012345678';

test.each<[string, ImageValue, string, string]>([
  ['text', { S: 'a "b"\n\u2028' }, '{"S":"a \\"b\\"\\n\u2028"}', '"a \\"b\\"\\n\u2028"'],
  ['an empty text', { S: '' }, '{"S":""}', '""'],
  ['38 digits', { N: DIGITS_38 }, `{"N":"${DIGITS_38}"}`, DIGITS_38],
  [
    'a long fraction',
    { N: '-0.1234567890123456789' },
    '{"N":"-0.1234567890123456789"}',
    '-0.1234567890123456789',
  ],
  ['an exponent', { N: '1E+21' }, '{"N":"1E+21"}', '1000000000000000000000'],
  ['bytes', { B: 'AP8=' }, '{"B":"AP8="}', '"AP8="'],
  ['a set of texts', { SS: ['b', 'a'] }, '{"SS":["b","a"]}', '["b","a"]'],
  ['a set of numbers', { NS: [DIGITS_38, '1'] }, `{"NS":["${DIGITS_38}","1"]}`, `[${DIGITS_38},1]`],
  ['a set of bytes', { BS: ['AA==', 'AQ=='] }, '{"BS":["AA==","AQ=="]}', '["AA==","AQ=="]'],
  ['a map', { M: { b: { S: '' }, a: { N: '1' } } }, '{"M":{"a":{"N":"1"},"b":{"S":""}}}', '{"a":1,"b":""}'],
  ['a list', { L: [{ N: '1' }, { L: [] }] }, '{"L":[{"N":"1"},{"L":[]}]}', '[1,[]]'],
  ['null', { NULL: true }, '{"NULL":true}', 'null'],
  ['true', { BOOL: true }, '{"BOOL":true}', 'true'],
  ['false', { BOOL: false }, '{"BOOL":false}', 'false'],
])('writes %s', (_what, value, dynamoDbJson, plain) => {
  expect(imageText({ x: value }, 'dynamodb-json')).toBe(`{"x":${dynamoDbJson}}`);
  expect(imageText({ x: value }, 'json')).toBe(`{"x":${plain}}`);
});

test('keeps names that objects of JavaScript have anyway', () => {
  const image = JSON.parse('{"__proto__":{"S":"p"},"constructor":{"N":"1"}}');
  expect(imageText(image, 'dynamodb-json')).toBe('{"__proto__":{"S":"p"},"constructor":{"N":"1"}}');
  expect(imageText(image, 'json')).toBe('{"__proto__":"p","constructor":1}');
});

test('a value that is none is refused, however deep it lies', () => {
  const missing = undefined as unknown as ImageValue;
  for (const value of [missing, { M: { a: missing } }, { L: [missing] }, { S: missing }] as ImageValue[])
    for (const format of ['dynamodb-json', 'json'] as const)
      expect(() => imageText({ x: value }, format)).toThrow(TypeError);
});

test('a type that DynamoDB may get is kept in DynamoDB JSON and refused plain', () => {
  const image = { x: { VECTOR: ['1'] } } as unknown as ItemImage;
  expect(imageText(image, 'dynamodb-json')).toBe('{"x":{"VECTOR":["1"]}}');
  expect(() => imageText(image, 'json')).toThrow('got the members ["VECTOR"]');
  expect(() => imageText({ x: { N: 'secret' } }, 'json')).toThrow('expected the digits of a Number');
});

test('any item comes back from its DynamoDB JSON, and any number plain, whatever the order of the attributes', () => {
  fc.assert(
    fc.property(anyImage, anyNumber, (image, number) => {
      const text = imageText(image, 'dynamodb-json');
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(image)));
      const reversed = Object.fromEntries(Object.entries(image).reverse());
      expect(imageText(reversed, 'dynamodb-json')).toBe(text);
      expect(() => JSON.parse(imageText(image, 'json'))).not.toThrow();
      expect(imageText({ n: { N: number } }, 'json')).toBe(`{"n":${number}}`);
    }),
  );
});
