import fc from 'fast-check';
import type { ExpiryEvent } from '../../../expiry/expiry-event.ts';
import { expiryModel } from '../../../expiry/model.ts';
import { consumerFunction } from '../../../functions/publish-expiries/consumer-function.ts';
import { dataStream } from '../../../functions/publish-expiries/data-stream.ts';
import type { Destination } from '../../../functions/publish-expiries/destination.ts';
import type { DESTINATIONS as EVENT_DESTINATIONS } from '../../../functions/publish-expiries/destinations.ts';
import { eventBus } from '../../../functions/publish-expiries/event-bus.ts';
import {
  destinationOf,
  type PublishRuntime,
  publishExpiries,
} from '../../../functions/publish-expiries/handler.ts';
import { queue } from '../../../functions/publish-expiries/queue.ts';
import type { EventsSettings } from '../../../functions/publish-expiries/settings.ts';
import type { DynamoDbStreamRecord, ItemImage } from '../../../functions/stream/event.ts';
import {
  type Reaction,
  type ReceivedCall,
  useLoopbackDestinations,
} from '../../support/loopback-destinations.ts';

const loopback = useLoopbackDestinations();

const connection = () => ({
  endpoint: loopback.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  // The server stands still with its client: on a busy machine an answer that has come would count as late, and its events come twice.
  requestHandler: { connectionTimeout: 60_000, requestTimeout: 60_000 },
});

const QUEUE = 'https://sqs.us-east-1.amazonaws.com/123456789012/jobs';
const DESTINATIONS = {
  'an event bus': () => eventBus('jobs', connection()),
  'a standard queue': () => queue(QUEUE, connection()),
  'a FIFO queue': () => queue(`${QUEUE}.fifo`, connection()),
  'a function': () => consumerFunction('arn:aws:lambda:us-east-1:123456789012:function:worker', connection()),
  'a stream': () => dataStream('arn:aws:kinesis:us-east-1:123456789012:stream/expired', connection()),
} satisfies Record<string, () => Destination>;
type DestinationName = keyof typeof DESTINATIONS;
/** Under which names every destination is tested. */
const TESTED = {
  eventBus: ['an event bus'],
  queueArn: ['a standard queue', 'a FIFO queue'],
  functionArn: ['a function'],
  streamArn: ['a stream'],
} as const satisfies Record<keyof typeof EVENT_DESTINATIONS, readonly DestinationName[]>;
const NAMES = Object.values(TESTED).flat();

const TTL = Date.parse('2026-11-20T09:00:30Z') / 1000;

/** A removal two seconds after its expiry. */
function removal(sequence: number, id: string, more: ItemImage = {}): DynamoDbStreamRecord {
  return {
    eventID: `event-${sequence}`,
    eventName: 'REMOVE',
    dynamodb: {
      ApproximateCreationDateTime: TTL + 2,
      Keys: { id: { S: id } },
      OldImage: { id: { S: id }, ttl: { N: String(TTL) }, ...more },
      SequenceNumber: String(sequence).padStart(21, '0'),
    },
  };
}

interface Options {
  readonly oldImage?: boolean;
  readonly logKeys?: PublishRuntime['settings']['logKeys'];
  readonly remainingMs?: number;
  readonly since?: string;
}

/** Publishes a batch, and says at which sequence number it ended: NaN when all was delivered. */
async function publish(
  destination: Destination,
  records: readonly DynamoDbStreamRecord[],
  { oldImage = false, logKeys = 'full', remainingMs = 60_000, since }: Options = {},
) {
  const logged: unknown[][] = [];
  const settings = {
    tableName: 'Jobs',
    model: expiryModel({ partitionKey: 'id' }),
    logKeys,
    eventsOldImage: oldImage,
    ...(since !== undefined && { eventsSince: since }),
  };
  const { batchItemFailures } = await publishExpiries(
    { Records: records },
    {
      settings,
      destination,
      logger: { warn: (...line) => logged.push(line), error: (...line) => logged.push(line) },
      clock: Date.now,
      random: Math.random,
      sleep: async () => {},
    },
    { getRemainingTimeInMillis: () => remainingMs },
  );
  return {
    logged,
    endedAt: Number(batchItemFailures[0]?.itemIdentifier),
    failures: batchItemFailures.length,
  };
}

