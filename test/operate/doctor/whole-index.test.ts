/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { modelOf } from '../../../config/deployments.ts';
import { type PreciseTtlProps, resolveProps } from '../../../config/props.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { examine } from '../../../operate/doctor/doctor.ts';
import { ITEM_FINDINGS } from '../../../operate/doctor/findings.ts';
import type { DoctorOptions, DoctorReport } from '../../../operate/doctor/report.ts';
import { configOf } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { endpoint, client } = useLocalDynamoDb();
const { env } = process;
beforeAll(() => {
  process.env = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_EC2_METADATA_DISABLED: 'true' };
});
afterAll(() => {
  process.env = env;
});

const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const [TOMORROW, YESTERDAY] = [NOW + DAY, NOW - DAY];
const [SIX_YEARS_AGO, IN_THIRTY_YEARS] = [NOW - 6 * 365 * DAY, NOW + 30 * 365 * DAY];

/** Windows are a minute long here. */
const BY_WINDOW = {
  tableName: 'WholeByWindow',
  partitionKey: 'id',
  index: { granularityMinutes: 1, shards: 2 },
} as const;
const BY_SECOND = { tableName: 'WholeBySecond', partitionKey: 'id', index: { by: 'second' } } as const;

type Items = Readonly<Record<string, Readonly<Record<string, AttributeValue>>>>;

const number = (value: number | string): AttributeValue => ({ N: String(value) });
const windowOf = (ttl: number, shard = 0, seconds = 60) => ({
  expirationWindow: { S: windowKey(windowStart(ttl, seconds), seconds, shard) },
});

/** Items without a fault: some pages of each segment. */
const FILL: Items = Object.fromEntries(
  Array.from({ length: 500 }, (_unused, index) => {
    const ttl = TOMORROW + index;
    return [`fine ${index}`, { ttl: number(ttl), ...windowOf(ttl, index % 2) }];
  }),
);

/** One entry with each fault, with the fault as its key. */
const FAULTS_OF_TTL: Items = {
  'ttl-milliseconds': { ttl: number(`${TOMORROW}000`), ...windowOf(TOMORROW) },
  'ttl-negative': { ttl: number(-TOMORROW), ...windowOf(TOMORROW) },
  'ttl-too-old': { ttl: number(SIX_YEARS_AGO), ...windowOf(SIX_YEARS_AGO) },
  'ttl-too-far-ahead': { ttl: number(IN_THIRTY_YEARS), ...windowOf(IN_THIRTY_YEARS) },
  'expired-present': { ttl: number(YESTERDAY), ...windowOf(YESTERDAY) },
};
const FAULTS: Readonly<Record<'window' | 'second', Items>> = {
  window: {
    ...FAULTS_OF_TTL,
    'ttl-fraction-by-window': { ttl: number(`${TOMORROW}.25`), ...windowOf(TOMORROW) },
    'window-malformed': { ttl: number(TOMORROW), expirationWindow: { S: 'tomorrow' } },
    'window-granularity': { ttl: number(TOMORROW), ...windowOf(TOMORROW, 0, 300) },
    'window-shard-unswept': { ttl: number(TOMORROW), ...windowOf(TOMORROW, 2) },
    'window-differs': { ttl: number(TOMORROW), ...windowOf(TOMORROW - 3600) },
  },
  second: { ...FAULTS_OF_TTL, 'ttl-fraction': { ttl: number(`${TOMORROW}.25`) } },
};
/** Items that the index does not have: the sample tells them. */
const NOT_IN_INDEX: Items = {
  'window-missing': { ttl: number(TOMORROW) },
  'window-without-ttl': windowOf(TOMORROW),
  'ttl-elsewhere': { expiresAt: number(TOMORROW) },
};

