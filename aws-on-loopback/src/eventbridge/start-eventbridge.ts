import { randomUUID } from 'node:crypto';
import { type Clock, realClock } from 'stepfunctions-emulator';
import { ApiError } from 'stepfunctions-emulator/loopback';
import { type ApiInput, parseObject, VALIDATION_ERRORS } from '../api-input.ts';
import { answerEach, batchAnswer, type FailEntry } from '../call-fault.ts';
import { requireNames } from '../errors.ts';
import {
  type JsonService,
  jsonProtocol,
  type LocalService,
  type ServiceOptions,
  startServer,
} from '../service.ts';
import { LOCAL_ACCOUNT } from '../service-variables.ts';

/** An event that was sent to a bus. */
export interface LocalEvent {
  /** The name of its bus. */
  readonly bus: string;
  readonly id: string;
  readonly source: string;
  readonly detailType: string;
  /** The JSON text as it was sent, so that numbers keep all their digits. */
  readonly detail: string;
  readonly resources: readonly string[];
  /** Time of the event, epoch milliseconds. */
  readonly time: number;
}

/** The data that the operations work on. */
interface EventBridgeContext {
  /** Names of the existing buses. */
  readonly buses: readonly string[];
  /** @default the wall clock */
  readonly clock?: Pick<Clock, 'now'>;
  /** Injects faults, for tests and the lab. @default no faults */
  readonly failEntry?: FailEntry | undefined;
  /** Called for every accepted event. */
  readonly onEvent?: ((event: LocalEvent) => void) | undefined;
}

/** `buses` are the buses besides `default`: a deployment creates them. */
export type EventBridgeOptions = Partial<EventBridgeContext> & ServiceOptions;

/** Source: API reference, CreateEventBus. */
const NAMES = { pattern: /^[A-Za-z0-9/._-]{1,256}$/, expected: '1 to 256 letters, digits and / . _ -' };

/** Source: API reference, PutEvents. */
const MAX_ENTRIES = 10;
/** Size of all entries together. Source: AWS Compute Blog, "More room to build: serverless services now support payloads up to 1 MB". */
const MAX_BYTES = 1_048_576;
/** Size that an event's time counts as. Source: EventBridge User Guide, "Calculating PutEvents event entry size". */
const TIME_BYTES = 14;

/** EventBridge in AWS JSON: PutEvents. No rules are evaluated; the subscriber gets all events. */
export const EVENT_BRIDGE = {
  target: 'AWSEvents',
  errors: VALIDATION_ERRORS,
  // The entries can have one mebibyte, and JSON can need six bytes for each of them.
  maxBytes: 8_388_608,
  operations: {
    PutEvents: {
      fields: ['Entries'],
      answer({ buses, clock = realClock, failEntry, onEvent }, input) {
        const entries = input
          .objects('Entries', ['Source', 'DetailType', 'Detail', 'EventBusName', 'Resources', 'Time'])
          .map(readEntry);
        if (entries.length === 0 || entries.length > MAX_ENTRIES) {
          throw input.invalid('Entries', `1 to ${MAX_ENTRIES} entries`, entries.length);
        }
        const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
        if (bytes > MAX_BYTES) {
          throw new ApiError(
            'ValidationException',
            `Total size of the entries in the request is over the limit: ${bytes} bytes of at most ${MAX_BYTES}`,
          );
        }
        const outcomes = answerEach(entries, failEntry, entry => {
          const id = randomUUID();
          const event = { time: clock.now(), ...checked(entry, buses), id };
          onEvent?.(event);
          return { EventId: id };
        });
        return batchAnswer('Entries', 'FailedEntryCount', outcomes);
      },
    },
  },
} satisfies JsonService<EventBridgeContext>;

/**
 * Starts an EventBridge for this machine.
 *
 * @throws {LoopbackError} for a bus with a name that EventBridge refuses; rejects with the system's error when the port
 *   is taken
 */
export async function startEventBridge(options: EventBridgeOptions = {}): Promise<LocalService> {
  const { buses = [] } = options;
  requireNames('buses', buses, NAMES);
  return startServer(jsonProtocol(EVENT_BRIDGE, { ...options, buses: ['default', ...buses] }), options);
}

interface Entry {
  readonly source: string;
  readonly detailType: string;
  readonly detail: string;
  /** Name of the bus. */
  readonly bus: string;
  readonly resources: readonly string[];
  /** Epoch milliseconds. */
  readonly time: number | undefined;
}

function readEntry(input: ApiInput): Entry {
  return {
    source: input.text('Source') ?? '',
    detailType: input.text('DetailType') ?? '',
    detail: input.text('Detail') ?? '',
    bus: nameOfBus(input.text('EventBusName') ?? 'default'),
    resources: input.texts('Resources') ?? [],
    time: input.time('Time'),
  };
}

/**
 * Reads the name of a bus from `arn:aws:events:us-east-1:123456789012:event-bus/orders`, or from a name. An ARN of another account is not
 * accepted.
 */
function nameOfBus(given: string): string {
  const [, account, name] = /^arn:aws[a-z-]*:events:[a-z0-9-]+:(\d{12}):event-bus\/(.+)$/.exec(given) ?? [];
  return account === LOCAL_ACCOUNT && name !== undefined ? name : given;
}

function bytesOf({ source, detailType, detail, resources, time }: Entry): number {
  return [source, detailType, detail, ...resources].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    time === undefined ? 0 : TIME_BYTES,
  );
}

/**
 * Checks an entry and returns it as an event.
 * @throws {ApiError} for one that fails alone. Source: API reference, PutEventsResultEntry
 */
function checked({ source, detailType, detail, bus, resources, time }: Entry, buses: readonly string[]) {
  for (const [name, value] of Object.entries({ Source: source, DetailType: detailType, Detail: detail })) {
    if (!value) {
      throw new ApiError(
        'InvalidArgument',
        `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      );
    }
  }
  if (parseObject(detail) === undefined) throw new ApiError('MalformedDetail', 'Detail is malformed.');
  if (source.startsWith('aws.')) {
    throw new ApiError('NotAuthorizedForSourceException', 'Not authorized for the source.');
  }
  if (!buses.includes(bus)) {
    throw new ApiError(
      'InvalidArgument',
      `EventBusName: expected one of ${buses.join(', ')}, or its ARN, got ${JSON.stringify(bus)}`,
    );
  }
  return { source, detailType, detail, bus, resources, ...(time !== undefined && { time }) };
}
