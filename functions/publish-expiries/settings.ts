import { boolean, type Kind, text } from '../../expiry/fields.ts';
import { InvalidEnvironmentError } from '../runtime/errors.ts';
import { type Environment, readVariables } from '../runtime/variables.ts';

/** Source: EventBridge API reference, PutEventsRequestEntry. */
const EVENT_BUS = text(
  /^(arn:[a-z0-9-]+:events:[a-z0-9-]+:\d{12}:event-bus\/)?[A-Za-z0-9_./-]{1,256}$/,
  "the name or the ARN of an event bus, e.g. 'default'",
);

const FUNCTION_ARN = text(
  /^arn:[a-z0-9-]+:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]{1,128})?$/,
  "the ARN of a function, e.g. 'arn:aws:lambda:eu-central-1:123456789012:function:on-expiry'",
);

/** The environment variables of PublishExpiries: EVENTS_BUS and so on; one of the first three. */
export const EVENTS_KINDS = {
  eventsBus: EVENT_BUS,
  eventsQueueUrl: text(/^https?:\/\/\S+$/, 'the URL of a queue'),
  eventsFunction: FUNCTION_ARN,
  eventsOldImage: boolean(),
} satisfies Readonly<Record<string, Kind<unknown>>>;

const TARGETS = ['eventsBus', 'eventsQueueUrl', 'eventsFunction'] as const;

/** Where events go, and what is in them. One of the first three is there. */
export interface EventsSettings {
  /** Name or ARN. */
  readonly eventsBus?: string;
  readonly eventsQueueUrl?: string;
  /** ARN. */
  readonly eventsFunction?: string;
  /** Whether events have the item as it was. */
  readonly eventsOldImage: boolean;
}

/** @throws InvalidEnvironmentError */
export function readEventsSettings(env: Environment): EventsSettings {
  const settings = readVariables(EVENTS_KINDS, env, TARGETS) as EventsSettings;
  const given = TARGETS.filter(target => settings[target] !== undefined);
  if (given.length === 1) return settings;
  throw new InvalidEnvironmentError({
    field: 'EVENTS_BUS, EVENTS_QUEUE_URL, EVENTS_FUNCTION',
    expected: 'exactly one of them',
    got: given,
    remedy: 'Deploy the function again.',
  });
}
