import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { EventImage } from '../../../expiry/expiry-event.ts';
import {
  type DynamoDbStreamRecord,
  type PipedRecord,
  TARGET_LIMITS,
  type TargetKind,
} from '../../../functions/only-expiries/contract.ts';
import {
  handler,
  MIN_AGE_SECONDS,
  onlyExpiries,
  recordAge,
} from '../../../functions/only-expiries/handler.ts';

const AT = Date.parse('2026-11-20T09:00:31Z') / 1000;
const NATIVE = { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } };

interface Removal {
  readonly ttl?: number | EventImage[string] | undefined;
  readonly at?: number;
  readonly attributes?: EventImage;
  readonly more?: object;
}

const printed: string[] = [];
beforeEach(() => {
  process.env['DEPLOYMENT_NAME'] = 'precise-ttl';
  process.env['POWERTOOLS_METRICS_NAMESPACE'] = 'PreciseTtl';
  printed.length = 0;
  jest.spyOn(process.stdout, 'write').mockImplementation(line => printed.push(String(line)) > 0);
});
afterEach(() => jest.restoreAllMocks());

let count = 0;
function removal({ ttl = AT - 10, at = AT, attributes = {}, more = {} }: Removal = {}): DynamoDbStreamRecord {
  const id = { S: `item-${++count}` };
  const stored = typeof ttl === 'number' ? { N: String(ttl) } : ttl;
  return {
    eventID: `event-${count}`,
    eventName: 'REMOVE',
    dynamodb: {
      Keys: { id },
      OldImage: { id, ttl: stored, ...attributes },
      SequenceNumber: String(count),
      ApproximateCreationDateTime: at,
    },
    ...more,
  };
}