const takenIds = () => loopback.taken.map(({ event }) => event.id);
const idsOf = ({ entries }: ReceivedCall) => entries.map(({ event }) => event.id);
const THROTTLED: Record<ReceivedCall['service'], Reaction> = {
  EventBridge: { status: 400, error: 'ThrottlingException' },
  SQS: { status: 403, error: 'RequestThrottled' },
  Kinesis: { status: 400, error: 'ProvisionedThroughputExceededException' },
  Lambda: { status: 429, error: 'TooManyRequestsException' },
};

describe.each(NAMES)('to %s', name => {
  const destination = () => DESTINATIONS[name]();

  test('an expiry is an event, and other changes are none', async () => {
    const soon = { ttl: { N: String(TTL + 3600) } };
    const answer = await publish(destination(), [
      { ...removal(1, 'a'), eventName: 'MODIFY' },
      removal(2, 'deleted by its owner', soon),
      removal(3, 'b'),
    ]);
    expect(answer).toMatchObject({ failures: 0, logged: [] });
    const expected: Omit<ExpiryEvent, 'group'> = {
      id: 'event-3',
      table: 'Jobs',
      key: { id: { S: 'b' } },
      expiredAt: '2026-11-20T09:00:30.000Z',
      deletedAt: '2026-11-20T09:00:32.000Z',
    };
    expect(loopback.taken.map(({ event }) => event)).toEqual([expected]);
  });

  test('no call is made for a batch without an expiry', async () => {
    expect((await publish(destination(), [{ ...removal(1, 'a'), eventName: 'INSERT' }])).failures).toBe(0);
    expect(loopback.calls).toEqual([]);
  });

  test('with its image an event has the item in DynamoDB JSON', async () => {
    const more: ItemImage = {
      amount: { N: '12345678901234567890123456789012345678' },
      bytes: { B: 'AAEC' },
      odd: { S: '\uFFFE\uFFFF\u0000\uD800"\\' },
      nested: { M: { list: { L: [{ NULL: true }, { BOOL: false }, { NS: ['1.10', '2'] }] } } },
    };
    const record = removal(1, 'a', more);
    await publish(destination(), [record], { oldImage: true });
    expect(loopback.taken[0]?.event.oldImage).toEqual(record.dynamodb.OldImage);
    // SQS refuses a message with these.
    expect(loopback.taken[0]?.text.includes('\uFFFE') && name !== 'a function').toBe(false);
  });

  test('what is refused for the moment is sent again, alone', async () => {
    loopback.react = ({ entries }) => ({
      refuse: ({ event }) =>
        event.id === 'event-2' && (entries.length > 1 || loopback.calls.length < 3)
          ? { code: 'ThrottlingException' }
          : undefined,
    });
    const answer = await publish(destination(), [removal(1, 'a'), removal(2, 'b'), removal(3, 'c')]);
    expect(answer.failures).toBe(0);
    expect(takenIds()).toEqual(['event-1', 'event-3', 'event-2']);
    expect(loopback.calls.map(idsOf)).toEqual([['event-1', 'event-2', 'event-3'], ['event-2'], ['event-2']]);
  });

  test('what is refused for long is named, and nothing of a later call is sent', async () => {
    loopback.react = () => ({
      refuse: ({ event }) => (event.id === 'event-2' ? { code: 'InternalFailure' } : undefined),
    });
    const records = [removal(1, 'a'), removal(2, 'b'), removal(3, 'c'), removal(4, 'b'), removal(5, 'd')];
    const { endedAt, logged } = await publish(destination(), records);
    expect(endedAt).toBe(2);
    // The third was taken, and comes again with the second.
    expect(takenIds()).toEqual(['event-1', 'event-3']);
    expect(logged).toEqual([['cannot deliver', expect.objectContaining({ id: 'event-2' })]]);
  });

  test.each<[string, (call: ReceivedCall) => Reaction]>([
    ['fails', () => ({ status: 500, error: 'InternalFailure' })],
    ['is refused', () => ({ status: 403, error: 'AccessDeniedException' })],
    ['is throttled', ({ service }) => THROTTLED[service]],
    ['is cut off', () => 'take and cut'],
  ])('a call that %s is made again, and then left', async (_how, react) => {
    loopback.react = call => (loopback.calls.length < 3 ? react(call) : 'take');
    const records = [removal(1, 'a'), removal(2, 'b')];
    expect((await publish(destination(), records)).failures).toBe(0);
    expect(new Set(takenIds())).toEqual(new Set(['event-1', 'event-2']));

    loopback.react = react;
    loopback.calls.length = 0;
    expect((await publish(destination(), records)).endedAt).toBe(1);
    expect(loopback.calls.map(idsOf)).toEqual(Array(3).fill(['event-1', 'event-2']));
  });

  test('a destination that hangs is given up before the function has to end', async () => {
    loopback.react = () => 'hang';
    const startedAt = Date.now();
    const { endedAt } = await publish(destination(), [removal(1, 'a')], { remainingMs: 4_200 });
    expect(endedAt).toBe(1);
    expect(Date.now() - startedAt).toBeLessThan(4_200);
  });

  test('events of one key are in calls of their own, in their order', async () => {
    await publish(destination(), [removal(1, 'a'), removal(2, 'a'), removal(3, 'b')]);
    expect(loopback.calls.map(idsOf)).toEqual([['event-1'], ['event-2', 'event-3']]);
  });

  test.each<[string, (call: ReceivedCall) => Reaction]>([
    ['busy', ({ service }) => THROTTLED[service]],
    ['not to be written to', () => ({ status: 400, error: 'AccessDeniedException' })],
    ['gone', () => ({ status: 400, error: 'QueueDoesNotExist' })],
  ])('an image stays with its event when the destination is %s for a moment', async (_how, react) => {
    loopback.react = call => (loopback.calls.length === 1 ? react(call) : 'take');
    const { failures, logged } = await publish(destination(), [removal(1, 'a')], { oldImage: true });
    expect([failures, logged]).toEqual([0, []]);
    expect(loopback.taken[0]?.event).toHaveProperty('oldImage.id', { S: 'a' });
  });

  test('any batches with any failures end with each expiry delivered, and each key in order', async () => {
    const anyReaction = fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant<Reaction>({ status: 500, error: 'InternalFailure' }) },
      { weight: 1, arbitrary: fc.constant<Reaction>('take and cut') },
      {
        weight: 3,
        arbitrary: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }).map(refused => ({
          refuse: () => {
            const isRefused = refused.shift() ?? false;
            return isRefused ? { code: 'InternalFailure' } : undefined;
          },
        })),
      },
    );
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(keys, fc.array(anyReaction, { maxLength: 30 }), async (ids, reactions) => {
        loopback.taken.length = 0;
        loopback.react = () => reactions.shift() ?? 'take';
        const to = destination();
        let left = ids.map((id, index) => removal(index + 1, id));
        while (left.length > 0) {
          const { endedAt } = await publish(to, left);
          if (Number.isNaN(endedAt)) break;
          // Lambda goes on from there. What is before it has been delivered.
          const before = left.filter(({ dynamodb }) => Number(dynamodb.SequenceNumber) < endedAt);
          expect(takenIds()).toEqual(expect.arrayContaining(before.map(({ eventID }) => eventID)));
          left = left.slice(before.length);
        }
        const firsts = [...new Set(takenIds())];
        expect(firsts.toSorted()).toEqual(ids.map((_id, index) => `event-${index + 1}`).toSorted());
        for (const key of new Set(ids)) {
          const ofKey = ids.flatMap((id, index) => (id === key ? [`event-${index + 1}`] : []));
          expect(firsts.filter(id => ofKey.includes(id))).toEqual(ofKey);
        }
      }),
      { numRuns: 15 },
    );
  });
});

