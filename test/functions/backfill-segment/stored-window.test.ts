import { NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expiryAttributes } from '../../../expiry/attributes.ts';
import { expiryModel } from '../../../expiry/model.ts';
import { checkTtl, MAX_TTL_SECONDS, OLDEST_EXPIRY_AGE_SECONDS } from '../../../expiry/ttl.ts';
import { stampOf } from '../../../functions/backfill-segment/stored-window.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z') / 1000;
const model = expiryModel({ partitionKey: 'id', granularityMinutes: 5, shards: 7 });
const item = (ttl: unknown, more: object = {}) => ({ id: 'a', ...(ttl !== undefined && { ttl }), ...more });
const number = (value: number | string) => NumberValue.from(`${value}`);

test.each([
  ['no TTL', undefined, 'withoutTtl'],
  ['a String', `${NOW + 60}`, { refused: 'notNumber' }],
  ['a NULL', null, { refused: 'notNumber' }],
  ['a Map that looks like a Number', { N: `${NOW}` }, { refused: 'notNumber' }],
  ['Binary', new Uint8Array([49]), { refused: 'notNumber' }],
  ['below zero', number(-1), { refused: 'negative' }],
  ['zero', number(0), { refused: 'tooOld' }],
  ['five years back', number(NOW - OLDEST_EXPIRY_AGE_SECONDS), { refused: 'tooOld' }],
  ['20 years and a second ahead', number(NOW + MAX_TTL_SECONDS + 1), { refused: 'tooFarAhead' }],
  ['milliseconds', number((NOW + 60) * 1000), { refused: 'milliseconds' }],
  ['microseconds', number((NOW + 60) * 1e6), { refused: 'tooFarAhead' }],
  // JavaScript writes it as 1.2345678e+25: 13 characters.
  ['26 digits', number('12345678000000000000000000'), { refused: 'tooFarAhead' }],
  ['as many digits as DynamoDB takes', number('9'.repeat(38)), { refused: 'tooFarAhead' }],
])('%s gets no window', (_what, ttl, expected) => {
  expect(stampOf(model, item(ttl), NOW)).toEqual(expected);
});

test.each([
  ['just less than five years back', NOW - OLDEST_EXPIRY_AGE_SECONDS + 1],
  ['now', NOW],
  ['20 years ahead', NOW + MAX_TTL_SECONDS],
])('%s gets one', (_what, ttl) => {
  const { expirationWindow } = expiryAttributes(model, { id: 'a' }, { expiresAt: ttl, nowMs: NOW * 1000 });
  expect(stampOf(model, item(number(ttl)), NOW)).toEqual({ window: expirationWindow });
  expect(stampOf(model, item(number(ttl), { expirationWindow }), NOW)).toBe('rightAlready');
  expect(stampOf(model, item(number(ttl), { expirationWindow: `${expirationWindow}#9` }), NOW)).toEqual({
    window: expirationWindow,
  });
});

test('a fraction gets the window of its second, which is deleted like any other', () => {
  const edge = Math.floor(NOW / 300) * 300;
  const window = (ttl: number | string) => stampOf(model, item(number(ttl)), NOW);
  expect(window(edge + 299.9)).toEqual(window(edge));
  expect(window(edge + 300)).not.toEqual(window(edge));
});

test('but for fractions, what a writer may write is what is stamped', () => {
  const ttl = fc.oneof(fc.integer(), fc.integer({ min: NOW - 2e8, max: NOW + 7e8 }), fc.maxSafeInteger());
  fc.assert(
    fc.property(ttl, value => {
      let may = true;
      try {
        checkTtl('ttl', value, NOW);
      } catch {
        may = false;
      }
      const stamp = stampOf(model, item(number(value)), NOW);
      expect(typeof stamp === 'object' && 'window' in stamp).toBe(may);
    }),
  );
});
