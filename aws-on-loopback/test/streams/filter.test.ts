import { FilterError, readFilter } from '../../src/streams/filter.ts';

const REMOVED = {
  eventName: 'REMOVE',
  dynamodb: { StreamViewType: 'OLD_IMAGE', OldImage: { a: { S: 'x' } } },
};

test.each([
  ['{"eventName":["REMOVE"]}', true],
  ['{"eventName":["INSERT","REMOVE"]}', true],
  ['{"eventName":["INSERT"]}', false],
  ['{"eventName":["remove"]}', false],
  ['{"userIdentity":{"type":["Service"]}}', false],
  ['{"dynamodb":{"OldImage":{"a":{"S":["x"]}}}}', true],
  ['{"eventName":["REMOVE"],"dynamodb":{"StreamViewType":["KEYS_ONLY"]}}', false],
])('%s takes a removal: %p', (pattern, expected) => {
  expect(readFilter(pattern)(REMOVED)).toBe(expected);
});

test.each([
  [
    '{"eventName":[{"prefix":"RE"}]}',
    /^eventName: expected values, such as \["REMOVE"\], got {"prefix":"RE"}/,
  ],
  ['{"dynamodb":{"OldImage":{"a":[{"exists":true}]}}}', /^dynamodb\.OldImage\.a: expected values/],
  ['{"$or":[{"eventName":["REMOVE"]}]}', /^\$or: expected values/],
  ['{"eventName":"REMOVE"}', /^eventName: expected an object with fields, got "REMOVE"/],
  ['{"eventName":[]}', /^eventName: expected at least one value/],
  ['{}', /^the pattern: expected an object with fields, got {}/],
  ['{', /^expected JSON, got "{"/],
])('fails for %s', (pattern, message) => {
  expect(() => readFilter(pattern)).toThrow(FilterError);
  expect(() => readFilter(pattern)).toThrow(message);
});