const nulls = (count: number) => Array.from({ length: count }, () => ({ NULL: true }));

test.each<[DestinationName, boolean[]]>([
  ['a FIFO queue', [true, false]],
  ['a function', [true, true, true]],
])('to %s every item of 400 KB is delivered, with its image or without', async (name, withImage) => {
  // As text they are 0.4, 2.4 and 2.7 MB.
  const large = [{ S: 'x'.repeat(409_000) }, { S: '\u0001'.repeat(409_000) }, { L: nulls(200_000) }];
  const records = withImage.map((_with, index) =>
    removal(index, String(index), { value: large[index] ?? { NULL: true } }),
  );
  expect((await publish(DESTINATIONS[name](), records, { oldImage: true })).failures).toBe(0);
  expect(loopback.taken.map(({ event }) => event.oldImage !== undefined)).toEqual(withImage);
  expect(loopback.taken.map(({ event }) => event.oldImageOmitted ?? false)).toEqual(
    withImage.map(there => !there),
  );
});

test.each<[DestinationName, unknown]>([
  ['an event bus', {}],
  ['an event bus', { FailedEntryCount: 0, Entries: [{}, {}] }],
  ['a standard queue', { Successful: [] }],
])('%s that answers %j has not said that it took anything', async (name, answer) => {
  loopback.react = () => ({ answer });
  expect((await publish(DESTINATIONS[name](), [removal(1, 'a'), removal(2, 'b')])).endedAt).toBe(1);
});

