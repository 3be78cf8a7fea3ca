import { EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import {
  CLIENT_OPTIONS,
  type Connection,
  type Destination,
  isForTheEvent,
  QUICK_REQUESTS,
  type Why,
} from './destination.ts';

/** The source of all events; a rule finds them by source and detail type. */
export const EVENT_SOURCE = 'precise-ttl';
export const EVENT_DETAIL_TYPE = 'DynamoDB Item Expired';

/**
 * A call takes 10 entries. Together they must be below 1 MB including JSON's overhead (256 KB before 2026, and in some regions perhaps
 * still). So events are sent together up to less than 256 KB, and a larger one alone. Source: EventBridge API reference, PutEvents, and
 * AWS Compute Blog, "More room to build", 29 January 2026.
 */
const LIMITS = { events: 10, eventBytes: 1_000_000, callBytes: 250_000 } as const;

/**
 * A destination that is an EventBridge bus.
 *
 * @param bus name or ARN of the bus
 */
export function eventBus(bus: string, connection: Connection = {}): Destination {
  const client = new EventBridgeClient({ ...CLIENT_OPTIONS, requestHandler: QUICK_REQUESTS, ...connection });
  return {
    limits: LIMITS,
    async send(events, options) {
      const Entries = events.map(({ text }) => ({
        EventBusName: bus,
        Source: EVENT_SOURCE,
        DetailType: EVENT_DETAIL_TYPE,
        Detail: text,
      }));
      const answer = await client.send(new PutEventsCommand({ Entries }), options);
      return events.flatMap((_event, index) => {
        const why = whyRefused(answer.Entries?.[index]);
        return why === undefined ? [] : [{ index, why }];
      });
    },
  };
}

/** Why the entry was refused; undefined: it was accepted. */
function whyRefused(entry: PutEventsResultEntry | undefined): Why | undefined {
  if (entry?.EventId !== undefined && entry.ErrorCode === undefined) return undefined;
  const { ErrorCode: reason = 'NoAnswer', ErrorMessage: message } = entry ?? {};
  return { reason, message, isForTheEvent: isForTheEvent(reason) };
}
