/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AttributeValue, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { DynamoDbProxy } from 'aws-on-loopback/dynamodb/proxy';
import type { PreciseTtlProps } from '../../../config/props.ts';
import type { StoredItem, TtlCounts } from '../../../operate/table/sample.ts';
import { withPreciseTtl } from '../../../testing/index.ts';
import { makeTableWithParts, runAdoptJob } from '../../support/adopt-job.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

/** 400 of each kind. */
const ITEMS = 5_200;
const { client, endpoint } = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-kinds-test-'));
const { env } = process;
afterEach(() => {
  process.env = env;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const YEAR = 365 * DAY;
const TABLE = 'ThirteenKinds';
const UTF8 = new TextEncoder();
const number = (ttl: number | string): AttributeValue => ({ N: String(ttl) });

interface Kind {
  /** Makes an item from its number, 0 and up, and from the seconds between two items that are spread over a span. */
  readonly item: (n: number) => Readonly<Record<string, AttributeValue>>;
  /** `gone`: deleted within ten minutes; `kept`: never deleted; `named`: still there, and adopt has reported it. */
  readonly becomes: 'gone' | 'kept' | 'named';
}

const old = (n: number) => NOW - DAY - ((n * 7919) % (4 * YEAR));
const soon = (n: number) => NOW + 240 + (n % 300);

const KINDS: Readonly<Record<string, Kind>> = {
  expired: { item: n => ({ ttl: number(old(n)) }), becomes: 'gone' },
  soon: { item: n => ({ ttl: number(soon(n)) }), becomes: 'gone' },
  // The texts become the Numbers of their times, as the refusal asks for.
  strings: { item: n => ({ ttl: { S: String(n % 2 === 0 ? old(n) : soon(n)) } }), becomes: 'gone' },
  oddKeys: {
    item: n => ({
      id: { S: ['"\'\\', 'ü💥\u0000', ' ', '{"S":"x"}', '?'][n % 5] + String(n) },
      part: { B: UTF8.encode(['\u0000', '\uFFFF', ' ', '\n'][n % 4]) },
      ttl: number(n % 2 === 0 ? old(n) : soon(n)),
    }),
    becomes: 'gone',
  },
  fractionsExpired: { item: n => ({ ttl: number(`${old(n)}.5`) }), becomes: 'gone' },
  fractionsSoon: { item: n => ({ ttl: number(`${soon(n)}.25`) }), becomes: 'named' },
  milliseconds: { item: n => ({ ttl: number(old(n) * 1000) }), becomes: 'named' },
  sixYears: { item: n => ({ ttl: number(NOW - 6 * YEAR - n) }), becomes: 'named' },
  negativeOrZero: { item: n => ({ ttl: number(n % 2 === 0 ? 0 : -n) }), becomes: 'named' },
  farFuture: { item: n => ({ ttl: number(NOW + 25 * YEAR + n) }), becomes: 'named' },
  renewed: { item: n => ({ ttl: number(old(n)) }), becomes: 'kept' },
  withoutTtl: { item: () => ({}), becomes: 'kept' },
};
const NAMES = Object.keys(KINDS);

function itemOf(index: number): StoredItem {
  const kind = NAMES[index % NAMES.length] ?? '';
  const n = Math.floor(index / NAMES.length);
  const made = KINDS[kind]?.item(n) ?? {};
  return { id: { S: `${kind}-${n}` }, part: { B: UTF8.encode(String(n % 3)) }, kind: { S: kind }, ...made };
}

const put = (Item: StoredItem) => client.send(new PutItemCommand({ TableName: TABLE, Item: { ...Item } }));

async function inParallel(items: readonly StoredItem[]): Promise<void> {
  for (let from = 0; from < items.length; from += 25)
    await Promise.all(items.slice(from, from + 25).map(put));
}

test('items of thirteen kinds are adopted to their end', async () => {
  const items = Array.from({ length: ITEMS }, (_unused, index) => itemOf(index));
  const ofKind = (kind: string) => items.filter(item => item['kind']?.S === kind);
  await makeTableWithParts(client, TABLE, items);

  /** Renews each session just before its delete is sent. */
  const renewals: string[] = [];
  const proxy = await DynamoDbProxy.start(endpoint, {
    async handle(call) {
      if (call.operation === 'BatchExecuteStatement') {
        const { Statements } = JSON.parse(call.text) as { Statements: { Parameters: AttributeValue[] }[] };
        const due = Statements.flatMap(({ Parameters: [id] }) =>
          id?.S?.startsWith('renewed-') ? [id.S] : [],
        );
        renewals.push(...due);
        await inParallel(
          ofKind('renewed')
            .filter(({ id }) => due.includes(id?.S ?? ''))
            .map(item => ({ ...item, ttl: number(NOW + YEAR) })),
        );
      }
      return call.forward();
    },
  });
  const resultFile = join(folder, 'adopted.json');
  const adopt = () =>
    runAdoptJob({
      ...{ endpoint: proxy.endpoint, folder, tableName: TABLE },
      options: { full: true, deleteExpired: 40_000, resultFile },
    });
  const strings = ofKind('strings');
  await expect(adopt()).rejects.toThrow(`got a String in ${strings.length} of ${ITEMS} items, which are all`);
  await inParallel(strings.map(item => ({ ...item, ttl: number(item['ttl']?.S ?? '') })));
  const { end, printed } = await adopt();
  await proxy.stop();
  process.env = env;
  expect(end).toBe('done');
  expect(renewals).toHaveLength(ofKind('renewed').length);

  const { plan, result, configuration } = JSON.parse(readFileSync(resultFile, 'utf8')) as {
    readonly plan: { readonly ttlValues: TtlCounts };
    readonly result: { readonly deletion: object };
    readonly configuration: PreciseTtlProps;
  };
  const number_ = (kind: string) => ofKind(kind).length;
  const half = (kind: string) => Math.ceil(number_(kind) / 2);
  expect(result.deletion).toEqual({
    deleted: number_('expired') + half('strings') + half('oddKeys') + number_('fractionsExpired'),
    renewed: number_('renewed'),
    ...{ notFound: 0, failed: 0, left: 0 },
  });
  expect(plan.ttlValues).toMatchObject({
    string: 0,
    otherType: 0,
    missing: number_('withoutTtl'),
    milliseconds: number_('milliseconds'),
    fraction: number_('fractionsExpired') + number_('fractionsSoon'),
    tooFarAhead: number_('farFuture'),
  });
  expect(plan.ttlValues.tooOld + plan.ttlValues.negative).toBe(
    number_('sixYears') + number_('negativeOrZero'),
  );
  for (const named of [
    'in milliseconds',
    'with a fraction of a second',
    'over five years ago',
    'that are negative',
    'over 20 years ahead',
  ])
    expect(printed).toMatch(new RegExp(`^ {4}${named}.*: \\{"id"`, 'm'));

  await withPreciseTtl(
    { tables: [configuration] },
    async local => {
      await local.advance('10m');
    },
    { dynamoDbEndpoint: endpoint, startTime: NOW * 1000 },
  );
  const left = new Map<string, number>();
  for await (const { Items = [] } of paginateScan({ client }, { TableName: TABLE, ConsistentRead: true }))
    for (const { kind } of Items) left.set(kind?.S ?? '', (left.get(kind?.S ?? '') ?? 0) + 1);
  const expected = NAMES.filter(kind => KINDS[kind]?.becomes !== 'gone').map(kind => [kind, number_(kind)]);
  expect(Object.fromEntries(left)).toEqual(Object.fromEntries(expected));
});
