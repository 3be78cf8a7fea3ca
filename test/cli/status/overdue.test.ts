import {
  type BatchGetItemCommandInput,
  DynamoDBClient,
  InternalServerError,
  ProvisionedThroughputExceededException,
  type QueryCommandInput,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { NoAnswerError } from '../../../cli/aws/no-answer.ts';
import { goneBy } from '../../../cli/status/gone.ts';
import { lookForOverdue, MOST_KEYS, minutesBack } from '../../../cli/status/overdue.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import type { PreciseTtlProps } from '../../../stacks/props.ts';
import { subjectOf } from '../doctor/subject.ts';

const NOW = Date.parse('2026-11-21T20:00:30Z');
const SECONDS = NOW / 1000;

/** A client whose index holds these TTLs under each key; asking for a key can throw. `held`: ids, which count from 0 under each key. */
function clientWith(
  entries: ReadonlyMap<string | number, readonly number[]>,
  fails: (key: string) => Error | undefined = () => undefined,
  held: ReadonlySet<string> = new Set(),
): DynamoDBClient {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  client.middlewareStack.add(
    () => async args => {
      const { RequestItems } = args.input as BatchGetItemCommandInput;
      if (RequestItems !== undefined) {
        const [[table = '', { Keys = [] } = {}] = []] = Object.entries(RequestItems);
        const items = Keys.map(({ id }) => ({
          id: id?.S,
          ...(held.has(id?.S ?? '') && { legalHold: true }),
        }));
        return { output: { $metadata: {}, Responses: { [table]: items } } as never, response: {} };
      }
      const { ExpressionAttributeValues: values = {}, Limit = 1 } = args.input as QueryCommandInput;
      const { ':window': window, ':second': second, ':upTo': upTo } = values;
      const key = window?.S ?? second?.N ?? '';
      const error = fails(key);
      if (error !== undefined) throw error;
      const ttls = (entries.get(window === undefined ? Number(key) : key) ?? []).filter(
        ttl => upTo?.N === undefined || ttl <= Number(upTo.N),
      );
      // As the document client hands them on: it has read the request, and does not see the answer here.
      const Items = ttls
        .slice(0, Limit)
        .map((ttl, id) => ({ id: String(id), ttl: NumberValue.from(String(ttl)) }));
      const more = ttls.length > Limit && { LastEvaluatedKey: Items.at(-1) };
      return { output: { $metadata: {}, Items, ...more } as never, response: {} };
    },
    { step: 'build' },
  );
  return client;
}

const windowOf = (ttl: number, shard = 0) => windowKey(windowStart(ttl, 60), 60, shard);
/** By window the windows here are of a minute, so that there are many. */
const inMinutes = (props: Partial<PreciseTtlProps> = {}) =>
  subjectOf({ ...(props.indexedBy !== 'second' && { granularityMinutes: 1 }), ...props });
const look = (props: Partial<PreciseTtlProps>, client: DynamoDBClient, minutes = 10) =>
  lookForOverdue(client, inMinutes(props), minutes, () => NOW);
const SILENT = new NoAnswerError('DYNAMODB', { kind: 'timed out', seconds: 5 }, undefined);
const THROTTLED = new ProvisionedThroughputExceededException({ message: 'slower', $metadata: {} });

test('by window it asks each shard of each window, and counts what is expired', async () => {
  const [old, young] = [SECONDS - 300, SECONDS - 5];
  const client = clientWith(
    new Map([
      [windowOf(old, 1), [old, old + 1]],
      [windowOf(young), [young, SECONDS + 5]],
    ]),
  );
  const seen = await look({ shards: 2 }, client);
  expect(seen).toMatchObject({ overdue: 3, atLeast: false, oldest: old, unansweredFrom: null });
  expect(seen.read).toEqual({ from: SECONDS - 600, upTo: SECONDS });
  // Eleven windows of two shards, and two of these once more.
  expect(seen.queries).toBe(11 * 2 + 2);
});

test('by second it asks each second', async () => {
  const ttl = SECONDS - 90;
  const seen = await look({ indexedBy: 'second' }, clientWith(new Map([[ttl, [ttl, ttl]]])), 2);
  expect(seen).toMatchObject({ overdue: 2, atLeast: false, oldest: ttl });
});

test('what DynamoDB is too busy to answer is not taken for gone', async () => {
  const busy = SECONDS - 300;
  const client = clientWith(new Map(), key => (key === windowOf(busy) ? THROTTLED : undefined));
  const seen = await look({}, client);
  expect(seen).toMatchObject({ oldest: null, unansweredFrom: windowStart(busy, 60), atLeast: true });
  expect(goneBy(seen, undefined)).toEqual({
    known: true,
    since: SECONDS - 600,
    by: windowStart(busy, 60) - 1,
  });
});

test('when it answers nothing, nothing is known', async () => {
  const seen = await look(
    {},
    clientWith(new Map(), () => THROTTLED),
  );
  expect(goneBy(seen, undefined)).toEqual({ known: false, because: 'unanswered' });
});

test.each<[string, unknown, string]>([
  ['throttles', THROTTLED, 'DynamoDB throttles the index'],
  [
    'is not available',
    new InternalServerError({ message: 'sorry', $metadata: {} }),
    'DynamoDB is not available (InternalServerError)',
  ],
  ['lets one query without an answer', SILENT, 'DynamoDB timed out: no answer in 5 s'],
])(
  'DynamoDB %s: that is the cause that is told, and one such window is not counted',
  async (_what, error, why) => {
    const busy = SECONDS - 300;
    const fails = (key: string) => (key === windowOf(busy) ? (error as Error) : undefined);
    expect(await look({}, clientWith(new Map(), fails))).toMatchObject({ why, overdue: 0, atLeast: true });
    // Of more windows than are counted, those that said nothing are not taken for overdue ones.
    const most = (key: string) => (/:[0-9][1-9]:00.000Z_/.test(key) ? (error as Error) : undefined);
    expect(await look({}, clientWith(new Map(), most), 60)).toMatchObject({ why, overdue: 0 });
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

test('more entries than are counted are at least so many', async () => {
  const ttl = SECONDS - 60;
  const many = Array.from({ length: 250 }, () => ttl);
  expect(await look({}, clientWith(new Map([[windowOf(ttl), many]])))).toMatchObject({
    overdue: 200,
    atLeast: true,
  });
});

test('when time is over, only what was read is claimed', async () => {
  let now = NOW;
  const slow = clientWith(new Map(), () => {
    now += 2000;
    return undefined;
  });
  const seen = await lookForOverdue(slow, inMinutes(), 60, () => now);
  const { read } = seen;
  expect(read?.from).toBe(SECONDS - 3600);
  expect(goneBy(seen, undefined)).toEqual({ known: true, since: SECONDS - 3600, by: read?.upTo });
  expect((read?.upTo ?? 0) < SECONDS - 60).toBe(true);
  expect(seen.why).toMatch(/^DynamoDB had answered \d+ queries when 6 s were over$/);
});

test.each<[Partial<PreciseTtlProps>, number, number]>([
  [{}, 10, 10],
  [{}, 44_640, Math.floor(MOST_KEYS / 2) - 1],
  [{ shards: 1 }, 44_640, MOST_KEYS - 1],
  [{ shards: 10 }, 44_640, 499],
  [{ indexedBy: 'second' }, 44_640, 82],
  [{ granularityMinutes: 5, shards: 1 }, 44_640, 5 * (MOST_KEYS - 1)],
  [{ shards: 100 }, 44_640, 49],
  [{ shards: 100, granularityMinutes: 1440 }, 44_640, 44_640],
])('%j: of %i minutes it reads %i', (props, wanted, expected) => {
  expect(minutesBack(inMinutes(props), wanted)).toBe(expected);
});

test('what is held is not overdue, and what is behind it is', async () => {
  const ttl = SECONDS - 90;
  const entries = new Map([[windowOf(ttl), [ttl, ttl + 1, ttl + 2]]]);
  const seen = (held: readonly string[]) =>
    look({ holdAttribute: 'legalHold' }, clientWith(entries, undefined, new Set(held)));
  expect(await seen(['0', '1', '2'])).toMatchObject({ overdue: 0, oldest: null });
  expect(await seen(['0'])).toMatchObject({ overdue: 2, oldest: ttl + 1, held: 1 });
});

test('what is in its grace is not overdue', async () => {
  const ttl = SECONDS - 90;
  const entries = new Map([[windowOf(ttl), [ttl, ttl + 60]]]);
  const client = clientWith(entries);
  expect(await look({ graceSeconds: 120 }, client)).toMatchObject({ overdue: 0, readAt: SECONDS - 120 });
  const seen = await look({ graceSeconds: 60 }, client);
  expect(seen).toMatchObject({ overdue: 1, oldest: ttl, readAt: SECONDS - 60 });
  expect(goneBy(seen, undefined)).toEqual({ known: true, since: SECONDS - 660, by: ttl - 1 });
});
