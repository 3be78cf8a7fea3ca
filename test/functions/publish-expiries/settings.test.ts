import type { DestinationName } from '../../../functions/publish-expiries/destinations.ts';
import {
  EVENT_KINDS,
  type EventsSettings,
  readEventsSettings,
  toEventsEnvironment,
} from '../../../functions/publish-expiries/settings.ts';
import { InvalidEnvironmentError } from '../../../functions/runtime/errors.ts';

const FUNCTION = 'arn:aws:lambda:eu-central-1:123456789012:function:worker:live';
const STREAM = 'arn:aws:kinesis:eu-central-1:123456789012:stream/expired.v2';

/** Settings of each destination, and the environment that has them. */
const WRITTEN: Readonly<Record<DestinationName, [EventsSettings, Record<string, string>]>> = {
  eventBus: [
    { eventsBus: 'default', eventsOldImage: false },
    { EVENTS_BUS: 'default', EVENTS_OLD_IMAGE: 'false' },
  ],
  queueArn: [
    { eventsQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/jobs.fifo', eventsOldImage: true },
    {
      EVENTS_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/jobs.fifo',
      EVENTS_OLD_IMAGE: 'true',
    },
  ],
  functionArn: [
    { eventsFunction: FUNCTION, eventsOldImage: false },
    { EVENTS_FUNCTION: FUNCTION, EVENTS_OLD_IMAGE: 'false' },
  ],
  streamArn: [
    { eventsStream: STREAM, eventsOldImage: false },
    { EVENTS_STREAM: STREAM, EVENTS_OLD_IMAGE: 'false' },
  ],
};

test.each(Object.values(WRITTEN))('reads what it writes: %j', (settings, env) => {
  expect(toEventsEnvironment(settings, value => value)).toEqual(env);
  expect(readEventsSettings(env)).toEqual(settings);
});

test.each([
  ['no destination', {}],
  ['two of them', { EVENTS_BUS: 'default', EVENTS_FUNCTION: FUNCTION }],
  ['no answer about the image', { EVENTS_BUS: 'default', EVENTS_OLD_IMAGE: undefined }],
  ['a bus with a space', { EVENTS_BUS: 'my bus' }],
  ['the ARN of something else', { EVENTS_BUS: FUNCTION }],
  ['an ARN for a URL', { EVENTS_QUEUE_URL: 'arn:aws:sqs:eu-central-1:123456789012:jobs' }],
])('fails with %s', (_name, env) => {
  expect(() => readEventsSettings({ EVENTS_OLD_IMAGE: 'false', ...env })).toThrow(InvalidEnvironmentError);
});

test.each<[keyof typeof EVENT_KINDS, unknown, boolean]>([
  ['eventBus', 'arn:aws-us-gov:events:us-gov-west-1:123456789012:event-bus/jobs', true],
  ['eventBus', 'aws.partner/example.com/jobs', true],
  ['eventBus', '', false],
  ['queueArn', 'arn:aws:sqs:eu-central-1:123456789012:jobs.fifo', true],
  ['queueArn', 'arn:aws-cn:sqs:cn-north-1:123456789012:jobs', true],
  ['queueArn', 'https://sqs.eu-central-1.amazonaws.com/123456789012/jobs', false],
  ['queueArn', 'arn:aws:sqs:eu-central-1:123456789012:jobs.lifo', false],
  ['functionArn', FUNCTION, true],
  ['functionArn', 'arn:aws:lambda:eu-central-1:123456789012:function:worker:$LATEST', true],
  ['functionArn', 'worker', false],
  ['streamArn', STREAM, true],
  ['streamArn', 'expired', false],
  ['streamArn', `${STREAM}/consumer/c:1`, false],
])('%s %j', (field, value, isOne) => {
  expect(EVENT_KINDS[field].is(value)).toBe(isOne);
});
