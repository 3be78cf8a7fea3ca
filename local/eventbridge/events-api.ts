import { randomUUID } from 'node:crypto';
import type { Clock } from 'stepfunctions-emulator';
import { ApiInput, validationErrors } from '../api-input.ts';
import type { JsonApi } from '../aws-json.ts';
import type { FailEntry } from '../call-fault.ts';
import { ApiRequestError } from '../http-server.ts';
import { LOCAL_ACCOUNT } from '../stack/synthesized.ts';

/** An event that came to a bus. */
export interface LocalEvent {
  /** The name of its bus. */
  readonly bus: string;
  readonly id: string;
  readonly source: string;
  readonly detailType: string;
  /** The JSON text as it was sent: no number in it has lost a digit. */
  readonly detail: string;
  readonly resources: readonly string[];
  /** When it happened, epoch milliseconds. */
  readonly time: number;
}

export interface EventsApiOptions {
  readonly buses: readonly string[];
  readonly clock: Pick<Clock, 'now'>;
  /** @default no faults */
  readonly failEntry?: FailEntry | undefined;
  readonly onEvent?: ((event: LocalEvent) => void) | undefined;
}

/** Source: API reference, PutEvents. */
const MOST_ENTRIES = 10;
/** Of the entries together. Source: AWS Compute Blog, "More room to build: serverless services now support payloads up to 1 MB". */
const MOST_BYTES = 1_048_576;
/** What a time counts. Source: EventBridge User Guide, "Calculating PutEvents event entry size". */
const TIME_BYTES = 14;

const ENTRY = ['Source', 'DetailType', 'Detail', 'EventBusName', 'Resources', 'Time'];

const ERRORS = validationErrors('EventBridge');

/** EventBridge's API: PutEvents. No rule is evaluated; who wants the events gets them all. */
export function eventsApi({ buses, clock, failEntry, onEvent }: EventsApiOptions): JsonApi {
  return {
    target: 'AWSEvents',
    operations: {
      PutEvents(fields) {
        const given = new ApiInput(fields, ERRORS, ['Entries']).objects('Entries');
        if (given.length === 0 || given.length > MOST_ENTRIES) {
          throw ERRORS.invalid('Entries', `1 to ${MOST_ENTRIES} entries`, given.length);
        }
        const entries = given.map((entry, index) =>
          readEntry(new ApiInput(entry, ERRORS, ENTRY, `Entries[${index}].`)),
        );
        const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
        if (bytes > MOST_BYTES) {
          throw new ApiRequestError(
            'ValidationException',
            `Total size of the entries in the request is over the limit: ${bytes} bytes of at most ${MOST_BYTES}`,
          );
        }
        const answers = entries.map(entry => {
          const refusal = refusalOf(entry, buses);
          if (refusal !== undefined) return { ErrorCode: refusal.code, ErrorMessage: refusal.message };
          const injected = failEntry?.();
          if (injected !== undefined) return { ErrorCode: injected, ErrorMessage: 'injected' };
          const id = randomUUID();
          onEvent?.(asEvent(entry, id, clock.now()));
          return { EventId: id };
        });
        return {
          FailedEntryCount: answers.filter(answer => 'ErrorCode' in answer).length,
          Entries: answers,
        };
      },
    },
  };
}

interface Entry {
  readonly source: string | undefined;
  readonly detailType: string | undefined;
  readonly detail: string | undefined;
  /** By its name. */
  readonly bus: string;
  readonly resources: readonly string[];
  /** Epoch seconds. */
  readonly time: number | undefined;
}

function readEntry(input: ApiInput): Entry {
  return {
    source: input.text('Source'),
    detailType: input.text('DetailType'),
    detail: input.text('Detail'),
    bus: nameOfBus(input.text('EventBusName') ?? 'default'),
    resources: input.texts('Resources') ?? [],
    time: input.number('Time'),
  };
}

/** `arn:aws:events:us-east-1:123456789012:event-bus/orders`, or a name. An ARN of another account is no name. */
function nameOfBus(given: string): string {
  const [, account, name] = /^arn:aws[a-z-]*:events:[a-z0-9-]+:(\d{12}):event-bus\/(.+)$/.exec(given) ?? [];
  return account === LOCAL_ACCOUNT && name !== undefined ? name : given;
}

function bytesOf({ source = '', detailType = '', detail = '', resources, time }: Entry): number {
  return [source, detailType, detail, ...resources].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    time === undefined ? 0 : TIME_BYTES,
  );
}

interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Why this entry alone fails. Source: API reference, PutEventsResultEntry. */
function refusalOf(
  { source, detailType, detail, bus }: Entry,
  buses: readonly string[],
): Refusal | undefined {
  for (const [name, value] of Object.entries({ Source: source, DetailType: detailType, Detail: detail })) {
    if (!value) {
      return {
        code: 'InvalidArgument',
        message: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      };
    }
  }
  if (!isObject(detail)) return { code: 'MalformedDetail', message: 'Detail is malformed.' };
  if (source?.startsWith('aws.')) {
    return {
      code: 'NotAuthorizedForSourceException',
      message: 'Not authorized for the source.',
    };
  }
  if (!buses.includes(bus)) {
    return {
      code: 'InvalidArgument',
      message: `EventBusName: expected one of ${buses.join(', ')}, or its ARN, got ${JSON.stringify(bus)}`,
    };
  }
  return undefined;
}

function isObject(detail: string | undefined): boolean {
  try {
    const value: unknown = JSON.parse(detail ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function asEvent(
  { source, detailType, detail, bus, resources, time }: Entry,
  id: string,
  now: number,
): LocalEvent {
  return {
    bus,
    id,
    source: source ?? '',
    detailType: detailType ?? '',
    detail: detail ?? '',
    resources,
    time: time === undefined ? now : time * 1000,
  };
}