describe('by the environment of a function', () => {
  const env = { ...process.env };
  afterEach(() => {
    process.env = { ...env };
  });

  test.each<[ReceivedCall['service'], Omit<EventsSettings, 'eventsOldImage'>]>([
    ['EventBridge', { eventsBus: 'jobs' }],
    // The host of the URL is AWS's own: nothing may be sent there.
    ['SQS', { eventsQueueUrl: QUEUE }],
    ['Lambda', { eventsFunction: 'arn:aws:lambda:us-east-1:123456789012:function:worker' }],
  ])('events go to %s on this machine', async (service, settings) => {
    process.env = {
      ...env,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      [`AWS_ENDPOINT_URL_${service.toUpperCase()}`]: loopback.endpoint,
    };
    const destination = destinationOf({ ...settings, eventsOldImage: false });
    expect((await publish(destination, [removal(1, 'a')])).failures).toBe(0);
    expect(loopback.calls.map(call => call.service)).toEqual([service]);
  });
});

describe('what was removed before the events were turned on', () => {
  const at = (sequence: number, seconds: number): DynamoDbStreamRecord => {
    const record = removal(sequence, String(sequence));
    return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: TTL + seconds } };
  };

  test('is not sent, and what was removed in that second or later is', async () => {
    const records = [at(1, 1), at(2, 2), at(3, 1), at(4, 3)];
    const since = new Date((TTL + 2) * 1000 + 900).toISOString();
    expect((await publish(DESTINATIONS['a standard queue'](), records, { since })).failures).toBe(0);
    expect(takenIds()).toEqual(['event-2', 'event-4']);
  });

  test('is sent where the past is wanted', async () => {
    await publish(DESTINATIONS['a standard queue'](), [at(1, 1), at(2, 2)]);
    expect(takenIds()).toEqual(['event-1', 'event-2']);
  });

  test('holds nothing up that nobody can judge', async () => {
    const { OldImage, ...withoutImage } = at(1, 1).dynamodb;
    const records = [{ ...at(1, 1), dynamodb: withoutImage }, at(2, 2)];
    const since = new Date((TTL + 2) * 1000).toISOString();
    expect(OldImage).toBeDefined();
    expect(await publish(DESTINATIONS['a function'](), records, { since })).toMatchObject({ failures: 0 });
    expect(takenIds()).toEqual(['event-2']);
    const { endedAt } = await publish(DESTINATIONS['a function'](), records);
    expect(endedAt).toBe(1);
  });
});