async function makeTable(props: PreciseTtlProps, items: Items): Promise<void> {
  const { tableName: TableName } = props;
  const { windowAttribute, ttlAttribute } = modelOf(props);
  const keys = [
    ...(windowAttribute === undefined ? [] : [[windowAttribute, 'S'] as const]),
    [ttlAttribute, 'N'] as const,
  ];
  const index = {
    IndexName: resolveProps(props).indexName,
    KeySchema: keys.map(([AttributeName], at) => ({
      AttributeName,
      KeyType: at === 0 ? ('HASH' as const) : ('RANGE' as const),
    })),
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  };
  await client.send(
    new CreateTableCommand({
      ...{ TableName, BillingMode: 'PAY_PER_REQUEST', GlobalSecondaryIndexes: [index] },
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [['id', 'S'] as const, ...keys].map(([AttributeName, AttributeType]) => ({
        ...{ AttributeName, AttributeType },
      })),
    }),
  );
  const puts = Object.entries(items).map(([id, item]) => ({
    PutRequest: { Item: { id: { S: id }, ...item } },
  }));
  for (let from = 0; from < puts.length; from += 25) {
    const RequestItems = { [TableName]: puts.slice(from, from + 25) };
    await client.send(new BatchWriteItemCommand({ RequestItems }));
  }
}

const examined = (props: PreciseTtlProps, over: Partial<DoctorOptions> = {}): Promise<DoctorReport> =>
  examine({ config: configOf({ ...props, logKeys: 'full' }), all: true, ...over });
/** The findings about items: how many, and their keys. */
const foundIn = ({ tables }: DoctorReport) =>
  Object.fromEntries(
    (tables[0]?.findings ?? [])
      .filter(({ id }) => ITEM_FINDINGS.some(one => one === id))
      .map(({ id, count, samples }) => [id, [count, ...samples]]),
  );
const onceEach = (...ids: readonly string[]) =>
  Object.fromEntries(ids.map(id => [id, [1, JSON.stringify({ id: { S: id } })]]));

test.each([
  ['by window', BY_WINDOW, FAULTS.window, NOT_IN_INDEX],
  ['by second', BY_SECOND, FAULTS.second, { 'ttl-elsewhere': { expiresAt: number(TOMORROW) } }],
] as const)(
  '%s the one entry with each fault is named, and none is deleted',
  async (_by, props, faulty, rest) => {
    await makeTable(props, { ...FILL, ...faulty, ...rest });
    const pages: number[] = [];
    const segments = 2;
    const onScan: DoctorOptions['onScan'] = (_table, progress) => progress && pages.push(progress.items);
    const report = await examined(props, { segments, onScan });
    expect(foundIn(report)).toEqual(onceEach(...Object.keys(faulty), ...Object.keys(rest)));
    const entries = Object.keys(FILL).length + Object.keys(faulty).length;
    expect(report.tables[0]?.facts).toMatchObject({ entriesRead: entries });
    expect(report.verdict).toBe('broken');
    // The first page of a segment has a hundred entries at most.
    expect([pages.length, pages.at(-1)]).toEqual([2 * segments, entries]);
    const { Count } = await client.send(new ScanCommand({ TableName: props.tableName, Select: 'COUNT' }));
    expect(Count).toBe(entries + Object.keys(rest).length);
  },
);

test('these are all faults that an entry of the index can have', () => {
  const all = new Set([FAULTS.window, FAULTS.second, NOT_IN_INDEX].flatMap(items => Object.keys(items)));
  // DynamoDB refuses a TTL of another type as a key, and with few items no shard is unused.
  const others = ['ttl-string', 'ttl-other-type', 'window-shards-unused'];
  expect([...all, ...others].sort()).toEqual([...ITEM_FINDINGS].sort());
});

test('what the sample misses is in the index', async () => {
  const more = Array.from({ length: 1_500 }, (_unused, index) => [
    `fine ${index}`,
    { ttl: number(TOMORROW + index) },
  ]);
  const props = { ...BY_SECOND, tableName: 'LargeBySecond' };
  await makeTable(props, { ...Object.fromEntries(more), 'expired-present': { ttl: number(YESTERDAY) } });
  const [sampled, whole] = [await examined(props, { all: false }), await examined(props)];

  expect([sampled, whole].map(({ tables }) => tables[0]?.facts)).toMatchObject([
    { allItemsRead: false, entriesRead: null },
    { allItemsRead: false, entriesRead: 1_501 },
  ]);
  expect(foundIn(whole)).toEqual(onceEach('expired-present'));
});

test('without the index there is no whole to read, which is another finding', async () => {
  const props = { ...BY_SECOND, index: { by: 'second', name: 'other' } } as const;
  const [{ facts, findings } = {}] = (await examined(props)).tables;
  expect(facts).toMatchObject({ entriesRead: null });
  expect(findings?.map(({ id }) => id)).toContain('index-missing');
});
