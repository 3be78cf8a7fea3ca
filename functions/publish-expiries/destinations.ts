import { type Kind, text } from '../../expiry/fields.ts';

interface DestinationRow {
  readonly kind: string;
  /** The service and its kind of resource, for example before a resource's name in a message. */
  readonly noun: string;
  /** The value of the field of the prop `events`. */
  readonly prop: Kind<string>;
  /** The function's setting with the resource's name; EVENTS_BUS is the variable of `eventsBus`. */
  readonly setting: string;
  readonly settingKind: Kind<string>;
}

/** Source: EventBridge API reference, PutEventsRequestEntry. */
const EVENT_BUS = text(
  /^(arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[A-Za-z0-9/._-]{1,256}$/,
  'the name or the ARN of an event bus',
);

const FUNCTION_ARN = text(
  /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9$_-]{1,128})?$/,
  "the ARN of a function, of its version or its alias, e.g. 'arn:aws:lambda:eu-central-1:123456789012:function:worker:live'",
);

/** Source: Kinesis Data Streams API reference, PutRecords. */
const STREAM_ARN = text(
  /^arn:aws[a-z-]*:kinesis:[a-z0-9-]+:\d{12}:stream\/[A-Za-z0-9_.-]{1,128}$/,
  "the ARN of a Kinesis data stream, e.g. 'arn:aws:kinesis:eu-central-1:123456789012:stream/expired'",
);

/**
 * The kinds of destinations, by the field of the prop `events`. When a row is added, the compiler names the code that must handle it, also
 * in tests and diagrams. Tests name the documents that must mention it: generated ones, and prose that lists the others.
 */
export const DESTINATIONS = {
  /** Name or ARN of an event bus; a reference resolves to its ARN. */
  eventBus: {
    kind: 'bus',
    noun: 'EventBridge bus',
    prop: EVENT_BUS,
    setting: 'eventsBus',
    settingKind: EVENT_BUS,
  },
  queueArn: {
    kind: 'queue',
    noun: 'SQS queue',
    prop: text(
      /^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}(\.fifo)?$/,
      "the ARN of an SQS queue, e.g. 'arn:aws:sqs:eu-central-1:123456789012:expired.fifo'",
    ),
    setting: 'eventsQueueUrl',
    settingKind: text(/^https?:\/\/[\x21-\x7e]+$/, 'the URL of an SQS queue'),
  },
  functionArn: {
    kind: 'function',
    noun: 'function',
    prop: FUNCTION_ARN,
    setting: 'eventsFunction',
    settingKind: FUNCTION_ARN,
  },
  streamArn: {
    kind: 'stream',
    noun: 'Kinesis stream',
    prop: STREAM_ARN,
    setting: 'eventsStream',
    settingKind: STREAM_ARN,
  },
} as const satisfies Readonly<Record<string, DestinationRow>>;

export type DestinationName = keyof typeof DESTINATIONS;

export const DESTINATION_NAMES = Object.keys(DESTINATIONS) as readonly DestinationName[];

/** A destination's kind as one word. */
export type DestinationKind = (typeof DESTINATIONS)[DestinationName]['kind'];

/** The function's setting that names the destination. */
export type DestinationSetting = (typeof DESTINATIONS)[DestinationName]['setting'];

/** The field that is set of those that name a destination: exactly one in a valid prop; undefined if none is. */
export function destinationIn(
  events: Readonly<Partial<Record<DestinationName, unknown>>>,
): DestinationName | undefined {
  return DESTINATION_NAMES.find(name => events[name] !== undefined);
}

/** Makes a value for each kind of destination. */
export function byDestination<Value>(
  make: (name: DestinationName) => Value,
): Readonly<Record<DestinationName, Value>> {
  const entries = DESTINATION_NAMES.map(name => [name, make(name)]);
  return Object.fromEntries(entries) as Record<DestinationName, Value>;
}
