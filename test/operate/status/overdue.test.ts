import {
  DynamoDBClient,
  InternalServerError,
  ProvisionedThroughputExceededException,
  type QueryCommandInput,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { NoAnswerError } from '../../../operate/aws/errors.ts';
import { goneBy } from '../../../operate/status/gone.ts';
import { lookForOverdue, MAX_KEYS, minutesBack, NAMEABLE } from '../../../operate/status/overdue.ts';
import { subjectOf } from '../doctor/subject.ts';

/** Entries that are counted in one page, as if they were 1 MB. */
const COUNTED = 100;

const NOW = Date.parse('2026-11-21T20:00:30Z');
const SECONDS = NOW / 1000;

/** A client whose index has these TTLs under each key; queries of a key can throw. */
function clientWith(
  entries: ReadonlyMap<string | number, readonly number[]>,
  fails: (key: string) => Error | undefined = () => undefined,
): DynamoDBClient {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  client.middlewareStack.add(
    () => async args => {
      const {
        ExpressionAttributeValues: values = {},
        Limit = COUNTED,
        Select,
      } = args.input as QueryCommandInput;
      const { ':window': window, ':second': second, ':from': from, ':upTo': upTo } = values;
      const key = window?.S ?? second?.N ?? '';
      const error = fails(key);
      if (error !== undefined) throw error;
      const ttls = (entries.get(window === undefined ? Number(key) : key) ?? []).filter(
        ttl => upTo?.N === undefined || (ttl <= Number(upTo.N) && ttl >= Number(from?.N)),
      );
      const start = Number((args.input as QueryCommandInput).ExclusiveStartKey?.['id']?.S ?? -1) + 1;
      // The document client has converted the request here, but not yet the answer.
      const Items = ttls
        .slice(start, start + Limit)
        .map((ttl, index) => ({ id: String(start + index), ttl: NumberValue.from(String(ttl)) }));
      const more = ttls.length > start + Limit && { LastEvaluatedKey: Items.at(-1) };
      const found = Select === 'COUNT' ? { Count: Items.length } : { Items };
      return { output: { $metadata: {}, ...found, ...more } as never, response: {} };
    },
    { step: 'build' },
  );
  return client;
}

const windowOf = (ttl: number, shard = 0) => windowKey(windowStart(ttl, 60), 60, shard);
/** Windows are a minute long here, so that there are many. */
const inMinutes = (props: Partial<PreciseTtlProps> = {}) => {
  const subject = subjectOf({
    ...props,
    ...(props.index?.by !== 'second' && { index: { granularityMinutes: 1, ...props.index } }),
  });
  return { ...subject, shards: subject.props.shards };
};
const look = (props: Partial<PreciseTtlProps>, client: DynamoDBClient, minutes = 10) =>
  lookForOverdue(client, inMinutes(props), minutes, () => NOW);
const SILENT = new NoAnswerError('DYNAMODB', { kind: 'timed out', seconds: 5 }, undefined);
const THROTTLED = new ProvisionedThroughputExceededException({ message: 'slower', $metadata: {} });

/** The statement that follows from this look alone. */
const gone = (seen: Awaited<ReturnType<typeof lookForOverdue>>) => goneBy(seen, { watermark: undefined });
const oldestOf = ({ named: [oldest] }: Awaited<ReturnType<typeof lookForOverdue>>) => oldest?.ttl;

test('by window it asks each shard of each window, and counts what is expired', async () => {
  const [old, young] = [SECONDS - 300, SECONDS - 5];
  const client = clientWith(
    new Map([
      [windowOf(old, 1), [old, old + 1]],
      [windowOf(young), [young, SECONDS + 5]],
    ]),
  );
  const seen = await look({ index: { shards: 2 } }, client);
  expect(seen).toMatchObject({ overdue: 3, lastMinute: 1, unseen: null });
  expect(seen.named.map(({ ttl }) => ttl)).toEqual([old, old + 1, young]);
  expect(seen.read).toEqual([{ from: SECONDS - 600, upTo: SECONDS }]);
  // Eleven windows of two shards are read, including the one before, in which the older format stores its end.
  expect(seen.queries).toBe(11 * 2);
});

test('it asks the shards that the table had once, too', async () => {
  const ttl = SECONDS - 90;
  const client = clientWith(new Map([[windowOf(ttl, 4), [ttl]]]));
  const seen = await lookForOverdue(client, { ...inMinutes(), shards: 5 }, 10, () => NOW);
  expect(seen).toMatchObject({ overdue: 1, queries: 11 * 5 });
});

test('by second it asks each second', async () => {
  const ttl = SECONDS - 90;
  const seen = await look({ index: { by: 'second' } }, clientWith(new Map([[ttl, [ttl, ttl]]])), 2);
  expect(seen).toMatchObject({ overdue: 2, lastMinute: 0, unseen: null, queries: 121 });
  expect(oldestOf(seen)).toBe(ttl);
});

test('what DynamoDB is too busy to answer is not taken for gone, and what it did answer is counted', async () => {
  const [busy, old] = [SECONDS - 300, SECONDS - 500];
  const entries = new Map([[windowOf(old), [old]]]);
  const client = clientWith(entries, key => (key === windowOf(busy) ? THROTTLED : undefined));
  const seen = await look({}, client);
  const start = windowStart(busy, 60);
  expect(seen.read).toEqual([
    { from: SECONDS - 600, upTo: start - 1 },
    { from: start + 61, upTo: SECONDS },
  ]);
  expect(seen).toMatchObject({ overdue: 1, unseen: { id: 'indexThrottled' } });
  // The late item is listed, although there may be more.
  expect(gone(seen)).toMatchObject({
    known: true,
    since: SECONDS - 600,
    by: start - 1,
    left: [{ ttl: old }],
  });
});

test('when it answers nothing, nothing is known', async () => {
  const seen = await look(
    {},
    clientWith(new Map(), () => THROTTLED),
  );
  expect(seen).toMatchObject({ read: [], overdue: 0 });
  expect(gone(seen)).toEqual({ known: false, because: 'not-read' });
});

test.each<[string, unknown, string, string]>([
  ['throttles', THROTTLED, 'indexThrottled', 'DynamoDB throttles the index'],
  [
    'is not available',
    new InternalServerError({ message: 'sorry', $metadata: {} }),
    'dynamoDbUnavailable',
    'DynamoDB is not available (InternalServerError)',
  ],
  ['lets one query without an answer', SILENT, 'indexUnanswered', 'DynamoDB timed out: no answer in 5 s'],
])(
  'DynamoDB %s: that is the cause that is told, and one such window is not counted',
  async (_what, error, id, text) => {
    const busy = SECONDS - 300;
    const fails = (key: string) => (key === windowOf(busy) ? (error as Error) : undefined);
    const unseen = { id, text };
    expect(await look({}, clientWith(new Map(), fails))).toMatchObject({ unseen, overdue: 0 });
    // There are more windows than can be counted: those that were not read do not count as overdue.
    const most = (key: string) => (/:[0-9][1-9]:00.000Z_/.test(key) ? (error as Error) : undefined);
    expect(await look({}, clientWith(new Map(), most), 60)).toMatchObject({ unseen, overdue: 0 });
  },
);

test('when no query is answered DynamoDB is not taken for a busy one', async () => {
  await expect(
    look(
      {},
      clientWith(new Map(), () => SILENT),
    ),
  ).rejects.toBe(SILENT);
});

test('other errors are thrown', async () => {
  const missing = new ResourceNotFoundException({ message: 'no index', $metadata: {} });
  await expect(
    look(
      {},
      clientWith(new Map(), () => missing),
    ),
  ).rejects.toThrow('no index');
});

test.each<[Partial<PreciseTtlProps>]>([[{}], [{ index: { by: 'second' } }]])(
  '%j: a backlog is counted to its end, and what of it has expired in the last minute',
  async props => {
    const [old, young] = [SECONDS - 90, SECONDS - 20];
    const many = (ttl: number, count: number) => Array.from({ length: count }, () => ttl);
    const keys = (ttl: number) => (props.index?.by === 'second' ? ttl : windowOf(ttl));
    const client = clientWith(
      new Map([
        [keys(old), many(old, 1_250)],
        [keys(young), many(young, 350)],
      ]),
    );
    const seen = await look(props, client);
    expect(seen).toMatchObject({ overdue: 1_600, lastMinute: 350, unseen: null });
    expect(seen.named).toHaveLength(NAMEABLE);
    expect(gone(seen)).toEqual({ known: true, since: SECONDS - 600, by: old - 1, gapUntil: null, left: [] });
  },
);

test('a backlog of more than one look counts is at least as large as was counted, and says so', async () => {
  const ttl = SECONDS - 90;
  const client = clientWith(new Map([[windowOf(ttl), Array.from({ length: 10_100 }, () => ttl)]]));
  const seen = await look({}, client);
  expect(seen).toMatchObject({ unseen: { id: 'indexTooLong' }, overdue: NAMEABLE });
});

test('when time is over, what has expired lately is known, and no more is claimed than was read', async () => {
  let now = NOW;
  const young = SECONDS - 20;
  const slow = clientWith(new Map([[windowOf(young), [young]]]), () => {
    now += 400;
    return undefined;
  });
  const seen = await lookForOverdue(slow, inMinutes(), 60, () => now);
  const [read] = seen.read;
  expect(seen.read).toHaveLength(1);
  expect(read?.upTo).toBe(SECONDS);
  expect((read?.from ?? 0) > SECONDS - 3600).toBe(true);
  expect(seen.overdue).toBe(1);
  expect(gone(seen)).toMatchObject({ known: true, since: read?.from, by: young - 1 });
  expect(seen.unseen).toMatchObject({
    id: 'indexSlow',
    text: expect.stringMatching(/^DynamoDB had answered \d+ queries when 6 s were over$/),
  });
});

test.each<[Partial<PreciseTtlProps>, number, number]>([
  [{}, 10, 10],
  [{}, 44_640, Math.floor(MAX_KEYS / 2) - 1],
  [{ index: { by: 'second' } }, 44_640, 83],
  [{ index: { shards: 100, granularityMinutes: 1440 } }, 44_640, 44_640],
])('%j: of %i minutes it reads %i', (props, wanted, expected) => {
  expect(minutesBack(inMinutes(props), wanted)).toBe(expected);
});
