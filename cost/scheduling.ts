import { CALL_MS, FUNCTION_MEMORY_MB } from './assumptions.ts';
import { PRICES } from './prices.ts';

/** Prices in dollars of services for a job's event, in us-east-1, as of 2026-11-22, without free tiers; each is for up to 64 KB. */
export const EVENT_PRICES = {
  /** https://aws.amazon.com/eventbridge/pricing/, custom events: $1 per million. */
  busEvents: 1 / 1e6,
  /** The same page, Scheduler: $1 per million invocations. Creating and deleting schedules is free. */
  schedulerInvocations: 1 / 1e6,
  /** https://aws.amazon.com/sqs/pricing/, standard queues, the first tier: $0.40 per million requests. */
  queueRequests: 0.4 / 1e6,
  /** The same page, FIFO queues: $0.50. */
  fifoQueueRequests: 0.5 / 1e6,
  /** https://aws.amazon.com/kinesis/data-streams/pricing/, provisioned: $0.014 per million PUT payload units of 25 KB. */
  streamPutUnits: 0.014 / 1e6,
} as const;

/** Requests per message: each is sent, received and deleted. */
const REQUESTS_PER_MESSAGE = 3;

/** Dollars per event for each destination of a job's event, without the worker's own calls. */
export const JOB_DESTINATIONS = {
  'a function': 0,
  'an event bus': EVENT_PRICES.busEvents,
  'a queue': REQUESTS_PER_MESSAGE * EVENT_PRICES.queueRequests,
  'a FIFO queue': REQUESTS_PER_MESSAGE * EVENT_PRICES.fifoQueueRequests,
  /** Without the stream's shard hours, which serve other data too. */
  'a stream': EVENT_PRICES.streamPutUnits,
} as const;

export type JobDestination = keyof typeof JOB_DESTINATIONS;

/**
 * Dollars for the event of an expiry, if it is the only one in its batch of the stream. Lambda reads the stream for free:
 * https://aws.amazon.com/dynamodb/pricing/on-demand/, DynamoDB Streams.
 */
export function dollarsPerEvent(destination: JobDestination): number {
  const made = (CALL_MS / 1000) * (FUNCTION_MEMORY_MB / 1024) * PRICES.functionGbSeconds;
  return PRICES.functionInvocations + made + JOB_DESTINATIONS[destination];
}

/**
 * Dollars for a job as an item that expires: its write, its share of the table's monthly cost, and its event.
 *
 * @param jobsPerMonth jobs as items of up to 1 KB
 * @param tableDollars monthly cost of the table, without the writes of the items
 */
export function dollarsPerJob(
  destination: JobDestination,
  { jobsPerMonth, tableDollars }: { jobsPerMonth: number; tableDollars: number },
): number {
  return PRICES.dynamoDbWriteUnits + tableDollars / jobsPerMonth + dollarsPerEvent(destination);
}

/** Dollars for a one-time schedule of EventBridge Scheduler. */
export const DOLLARS_PER_SCHEDULE = EVENT_PRICES.schedulerInvocations;

/** Dollars for a delayed message of a queue. */
export const DOLLARS_PER_DELAY = JOB_DESTINATIONS['a queue'];
