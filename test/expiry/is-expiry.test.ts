import fc from 'fast-check';
import { InvalidArgumentError } from '../../expiry/errors.ts';
import { changedAtMs, isExpiry, type StreamRecord } from '../../expiry/is-expiry.ts';
import { expiryModel } from '../../expiry/model.ts';
import { isExpired } from '../../expiry/ttl.ts';

const model = expiryModel({ partitionKey: 'id', ttlAttribute: 'expires' });
const second = Date.parse('2026-11-20T09:00:30Z') / 1000;

function removal(ttl: unknown, at: Date | number = second, more: object = {}): StreamRecord {
  return {
    eventName: 'REMOVE',
    dynamodb: { ApproximateCreationDateTime: at, OldImage: { id: { S: 'a' }, expires: ttl } },
    ...more,
  };
}

const NATIVE = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

test.each<[string, StreamRecord, boolean]>([
  ['in the second of the expiry', removal({ N: String(second) }), true],
  ['by a user a second before it', removal({ N: String(second + 1) }), false],
  ['without a TTL', removal(undefined), false],
  ['by native TTL', removal({ N: String(second - 300) }, second, { userIdentity: NATIVE }), true],
  [
    'by native TTL, as the AWS SDK writes it',
    removal({ N: '1' }, second, { userIdentity: { Type: 'Service', PrincipalId: 'dynamodb.amazonaws.com' } }),
    true,
  ],
  [
    'by native TTL, in a stream without old images',
    { eventName: 'REMOVE', dynamodb: { ApproximateCreationDateTime: second }, userIdentity: NATIVE },
    true,
  ],
  [
    'by a user whose id is that of native TTL',
    removal({ N: String(second + 1) }, second, { userIdentity: { ...NATIVE, type: 'IAMUser' } }),
    false,
  ],
])('a removal %s', (_when, record, expected) => {
  expect(isExpiry(model, record)).toBe(expected);
});

test.each(['INSERT', 'MODIFY', undefined])('%s is no expiry, whatever the TTL', eventName => {
  expect(isExpiry(model, { ...removal({ N: String(second) }), eventName })).toBe(false);
});

/** Milliseconds within the second do not matter. Source of the units: DynamoDB API reference. */
test.each<[string, Date | number, string | undefined]>([
  ['a Date of the AWS SDK', new Date(second * 1000), undefined],
  ['seconds of Lambda', second, undefined],
  ['milliseconds of Kinesis', second * 1000 + 999, undefined],
  ['microseconds of Kinesis', second * 1e6 + 999_999, undefined],
  ['microseconds that say so', second * 1e6 + 999_999, 'MICROSECOND'],
])('takes the time as %s', (_form, at, precision) => {
  const timed = (ttl: number): StreamRecord => {
    const record = removal({ N: String(ttl) }, at);
    return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTimePrecision: precision } };
  };
  expect(isExpiry(model, timed(second))).toBe(true);
  expect(isExpiry(model, timed(second + 1))).toBe(false);
  expect(Math.floor(changedAtMs(timed(second)) / 1000)).toBe(second);
});

test('asks the rule of isExpired', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -6 * 365 * 86_400, max: 1000 }),
      fc.integer({ min: 0, max: 999 }),
      (age, ms) => {
        const ttl = second + age;
        const at = new Date(second * 1000 + ms);
        expect(isExpiry(model, removal({ N: String(ttl) }, at))).toBe(isExpired(ttl, second));
      },
    ),
  );
});

test.each<[string, unknown, string]>([
  [
    'a removal without its old image',
    { ...removal(undefined), dynamodb: { ApproximateCreationDateTime: second } },
    'OLD_IMAGE',
  ],
  [
    'a removal without its time',
    { eventName: 'REMOVE', dynamodb: { OldImage: {} } },
    'ApproximateCreationDateTime',
  ],
  ['a time in no unit', removal({ N: '1' }, 12), 'ApproximateCreationDateTime'],
  ['a record of Kinesis that is not decoded', { kinesis: { data: '' } }, 'record.kinesis.data'],
  ['a whole event', { Records: [] }, 'one element of Records'],
  ['nothing', undefined, 'got nothing'],
])('refuses %s', (_what, record, text) => {
  expect(() => isExpiry(model, record as StreamRecord)).toThrow(InvalidArgumentError);
  expect(() => isExpiry(model, record as StreamRecord)).toThrow(text);
});
