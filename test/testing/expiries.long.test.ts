/** @jest-environment ./test/support/dynamodb-environment.ts */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes, expiryModel } from '../../expiry/index.ts';
import { type LocalPreciseTtl, type PreciseTtlProps, withPreciseTtl } from '../../testing/index.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';

const START = '2026-11-20T09:00:05Z';
const model = expiryModel({ partitionKey: 'id' });

async function write({ documents, clock }: LocalPreciseTtl, id: string, ttlSeconds: number) {
  const item = { id, note: `of ${id}` };
  const Item = { ...item, ...expiryAttributes(model, item, { ttlSeconds, nowMs: clock.now() }) };
  await documents.send(new PutCommand({ TableName: 'Sessions', Item }));
}

const using = (table: Partial<PreciseTtlProps>, use: (local: LocalPreciseTtl) => Promise<void>) =>
  withPreciseTtl({ tables: [{ tableName: 'Sessions', partitionKey: 'id', ...table }] }, use, {
    dynamoDbEndpoint: dynamoDbOfFile().endpoint,
    startTime: START,
  });

test.each([
  ['a queue', { queueArn: 'arn:aws:sqs:eu-central-1:999999999999:expiries' }],
  ['a bus of another account', { eventBus: 'arn:aws:events:eu-central-1:999999999999:event-bus/orders' }],
  [
    'a function that nobody runs',
    { functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:on-expiry' },
  ],
])(
  'events that go to %s are seen',
  (_what, events) =>
    using({ events }, async local => {
      await write(local, 'first', 200);
      await local.advance('4m');
      expect(await local.events()).toMatchObject([{ key: { id: { S: 'first' } } }]);
    }),
  60_000,
);

test(
  'without events and an archive there are none',
  () =>
    using({}, async local => {
      await write(local, 'first', 200);
      await local.advance('4m');
      expect([await local.events(), await local.archive()]).toEqual([[], []]);
    }),
  60_000,
);