test('an event bus gets its name, the source and the detail type', async () => {
  await publish(DESTINATIONS['an event bus'](), [removal(1, 'a')]);
  expect(loopback.taken[0]?.entry).toMatchObject({
    EventBusName: 'jobs',
    Source: 'precise-ttl',
    DetailType: 'DynamoDB Item Expired',
  });
});

test('a stream has the events of an item under one partition key, and gets again only what its shard refused', async () => {
  let isBusy = true;
  loopback.react = () => ({
    refuse: ({ event }) => {
      if (event.id !== 'event-2' || !isBusy) return undefined;
      isBusy = false;
      return { code: 'ProvisionedThroughputExceededException' };
    },
  });
  const records = [removal(1, 'a'), removal(2, 'b'), removal(3, 'c'), removal(4, 'a')];
  expect((await publish(DESTINATIONS['a stream'](), records)).failures).toBe(0);
  expect(loopback.calls.map(({ entries }) => entries.map(({ event }) => event.id))).toEqual([
    ['event-1', 'event-2', 'event-3'],
    ['event-2'],
    ['event-4'],
  ]);
  const keyOf = (id: string) =>
    loopback.taken.find(({ event }) => event.id === id)?.entry['PartitionKey'] ?? '';
  expect(keyOf('event-1')).toMatch(/^[0-9a-f]{64}$/);
  expect(keyOf('event-4')).toBe(keyOf('event-1'));
  expect(keyOf('event-2')).not.toBe(keyOf('event-1'));
});

test('a FIFO queue has a group for each key, and drops duplicates by the id', async () => {
  const records = [removal(1, 'a'), removal(2, 'b'), removal(3, 'a')];
  await publish(DESTINATIONS['a FIFO queue'](), records);
  const [one, other, again] = loopback.taken.map(({ entry }) => entry);
  expect(one?.['MessageGroupId']).toMatch(/^[0-9a-f]{64}$/);
  expect(again?.['MessageGroupId']).toBe(one?.['MessageGroupId']);
  expect(other?.['MessageGroupId']).not.toBe(one?.['MessageGroupId']);
  expect([one, other, again].map(entry => entry?.['MessageDeduplicationId'])).toEqual([
    'event-1',
    'event-2',
    'event-3',
  ]);
});

test('a standard queue gets neither', async () => {
  await publish(DESTINATIONS['a standard queue'](), [removal(1, 'a')]);
  expect(Object.keys(loopback.taken[0]?.entry ?? {}).sort()).toEqual(['Id', 'MessageBody']);
});

test('an image that a queue does not take is left out, and the event says so', async () => {
  // A queue that Terraform made with 256 KiB.
  loopback.react = () => ({
    refuse: ({ text }) =>
      text.length > 262_144
        ? { code: 'InvalidParameterValue', message: 'Message must be shorter than 262144 bytes' }
        : undefined,
  });
  const records = [removal(1, 'a', { large: { S: 'x'.repeat(300_000) } }), removal(2, 'b')];
  const { failures, logged } = await publish(DESTINATIONS['a standard queue'](), records, { oldImage: true });
  expect(failures).toBe(0);
  expect(loopback.taken.map(({ event }) => event.oldImageOmitted)).toEqual([true, undefined]);
  expect(logged).toEqual([['sent without its old image', { id: 'event-1' }]]);
});

test('events that are too large together go one by one, with their images', async () => {
  // A queue with a maximum message size of 64 KiB.
  loopback.react = ({ entries }) =>
    entries.reduce((sum, { text }) => sum + text.length, 0) > 65_536
      ? { status: 400, error: 'BatchRequestTooLong' }
      : 'take';
  const sizes = [30_000, 30_000, 70_000, 30_000];
  const records = sizes.map((size, index) =>
    removal(index, String(index), { large: { S: 'x'.repeat(size) } }),
  );
  const { failures } = await publish(DESTINATIONS['a standard queue'](), records, { oldImage: true });
  expect(failures).toBe(0);
  expect(takenIds()).toEqual(['event-0', 'event-1', 'event-2', 'event-3']);
  expect(loopback.taken.map(({ event }) => event.oldImageOmitted)).toEqual([
    undefined,
    undefined,
    true,
    undefined,
  ]);
});

