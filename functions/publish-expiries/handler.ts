import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { isExpiry } from '../../expiry/is-expiry.ts';
import { readSettings, type SweepSettings } from '../runtime/environment.ts';
import { type BatchAnswer, batchAnswer } from '../stream/batch-failures.ts';
import type { DynamoDbStreamEvent } from '../stream/event.ts';
import { cutIntoCalls } from './calls.ts';
import { deliver } from './deliver.ts';
import type { Destination } from './destination.ts';
import { type OutgoingExpiry, outgoing } from './outgoing.ts';
import { type EventsSettings, readEventsSettings } from './settings.ts';

/** What the handler takes from the process it runs in; tests pass their own. */
export interface PublishRuntime {
  readonly settings: Pick<SweepSettings, 'tableName' | 'model' | 'logKeys'> &
    Pick<EventsSettings, 'eventsOldImage'>;
  readonly destination: Destination;
  readonly logger: Pick<Logger, 'warn'>;
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

/** What is left of the function's time for its answer. Without one, Lambda would deliver the whole batch again. */
const ANSWER_MS = 2_000;

/**
 * Makes events of the expiries in a batch of the table's stream, and delivers them. An expiry whose event could not be delivered is told
 * to Lambda, which calls again with it and what follows it.
 *
 * @throws InvalidArgumentError for a stream without old images
 */
export async function publishExpiries(
  { Records }: DynamoDbStreamEvent,
  { settings, destination, logger, clock, random, sleep }: PublishRuntime,
  { getRemainingTimeInMillis }: TimeLimit,
): Promise<BatchAnswer> {
  const deadline = clock() + getRemainingTimeInMillis() - ANSWER_MS;
  const expiries = Records.filter(record => isExpiry(settings.model, record));
  const events = expiries.map(record => outgoing(record, settings));
  const onImageOmitted = ({ id }: OutgoingExpiry) => logger.warn('sent without its old image', { id });
  const calls = cutIntoCalls(events, destination.limits, onImageOmitted);
  const { send } = destination;
  const undelivered = await deliver(calls, { send, clock, deadline, random, sleep, onImageOmitted });
  if (undelivered === undefined) return batchAnswer(undefined);
  const {
    events: [first],
    why: { reason, message },
  } = undelivered;
  logger.warn('not delivered, and left for another attempt', {
    id: first?.id,
    reason,
    // A message can repeat what it is about, and with it a key.
    ...(settings.logKeys === 'full' && { message }),
  });
  return batchAnswer(first?.record);
}

let runtime: Promise<PublishRuntime> | undefined;

async function lambdaRuntime(): Promise<PublishRuntime> {
  const settings = { ...readSettings(process.env), ...readEventsSettings(process.env) };
  return {
    settings,
    destination: await destinationOf(settings),
    logger: new Logger(),
    clock: Date.now,
    random: Math.random,
    sleep: ms => sleep(ms),
  };
}

/** Loads the one client that is needed: the three of them would take twice its time at each cold start. */
export async function destinationOf({
  eventsBus,
  eventsQueueUrl,
  eventsFunction = '',
}: EventsSettings): Promise<Destination> {
  if (eventsBus !== undefined) return (await import('./event-bus.ts')).eventBus(eventsBus);
  if (eventsQueueUrl !== undefined) return (await import('./queue.ts')).queue(eventsQueueUrl);
  return (await import('./consumer-function.ts')).consumerFunction(eventsFunction);
}

export const handler = async (event: DynamoDbStreamEvent, context: TimeLimit): Promise<BatchAnswer> => {
  runtime ??= lambdaRuntime();
  return publishExpiries(event, await runtime, context);
};
