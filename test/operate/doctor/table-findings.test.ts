import type {
  GlobalSecondaryIndexDescription,
  KeySchemaElement,
  TableDescription,
} from '@aws-sdk/client-dynamodb';
import { nativeTtlFindings, tableFindings } from '../../../operate/doctor/table-findings.ts';
import { shapeOf } from '../../../operate/table/describe-table.ts';
import { subjectOf } from './subject.ts';

const BY_WINDOW = subjectOf({ sortKey: { name: 'at', type: 'N' } });
const BY_SECOND = subjectOf({ index: { by: 'second' } });

const WINDOW_INDEX: GlobalSecondaryIndexDescription = {
  IndexName: 'expirationWindowIndex',
  IndexStatus: 'ACTIVE',
  KeySchema: [
    { AttributeName: 'expirationWindow', KeyType: 'HASH' },
    { AttributeName: 'ttl', KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'KEYS_ONLY' },
};
const SECOND_INDEX: GlobalSecondaryIndexDescription = {
  ...WINDOW_INDEX,
  IndexName: 'expirySecondIndex',
  KeySchema: [{ AttributeName: 'ttl', KeyType: 'HASH' }],
};
const { IndexStatus: _ofGlobalOnes, ...LOCAL_INDEX } = WINDOW_INDEX;
const TYPES = { id: 'S', at: 'N', expirationWindow: 'S', ttl: 'N', other: 'S' };

/** A correct table by window, except for the given fields. */
function byWindow(over: Partial<TableDescription> = {}, types: Record<string, string> = TYPES) {
  return shapeOf({
    TableName: 'T',
    TableStatus: 'ACTIVE',
    KeySchema: [
      { AttributeName: 'id', KeyType: 'HASH' },
      { AttributeName: 'at', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: Object.entries(types).map(([AttributeName, type]) => ({
      AttributeName,
      AttributeType: type as 'S',
    })),
    GlobalSecondaryIndexes: [WINDOW_INDEX],
    ...over,
  });
}
const withIndex = (over: object) => byWindow({ GlobalSecondaryIndexes: [{ ...WINDOW_INDEX, ...over }] });
const keys = (...names: [string, 'HASH' | 'RANGE'][]) =>
  names.map(([AttributeName, KeyType]): KeySchemaElement => ({ AttributeName, KeyType }));

test.each<[string, ReturnType<typeof byWindow> | undefined, string[]]>([
  ['as configured', byWindow(), []],
  ['being changed', byWindow({ TableStatus: 'UPDATING' }), []],
  ['with another index beside it', byWindow({ GlobalSecondaryIndexes: [SECOND_INDEX, WINDOW_INDEX] }), []],
  ['whose index is being changed', withIndex({ IndexStatus: 'UPDATING' }), []],
  ['that is not there', undefined, ['table-missing: T in us-east-1']],
  ['being made', byWindow({ TableStatus: 'CREATING' }), ['table-not-active: it is CREATING']],
  [
    'with another partition key',
    byWindow({ KeySchema: keys(['pk', 'HASH'], ['at', 'RANGE']) }),
    ['keys-differ: expected id, at, got pk, at'],
  ],
  [
    'without a sort key',
    byWindow({ KeySchema: keys(['id', 'HASH']) }),
    ['keys-differ: expected id, at, got id'],
  ],
  [
    'with another type of a key',
    byWindow({}, { ...TYPES, at: 'S' }),
    ['key-types-differ: expected id (S), at (N), got id (S), at (S)'],
  ],
  [
    'without an index',
    byWindow({ GlobalSecondaryIndexes: [] }),
    ['index-missing: expected expirationWindowIndex, got none'],
  ],
  [
    'with an index of another name',
    withIndex({ IndexName: 'other' }),
    ['index-missing: expected expirationWindowIndex, got other'],
  ],
  [
    'with a local index of that name',
    byWindow({ GlobalSecondaryIndexes: [], LocalSecondaryIndexes: [LOCAL_INDEX] }),
    ['index-missing: expected expirationWindowIndex, got expirationWindowIndex (local)'],
  ],
  [
    'whose index has another partition key',
    withIndex({ KeySchema: keys(['other', 'HASH'], ['ttl', 'RANGE']) }),
    ['index-keys-differ: expected expirationWindow and ttl, got other and ttl'],
  ],
  [
    'whose index has its keys the other way round',
    withIndex({ KeySchema: keys(['ttl', 'HASH'], ['expirationWindow', 'RANGE']) }),
    ['index-keys-differ: expected expirationWindow and ttl, got ttl and expirationWindow'],
  ],
  [
    'whose index has two partition keys',
    withIndex({ KeySchema: keys(['expirationWindow', 'HASH'], ['ttl', 'HASH']) }),
    ['index-keys-differ: expected expirationWindow and ttl, got expirationWindow, ttl'],
  ],
  [
    'whose index has the TTL as String',
    byWindow({}, { ...TYPES, ttl: 'S' }),
    ['index-key-types-differ: expected expirationWindow (S), ttl (N), got expirationWindow (S), ttl (S)'],
  ],
  [
    'whose index has the window as Number',
    byWindow({}, { ...TYPES, expirationWindow: 'N' }),
    ['index-key-types-differ: expected expirationWindow (S), ttl (N), got expirationWindow (N), ttl (N)'],
  ],
  [
    'whose index is being filled',
    withIndex({ IndexStatus: 'CREATING', Backfilling: true }),
    ['index-not-active: expirationWindowIndex is CREATING and being filled with the items that are there'],
  ],
  [
    'whose index is being deleted',
    withIndex({ IndexStatus: 'DELETING' }),
    ['index-not-active: expirationWindowIndex is DELETING'],
  ],
  [
    'whose index holds everything',
    withIndex({ Projection: { ProjectionType: 'ALL' } }),
    ['index-projection: expected KEYS_ONLY, got ALL'],
  ],
])('a table %s', (_what, table, expected) => {
  const found = tableFindings(table, BY_WINDOW);
  expect(found.map(({ id, what }) => `${id}${/: .*/.exec(what)?.[0] ?? ''}`)).toEqual(expected);
});

test.each<[GlobalSecondaryIndexDescription[], string[]]>([
  [[SECOND_INDEX], []],
  [[{ ...SECOND_INDEX, KeySchema: WINDOW_INDEX.KeySchema }], ['index-keys-differ']],
  [[{ ...SECOND_INDEX, KeySchema: keys(['ttl', 'HASH'], ['id', 'RANGE']) }], ['index-keys-differ']],
  [[WINDOW_INDEX], ['index-missing']],
])('by second, with the indexes %j', (GlobalSecondaryIndexes, expected) => {
  const table = byWindow({
    KeySchema: keys(['id', 'HASH']),
    GlobalSecondaryIndexes,
  });
  expect(tableFindings(table, BY_SECOND).map(({ id }) => id)).toEqual(expected);
});

test.each([
  ['ENABLED', 'ttl', false, []],
  ['ENABLING', 'ttl', false, []],
  ['ENABLED', 'other', false, ['native-ttl-attribute']],
  ['DISABLED', undefined, false, ['native-ttl-off']],
  ['DISABLING', 'ttl', false, ['native-ttl-off']],
  ['DISABLED', undefined, true, ['native-ttl-off-local']],
  ['ENABLED', 'other', true, ['native-ttl-attribute']],
])('native TTL that is %s on %s, local %p', (status, attribute, isLocal, expected) => {
  expect(nativeTtlFindings({ status, attribute }, BY_WINDOW, isLocal).map(({ id }) => id)).toEqual(expected);
});

test.each([
  ['ENABLED', 'ttl', ['native-ttl-on']],
  ['ENABLING', 'ttl', ['native-ttl-on']],
  // Native TTL would delete held items, by any attribute.
  ['ENABLED', 'other', ['native-ttl-on']],
  ['DISABLING', 'ttl', []],
  ['DISABLED', undefined, []],
])('native TTL that is %s on %s, with a hold or a grace', (status, attribute, expected) => {
  for (const props of [{ holdAttribute: 'legalHold' }, { graceSeconds: 60 }]) {
    const found = nativeTtlFindings({ status, attribute }, subjectOf(props), false);
    expect(found.map(({ id }) => id)).toEqual(expected);
    if (found.length > 0) expect(found[0]?.remedy).toMatch(`Enabled=false,AttributeName=${attribute}`);
  }
});

describe.each([
  ['archive', { archive: {} }],
  ['events', { events: { eventBus: 'default' } }],
])('with %s the stream', (_name, props) => {
  test.each([
    ['OLD_IMAGE', []],
    ['NEW_AND_OLD_IMAGES', []],
    [undefined, ['stream-off']],
    ['KEYS_ONLY', ['stream-without-old-images: expected OLD_IMAGE or NEW_AND_OLD_IMAGES, got KEYS_ONLY']],
    ['NEW_IMAGE', ['stream-without-old-images: expected OLD_IMAGE or NEW_AND_OLD_IMAGES, got NEW_IMAGE']],
  ] as const)('%s', (StreamViewType, expected) => {
    const table = byWindow(
      StreamViewType === undefined ? {} : { StreamSpecification: { StreamEnabled: true, StreamViewType } },
    );
    const subject = subjectOf({ sortKey: { name: 'at', type: 'N' }, ...props });
    const found = tableFindings(table, subject);
    expect(found.map(({ id, what }) => `${id}${/: .*/.exec(what)?.[0] ?? ''}`)).toEqual(expected);
  });
});