test.each([
  [413, 'RequestEntityTooLargeException'],
  [400, 'ValidationException'],
])('an image that an event bus refuses with %d %s is left out', async (status, error) => {
  loopback.react = ({ entries }) =>
    entries.some(({ text }) => text.length > 262_144) ? { status, error } : 'take';
  const records = [removal(1, 'a'), removal(2, 'b', { large: { S: 'x'.repeat(300_000) } })];
  const { failures } = await publish(DESTINATIONS['an event bus'](), records, { oldImage: true });
  expect(failures).toBe(0);
  expect(loopback.taken.map(({ event }) => event.oldImageOmitted)).toEqual([undefined, true]);
});

describe('a function', () => {
  test.each<[string, Reaction]>([
    ['throws', { thrown: 'the worker broke' }],
    [
      'names an event that it did not get',
      { answer: { batchItemFailures: [{ itemIdentifier: 'event-9' }] } },
    ],
    ['names no event', { answer: { batchItemFailures: [{}] } }],
    ['answers no list', { answer: { batchItemFailures: 'event-1' } }],
  ])('that %s has handled nothing', async (_how, reaction) => {
    loopback.react = () => reaction;
    expect((await publish(DESTINATIONS['a function'](), [removal(1, 'a'), removal(2, 'b')])).endedAt).toBe(1);
  });

  test.each([[null], ['done'], [{}], [{ batchItemFailures: [] }], [{ batchItemFailures: null }]])(
    'that answers %j has handled all',
    async answer => {
      loopback.react = () => ({ answer });
      expect((await publish(DESTINATIONS['a function'](), [removal(1, 'a')])).failures).toBe(0);
      expect(loopback.calls).toHaveLength(1);
    },
  );

  test('gets at most 6 MB at once', async () => {
    const records = Array.from({ length: 20 }, (_unused, index) =>
      removal(index, String(index), { large: { S: 'x'.repeat(400_000) } }),
    );
    await publish(DESTINATIONS['a function'](), records, { oldImage: true });
    const bytes = loopback.calls.map(
      ({ entries }) => JSON.stringify(entries.map(({ event }) => event)).length,
    );
    expect(bytes).toHaveLength(2);
    expect(Math.max(...bytes)).toBeLessThan(6_000_000);
  });
});

test.each([
  ['full', 'the worker broke on a'],
  ['hash', undefined],
  ['none', undefined],
] as const)('with logKeys %s the log has the message %s', async (logKeys, message) => {
  loopback.react = () => ({ thrown: 'the worker broke on a' });
  const { logged } = await publish(DESTINATIONS['a function'](), [removal(1, 'a')], { logKeys });
  expect(JSON.stringify(logged).includes('broke on a')).toBe(message !== undefined);
  expect(JSON.stringify(logged)).toContain('ConsumerFailedError');
});

test('an item that native TTL deleted by another attribute has no time of expiry', async () => {
  const record = removal(1, 'a', { ttl: { S: 'none' } });
  const userIdentity = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
  await publish(DESTINATIONS['an event bus'](), [{ ...record, userIdentity }]);
  expect(loopback.taken[0]?.event.expiredAt).toBeNull();
});

test('what nobody can judge ends the batch, after what is before it was delivered', async () => {
  const { OldImage: _none, ...dynamodb } = removal(2, 'b').dynamodb;
  const records = [removal(1, 'a'), { ...removal(2, 'b'), dynamodb }, removal(3, 'c')];
  const { endedAt, logged } = await publish(DESTINATIONS['an event bus'](), records);
  expect(endedAt).toBe(2);
  expect(takenIds()).toEqual(['event-1']);
  expect(JSON.stringify(logged)).toContain('NEW_AND_OLD_IMAGES');
});