function piped(record: DynamoDbStreamRecord, to: TargetKind = 'queue', oldImage = true): PipedRecord {
  return { table: 'SessionData', ttlAttribute: 'ttl', to, oldImage, record };
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
/** An item of DynamoDB's largest size, nearly all of it bytes that cannot be compressed. */
const LARGEST = { data: { B: randomBytes(399_000).toString('base64') } };

test('an expiry becomes an event as expiry/ describes it', () => {
  const record = removal();
  expect(onlyExpiries([piped(record)])).toEqual([
    {
      id: record.eventID,
      table: 'SessionData',
      key: record.dynamodb.Keys,
      group: expect.stringMatching(/^[0-9a-f]{64}$/),
      expiredAt: '2026-11-20T09:00:21.000Z',
      deletedAt: '2026-11-20T09:00:31.000Z',
      oldImage: record.dynamodb.OldImage,
    },
  ]);
  expect(onlyExpiries([piped(record, 'queue', false)])[0]).not.toHaveProperty('oldImage');
});

// Which removals are expiries is tested where isExpiry is.
test.each<[string, Removal, boolean]>([
  ['an expiry of this second', { ttl: AT }, true],
  ["a user's removal a second before the expiry", { ttl: AT + 1 }, false],
  ['a record whose template found no identity', { more: { userIdentity: null } }, true],
])('%s: %j', (_, made, passes) => {
  expect(onlyExpiries([piped(removal(made))])).toHaveLength(passes ? 1 : 0);
});

test("native TTL's removal in a stream without old images has no time of expiry", () => {
  const record = removal({ more: NATIVE });
  const { OldImage: _, ...dynamodb } = record.dynamodb;
  expect(onlyExpiries([piped({ ...record, dynamodb })])).toMatchObject([{ expiredAt: null }]);
});

test('a second delivery makes the same events, and a key the same group in any order of its attributes', () => {
  const [a, b] = [{ S: 'x' }, { N: '1' }];
  const record = removal();
  const twice = [piped(record), piped({ ...record, dynamodb: { ...record.dynamodb, Keys: { a, b } } })];
  expect(onlyExpiries(twice)).toEqual(onlyExpiries(twice));
  const turned = piped({ ...record, dynamodb: { ...record.dynamodb, Keys: { b, a } } });
  const [, { group } = {}] = onlyExpiries(twice);
  expect(onlyExpiries([turned])[0]?.group).toBe(group);
  expect(onlyExpiries([piped(record)])[0]?.group).not.toBe(group);
});

test.each<[string, unknown, string]>([
  ['a removal without its item', { OldImage: undefined }, 'record.dynamodb.OldImage: expected the item'],
  ['a removal without its time', { ApproximateCreationDateTime: undefined }, 'ApproximateCreationDateTime'],
  ['a time of another kind', { ApproximateCreationDateTime: '2026-11-20T09:00:31Z' }, 'got "2026-11-20T09'],
])('%s fails the call, with its table and id', async (_, broken, message) => {
  const record = removal();
  const batch = [
    piped(removal()),
    piped({ ...record, dynamodb: { ...record.dynamodb, ...(broken as object) } }),
  ];
  await expect(handler(batch)).rejects.toThrow(`SessionData, event ${record.eventID}: `);
  await expect(handler(batch)).rejects.toThrow(message);
});

test('what is no record of a stream fails the call', async () => {
  await expect(handler([piped(null as never)])).rejects.toThrow('expected a stream record of DynamoDB');
});

test.each<[most: number, TargetKind[], 'oldImage' | 'oldImageOmitted']>([
  [262_144, ['bus', 'queue', 'fifoQueue', 'topic', 'stateMachine'], 'oldImageOmitted'],
  [1_048_576, ['stream'], 'oldImage'],
  [1_024_000, ['firehose', 'archive'], 'oldImage'],
  [6_291_456, ['function'], 'oldImage'],
])('an item of 400 KB takes less than %i bytes to a %j: %s', (most, kinds, field) => {
  for (const to of kinds) {
    const [event] = onlyExpiries([piped(removal({ attributes: LARGEST }), to)]);
    expect(event).toHaveProperty(field);
    expect(bytes(event)).toBeLessThan(most);
  }
});

test('an item of which JSON is larger than a record of Firehose is compressed in an archive', () => {
  const numbers = { L: Array.from({ length: 130_000 }, (_, at) => ({ N: String((at * 7919) % 100) })) };
  const record = removal({ attributes: { numbers } });
  expect(bytes(record.dynamodb.OldImage)).toBeGreaterThan(1_024_000);
  const [{ oldImageGzip = '', ...event } = {}] = onlyExpiries([piped(record, 'archive')]);
  expect(oldImageGzip.length + bytes(event)).toBeLessThan(1_024_000);
  expect(JSON.parse(gunzipSync(Buffer.from(oldImageGzip, 'base64')).toString())).toEqual(
    record.dynamodb.OldImage,
  );
});

test.each(Object.keys(TARGET_LIMITS) as TargetKind[])(
  'ten items of 40 to 400 KB to a %s fit into one call, in their order, or fail in an archive',
  to => {
    const batch = Array.from({ length: 10 }, (_, place) =>
      piped(removal({ attributes: { data: { B: 'A'.repeat(40_000 * (place + 1)) } } }), to),
    );
    if (to === 'archive')
      return void expect(() => onlyExpiries([...batch, ...batch])).toThrow('Their pipe halves them.');
    const events = onlyExpiries(batch);
    expect(events.map(({ id }) => id)).toEqual(batch.map(({ record }) => record.eventID));
    expect(bytes(events)).toBeLessThanOrEqual(TARGET_LIMITS[to].call);
    // The smallest keep their images.
    const whole = events.filter(({ oldImage }) => oldImage).length;
    expect(events.findLastIndex(({ oldImage }) => oldImage)).toBe(whole - 1);
  },
);

test('a queue gets no image with a character that SQS refuses, a stream does', () => {
  const record = removal({ attributes: { text: { S: 'a\uFFFF' } } });
  expect(onlyExpiries([piped(record, 'queue')])).toMatchObject([{ oldImageOmitted: true }]);
  expect(onlyExpiries([piped(record, 'stream')])).toMatchObject([{ oldImage: { text: { S: 'a\uFFFF' } } }]);
});

test('the age of an old record is printed as a metric, and before the call fails', async () => {
  const record = removal();
  const broken = piped({
    ...record,
    dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: Number.NaN },
  });
  await expect(handler([piped(record), broken])).rejects.toThrow('ApproximateCreationDateTime');
  const Metrics = [{ Name: 'ExpiryAge', Unit: 'Seconds' }];
  const directive = { Namespace: 'PreciseTtl', Dimensions: [['Deployment']], Metrics };
  expect(printed.map(line => JSON.parse(line))).toEqual([
    {
      _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [directive] },
      ...{ Deployment: 'precise-ttl', ExpiryAge: expect.any(Number), table: 'SessionData', to: 'queue' },
    },
  ]);
});

test.each([
  [MIN_AGE_SECONDS - 1, []],
  [MIN_AGE_SECONDS, [MIN_AGE_SECONDS]],
])('the oldest record being %i seconds old is told as %j', (seconds, told) => {
  recordAge(
    [removal(), removal({ at: AT - seconds })].map(record => piped(record)),
    AT * 1000,
  );
  expect(printed.map(line => JSON.parse(line).ExpiryAge)).toEqual(told);
});
