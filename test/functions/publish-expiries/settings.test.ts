import {
  EVENTS_KINDS,
  type EventsSettings,
  readEventsSettings,
} from '../../../functions/publish-expiries/settings.ts';
import { InvalidEnvironmentError } from '../../../functions/runtime/errors.ts';

const FUNCTION = 'arn:aws:lambda:eu-central-1:123456789012:function:worker:live';
const QUEUE = 'https://sqs.eu-central-1.amazonaws.com/123456789012/jobs.fifo';

test.each<[Record<string, string>, EventsSettings]>([
  [
    { EVENTS_BUS: 'default', EVENTS_OLD_IMAGE: 'false' },
    { eventsBus: 'default', eventsOldImage: false },
  ],
  [
    { EVENTS_QUEUE_URL: QUEUE, EVENTS_OLD_IMAGE: 'true' },
    { eventsQueueUrl: QUEUE, eventsOldImage: true },
  ],
  [
    { EVENTS_FUNCTION: FUNCTION, EVENTS_OLD_IMAGE: 'false', EVENTS_BUS: '' },
    { eventsFunction: FUNCTION, eventsOldImage: false },
  ],
])('reads %j', (env, settings) => {
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

test.each<[keyof typeof EVENTS_KINDS, unknown, boolean]>([
  ['eventsBus', 'arn:aws-us-gov:events:us-gov-west-1:123456789012:event-bus/jobs', true],
  ['eventsBus', 'aws.partner/example.com/jobs', true],
  ['eventsBus', '', false],
  ['eventsFunction', FUNCTION, true],
  ['eventsFunction', 'arn:aws:lambda:eu-central-1:123456789012:function:worker:$LATEST', true],
  ['eventsFunction', 'worker', false],
])('%s %j', (field, value, isOne) => {
  expect(EVENTS_KINDS[field].is(value)).toBe(isOne);
});
