/** @jest-environment ./test/support/dynamodb-environment.ts */
import { using, write } from './sessions.ts';

test.each([
  ['a queue', { queueArn: 'arn:aws:sqs:eu-central-1:999999999999:expiries' }],
  ['a stream of another account', { streamArn: 'arn:aws:kinesis:eu-central-1:999999999999:stream/expiries' }],
  ['a bus of another account', { eventBus: 'arn:aws:events:eu-central-1:999999999999:event-bus/orders' }],
  [
    'a function that nobody runs',
    { functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:on-expiry' },
  ],
])('events that go to %s are seen', (_what, events) =>
  using({ events }, async local => {
    await write(local, 'first', 200);
    await local.advance('4m');
    expect(await local.events()).toMatchObject([{ key: { id: { S: 'first' } } }]);
  }),
);

test('without events and an archive there are none', () =>
  using({}, async local => {
    await write(local, 'first', 200);
    await local.advance('4m');
    expect([await local.events(), await local.archive()]).toEqual([[], []]);
  }));
