import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { isExpiry } from '../../expiry/is-expiry.ts';
import { changedAtMs } from '../../expiry/stream-record.ts';
import { readEnvironment, type SweepSettings } from '../runtime/environment.ts';
import { type BatchAnswer, batchAnswer } from '../stream/batch-failures.ts';
import { type DynamoDbStreamEvent, type DynamoDbStreamRecord, recordsOf } from '../stream/event.ts';
import { recordDelay } from '../stream/reader-delay.ts';
import { cutIntoCalls } from './calls.ts';
import { consumerFunction } from './consumer-function.ts';
import { dataStream } from './data-stream.ts';
import { deliver } from './deliver.ts';
import type { Destination } from './destination.ts';
import { byDestination, DESTINATIONS, type DestinationName, destinationIn } from './destinations.ts';
import { eventBus } from './event-bus.ts';
import { type OutgoingExpiry, outgoing } from './outgoing.ts';
import { queue } from './queue.ts';
import { type EventsSettings, readEventsSettings } from './settings.ts';

/** The handler's dependencies, made from its process; tests pass their own. */
export interface PublishRuntime {
  readonly settings: Pick<SweepSettings, 'tableName' | 'model' | 'logKeys'> &
    Pick<EventsSettings, 'eventsOldImage' | 'eventsSince'>;
  readonly destination: Destination;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** The part of Lambda's context that is used. */
export interface TimeLimit {
  readonly getRemainingTimeInMillis: () => number;
}

/** Milliseconds reserved for the answer. Without an answer, Lambda would deliver the whole batch again. */
const ANSWER_MS = 2_000;

/**
 * Makes events of the expiries in a batch of the table's stream, and delivers them.
 *
 * 1. Every record is judged before anything is sent. The first record that cannot be judged ends the batch. No record is skipped, except
 *    those from before the events were turned on, which a stream keeps for 24 hours.
 * 2. Events are sent in the order of their records, so the events of one item stay in order.
 * 3. A second call with the same records delivers the same events again, with the same ids.
 *
 * @returns the first record whose event is not delivered, which Lambda delivers again with all that follow it
 */
export async function publishExpiries(
  event: DynamoDbStreamEvent,
  runtime: PublishRuntime,
  { getRemainingTimeInMillis }: TimeLimit,
): Promise<BatchAnswer> {
  const { settings, destination, logger, clock } = runtime;
  const deadline = clock() + getRemainingTimeInMillis() - ANSWER_MS;
  const { expiries, unjudged } = judge(recordsOf(event), runtime);
  const onImageOmitted = ({ id }: OutgoingExpiry) => logger.warn('sent without its old image', { id });
  const calls = cutIntoCalls(expiries, destination.limits, onImageOmitted);
  const { send } = destination;
  const undelivered = await deliver(calls, { ...runtime, send, deadline, onImageOmitted });
  const [first] = undelivered?.events ?? [];
  if (undelivered === undefined) return batchAnswer(unjudged);
  const { reason, message } = undelivered.why;
  logger.error('cannot deliver', {
    id: first?.id,
    reason,
    // A message can repeat values of the event, including a key.
    ...(settings.logKeys === 'full' && { message }),
  });
  return batchAnswer(first?.record);
}

/** Start of the events in epoch milliseconds, rounded to a whole second like the times of records. */
function startOf({ eventsSince }: PublishRuntime['settings']): number {
  return eventsSince === undefined ? 0 : Math.floor(Date.parse(eventsSince) / 1000) * 1000;
}

/** Returns the expiries among the records, up to the first record that cannot be judged. */
function judge(
  records: readonly DynamoDbStreamRecord[],
  { settings, logger }: PublishRuntime,
): { expiries: OutgoingExpiry[]; unjudged?: DynamoDbStreamRecord } {
  const expiries: OutgoingExpiry[] = [];
  const sinceMs = startOf(settings);
  for (const record of records) {
    try {
      if (changedAtMs(record) >= sinceMs && isExpiry(settings.model, record))
        expiries.push(outgoing(record, settings));
    } catch (error) {
      const { name, message } = error as Error;
      logger.error('cannot judge', {
        id: record.eventID,
        reason: name,
        ...(settings.logKeys === 'full' && { message }),
      });
      return { expiries, unjudged: record };
    }
  }
  return { expiries };
}

let runtime: PublishRuntime | undefined;

/** Makes the runtime at the first call and reuses it while the execution environment lives. */
function lambdaRuntime(): PublishRuntime {
  if (runtime !== undefined) return runtime;
  const settings = { ...readEnvironment(process.env), ...readEventsSettings(process.env) };
  runtime = {
    settings,
    destination: destinationOf(settings),
    logger: new Logger(),
    clock: Date.now,
    random: Math.random,
    sleep: ms => sleep(ms),
  };
  return runtime;
}

/** The module of each kind of destination. */
const SENDERS: Readonly<Record<DestinationName, (given: string) => Destination>> = {
  eventBus: given => eventBus(given),
  queueArn: given => queue(given),
  functionArn: given => consumerFunction(given),
  streamArn: given => dataStream(given),
};

/** The destination in the environment's settings: exactly one, as their check ensures. */
export function destinationOf(settings: EventsSettings): Destination {
  const settingOf = (name: DestinationName) => settings[DESTINATIONS[name].setting];
  const given = byDestination(settingOf);
  const name = destinationIn(given) ?? 'functionArn';
  return SENDERS[name](given[name] ?? '');
}

export const handler = async (event: DynamoDbStreamEvent, context: TimeLimit): Promise<BatchAnswer> => {
  recordDelay(event);
  return publishExpiries(event, lambdaRuntime(), context);
};
