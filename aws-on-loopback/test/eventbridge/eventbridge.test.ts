import {
  type EventBridgeClient,
  ListRulesCommand,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import type { ChooseCallFault } from '../../src/call-fault.ts';
import { type LocalEvent, startEventBridge } from '../../src/eventbridge/start-eventbridge.ts';
import type { LocalService } from '../../src/service.ts';
import { eventBridgeClient } from '../support/endpoint-clients.ts';

const NOW = Date.parse('2026-11-22T09:00:00Z');
const ARN = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';

let events: LocalEvent[];
let fault: ChooseCallFault | undefined;
let server: LocalService;
let client: EventBridgeClient;
beforeAll(async () => {
  server = await startEventBridge({
    buses: ['orders'],
    clock: { now: () => NOW },
    onEvent: event => events.push(event),
    choose: call => fault?.(call),
  });
  client = eventBridgeClient(server.endpoint);
});
afterAll(async () => {
  client?.destroy();
  await server?.stop();
});
beforeEach(() => {
  events = [];
  fault = undefined;
});

const entry = (more: PutEventsRequestEntry = {}): PutEventsRequestEntry => ({
  Source: 'precise-ttl',
  DetailType: 'DynamoDB Item Expired',
  Detail: '{"key":{"id":"a"},"n":12345678901234567890123}',
  ...more,
});
const put = (...Entries: PutEventsRequestEntry[]) => client.send(new PutEventsCommand({ Entries }));

test('an event is told of as it was sent, with the id that the answer names', async () => {
  const time = new Date('2026-11-22T08:00:00Z');
  const answer = await put(
    entry(),
    entry({
      EventBusName: 'orders',
      Time: time,
      Resources: ['arn:aws:dynamodb:us-east-1:123456789012:table/T'],
    }),
    entry({ EventBusName: ARN }),
    entry({ EventBusName: 'default' }),
  );
  expect(answer.FailedEntryCount).toBe(0);
  const common = { source: 'precise-ttl', detailType: 'DynamoDB Item Expired', detail: entry().Detail };
  const ids = answer.Entries?.map(({ EventId }) => EventId);
  expect(new Set(ids).size).toBe(4);
  expect(events).toEqual([
    { ...common, id: ids?.[0], bus: 'default', time: NOW, resources: [] },
    {
      ...common,
      id: ids?.[1],
      bus: 'orders',
      time: time.getTime(),
      resources: ['arn:aws:dynamodb:us-east-1:123456789012:table/T'],
    },
    { ...common, id: ids?.[2], bus: 'orders', time: NOW, resources: [] },
    { ...common, id: ids?.[3], bus: 'default', time: NOW, resources: [] },
  ]);
});

test.each<[string, string, PutEventsRequestEntry]>([
  ['InvalidArgument', 'Source is a required argument', { Source: undefined }],
  ['InvalidArgument', 'Source is a required argument', { Source: '' }],
  ['InvalidArgument', 'DetailType is a required argument', { DetailType: undefined }],
  ['InvalidArgument', 'Detail is a required argument', { Detail: undefined }],
  ['MalformedDetail', 'Detail is malformed', { Detail: '{' }],
  ['MalformedDetail', 'Detail is malformed', { Detail: '[]' }],
  ['MalformedDetail', 'Detail is malformed', { Detail: 'null' }],
  ['NotAuthorizedForSourceException', 'Not authorized for the source', { Source: 'aws.dynamodb' }],
  ['InvalidArgument', 'expected one of default, orders, or its ARN, got "none"', { EventBusName: 'none' }],
  [
    'InvalidArgument',
    'expected one of default',
    { EventBusName: ARN.replace('123456789012', '999999999999') },
  ],
])('an entry fails with %s (%s), the others do not', async (ErrorCode, message, wrong) => {
  const answer = await put(entry(), entry(wrong), entry());
  expect(answer).toMatchObject({
    FailedEntryCount: 1,
    Entries: [
      { EventId: events[0]?.id },
      { ErrorCode, ErrorMessage: expect.stringContaining(message) },
      { EventId: events[1]?.id },
    ],
  });
  expect(answer.Entries?.[1]).not.toHaveProperty('EventId');
  expect(events).toHaveLength(2);
});

/** An entry that counts so many bytes. */
const sized = (bytes: number): PutEventsRequestEntry => {
  const frame = { Source: 's', DetailType: 'd' };
  return { ...frame, Detail: `{"a":"${'x'.repeat(bytes - 2 - '{"a":""}'.length)}"}` };
};

test('takes a mebibyte together and no more', async () => {
  expect((await put(sized(524_288), sized(524_288))).FailedEntryCount).toBe(0);
  expect(events).toHaveLength(2);
  const tooMuch = [
    [sized(524_288), sized(524_289)],
    [sized(524_288), { ...sized(524_288 - 13), Time: new Date(NOW) }],
    [sized(524_288), { ...sized(524_288 - 2), Resources: ['é', 'a'] }],
  ];
  for (const entries of tooMuch) {
    await expect(put(...entries)).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining('Total size of the entries in the request is over the limit: 1048577'),
    });
  }
  expect(events).toHaveLength(2);
});

test('takes ten entries and no more, and at least one', async () => {
  const entries = (length: number) => Array.from({ length }, () => entry());
  expect((await put(...entries(10))).Entries).toHaveLength(10);
  for (const length of [0, 11]) {
    await expect(put(...entries(length))).rejects.toMatchObject({ name: 'ValidationException' });
  }
  expect(events).toHaveLength(10);
});

test('refuses what it does not have, by its name', async () => {
  await expect(put(entry({ TraceHeader: 'x' }))).rejects.toThrow(
    /^Entries\[0\]\.TraceHeader: expected one of/,
  );
  await expect(client.send(new ListRulesCommand())).rejects.toMatchObject({
    name: 'UnknownOperationException',
    message: expect.stringContaining(
      'one of PutEvents, in AWS JSON as an AWS SDK or the AWS CLI sends it, got "AWSEvents.ListRules"',
    ),
  });
  await expect(startEventBridge({ buses: ['a b'] })).rejects.toThrow(/^buses: expected different names/);
  expect(events).toEqual([]);
});

test('does to a call what it is told', async () => {
  fault = ({ operation }) => ({ kind: 'refuse', error: `Told${operation}`, status: 500 });
  await expect(put(entry())).rejects.toMatchObject({
    name: 'ToldPutEvents',
    $metadata: { httpStatusCode: 500 },
  });
  expect(events).toEqual([]);
  fault = () => ({ kind: 'cut', done: true });
  await expect(put(entry())).rejects.toThrow();
  expect(events).toHaveLength(1);
});
