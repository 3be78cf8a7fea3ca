import { boolean, text } from '../../expiry/fields.ts';
import { InvalidEnvironmentError } from '../runtime/errors.ts';
import { type Environment, readVariables, toVariables } from '../runtime/variables.ts';

/** The prop `events`. `stacks/props.ts` takes the kinds from here. */
export const EVENT_KINDS = {
  /** Source: EventBridge API reference, PutEventsRequestEntry. */
  eventBus: text(
    /^(arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[A-Za-z0-9/._-]{1,256}$/,
    'the name or the ARN of an event bus',
  ),
  queueArn: text(
    /^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}(\.fifo)?$/,
    "the ARN of an SQS queue, e.g. 'arn:aws:sqs:eu-central-1:123456789012:expired.fifo'",
  ),
  functionArn: text(
    /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9$_-]{1,128})?$/,
    "the ARN of a function, of its version or its alias, e.g. 'arn:aws:lambda:eu-central-1:123456789012:function:worker:live'",
  ),
  oldImage: boolean(),
  includePast: boolean(),
};

/** Where events go: exactly one of these. */
export const DESTINATIONS = ['eventBus', 'queueArn', 'functionArn'] as const;

/** The environment variables of the function: EVENTS_BUS and so on. */
const VARIABLE_KINDS = {
  eventsBus: EVENT_KINDS.eventBus,
  eventsQueueUrl: text(/^https?:\/\/[\x21-\x7e]+$/, 'the URL of an SQS queue'),
  eventsFunction: EVENT_KINDS.functionArn,
  eventsOldImage: EVENT_KINDS.oldImage,
  eventsSince: text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, 'a time such as 2026-11-22T09:00:00Z'),
};

const PLACES = ['eventsBus', 'eventsQueueUrl', 'eventsFunction'] as const;
const OPTIONAL = [...PLACES, 'eventsSince'] as const;

/** Where events go and what is in them. One of the first three is there. */
export interface EventsSettings {
  /** Name or ARN. */
  readonly eventsBus?: string;
  readonly eventsQueueUrl?: string;
  /** ARN. */
  readonly eventsFunction?: string;
  /** Whether events have the item as it was. */
  readonly eventsOldImage: boolean;
  /** ISO; of what was removed before, nothing is sent. @default everything that the stream has is sent */
  readonly eventsSince?: string;
}

/** The environment that {@link readEventsSettings} reads. */
export function toEventsEnvironment(
  settings: EventsSettings,
  write: (value: string) => string,
): Record<string, string> {
  return toVariables(VARIABLE_KINDS, settings, write);
}

/** @throws InvalidEnvironmentError */
export function readEventsSettings(env: Environment): EventsSettings {
  const settings = readVariables(VARIABLE_KINDS, env, OPTIONAL) as EventsSettings;
  const given = PLACES.filter(place => settings[place] !== undefined);
  if (given.length !== 1) {
    throw new InvalidEnvironmentError({
      field: 'EVENTS_BUS, EVENTS_QUEUE_URL, EVENTS_FUNCTION',
      expected: 'exactly one of them',
      got: given,
      remedy: 'Deploy the function again.',
    });
  }
  return settings;
}
