import { CALL_MS } from './assumptions.ts';
import { PRICES } from './prices.ts';

/** Dollars for what a job's event takes, in us-east-1, as on 2026-11-22, without free tiers; up to 64 KB each. */
export const EVENT_PRICES = {
  /** https://aws.amazon.com/eventbridge/pricing/, custom events: $1 per million. */
  busEvents: 1 / 1e6,
  /** The same page, Scheduler: $1 per million invocations. Making and deleting schedules is free. */
  schedulerInvocations: 1 / 1e6,
  /** https://aws.amazon.com/sqs/pricing/, standard queues, the first tier: $0.40 per million requests. */
  queueRequests: 0.4 / 1e6,
  /** The same page, FIFO queues: $0.50. */
  fifoQueueRequests: 0.5 / 1e6,
  /** https://aws.amazon.com/kinesis/data-streams/pricing/, provisioned: $0.014 per million PUT payload units of 25 KB. */
  streamPutUnits: 0.014 / 1e6,
} as const;

/** Each message is sent, received and deleted. */
const REQUESTS_PER_MESSAGE = 3;

/** Where the event of a job goes, and what that costs for each, dollars. The worker's own calls are not in it. */
export const JOB_DESTINATIONS = {
  'a function': 0,
  'an event bus': EVENT_PRICES.busEvents,
  'a queue': REQUESTS_PER_MESSAGE * EVENT_PRICES.queueRequests,
  'a FIFO queue': REQUESTS_PER_MESSAGE * EVENT_PRICES.fifoQueueRequests,
  /** The hours of the stream's shards, which it has for others too, are not in it. */
  'a stream': EVENT_PRICES.streamPutUnits,
} as const;

export type JobDestination = keyof typeof JOB_DESTINATIONS;

/**
 * The event of an expiry, dollars, as if it were the only one in its batch of the stream. Lambda reads the stream for free:
 * https://aws.amazon.com/dynamodb/pricing/on-demand/, DynamoDB Streams.
 *
 * @param functionMb memory of the function that makes the events
 */
export function dollarsPerEvent(destination: JobDestination, functionMb: number): number {
  const made = (CALL_MS / 1000) * (functionMb / 1024) * PRICES.functionGbSeconds;
  return PRICES.functionInvocations + made + JOB_DESTINATIONS[destination];
}

/**
 * A job as an item that expires, dollars: its write, its share of the table's month, and its event.
 *
 * @param jobsPerMonth of items up to 1 KB
 * @param tableDollars what the table costs a month, without the writes of the items
 */
export function dollarsPerJob(
  destination: JobDestination,
  {
    jobsPerMonth,
    tableDollars,
    functionMb,
  }: { jobsPerMonth: number; tableDollars: number; functionMb: number },
): number {
  return PRICES.dynamoDbWriteUnits + tableDollars / jobsPerMonth + dollarsPerEvent(destination, functionMb);
}

/** A one-time schedule of EventBridge Scheduler, dollars. */
export const DOLLARS_PER_SCHEDULE = EVENT_PRICES.schedulerInvocations;

/** A message of a queue that delays it, dollars. */
export const DOLLARS_PER_DELAY = JOB_DESTINATIONS['a queue'];
