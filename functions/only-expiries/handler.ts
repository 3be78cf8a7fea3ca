import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { InvalidArgumentError } from '../../expiry/errors.ts';
import type { EventImage, ExpiryEvent } from '../../expiry/expiry-event.ts';
import { isExpiryBy } from '../../expiry/is-expiry.ts';
import { storedNumber } from '../../expiry/stored-number.ts';
import { changedAtMs } from '../../expiry/stream-record.ts';
import { deploymentMetrics } from '../runtime/deployment-metric.ts';
import { type Limits, type PipedRecord, TARGET_LIMITS } from './contract.ts';

/** A pipe that keeps up, or only waits for a full batch, records no age and costs nothing. */
export const MIN_AGE_SECONDS = 300;

const MAX_FOUR_DIGIT_YEAR_MS = Date.UTC(10_000, 0, 1);

/**
 * The events of the expiries among the records that a pipe has read, in their order, and at most one for each. Without an event the pipe
 * calls no target. Source: EventBridge User Guide, "Filtering events using enrichment".
 *
 * A record that cannot be judged fails the whole call, so that none of it reaches the target. The pipe halves the batch and tries again;
 * the record that is left goes to the failure queue.
 *
 * @throws InvalidArgumentError for anything but records of a pipe, and for a removal without its old image or its time
 */
export function onlyExpiries(batch: readonly PipedRecord[]): ExpiryEvent[] {
  const [first] = batch;
  return first === undefined ? [] : withinCall(batch.filter(isExpired).map(eventOf), first);
}

function isExpired({ table, ttlAttribute, record }: PipedRecord): boolean {
  try {
    return isExpiryBy(ttlAttribute, record);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const field = `${table}, event ${record?.eventID}: ${error.problem.field}`;
    throw new InvalidArgumentError({ ...error.problem, field });
  }
}

function eventOf({ table, ttlAttribute, to, oldImage, record }: PipedRecord): ExpiryEvent {
  const { Keys, OldImage } = record.dynamodb;
  const plain: ExpiryEvent = {
    id: record.eventID,
    table,
    key: Keys,
    group: groupOf(Keys),
    expiredAt: OldImage === undefined ? null : ttlTime(OldImage, ttlAttribute),
    deletedAt: new Date(changedAtMs(record)).toISOString(),
  };
  if (!oldImage || OldImage === undefined) return plain;
  const whole = { ...plain, oldImage: OldImage };
  const { event, refused }: Limits = TARGET_LIMITS[to];
  const text = JSON.stringify(OldImage);
  if (bytesOf(whole) <= event && !refused?.test(text)) return whole;
  if (to !== 'archive') return { ...plain, oldImageOmitted: true };
  return { ...plain, oldImageGzip: gzipSync(text).toString('base64') };
}

function groupOf(key: EventImage): string {
  const inOneOrder = Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(inOneOrder)).digest('hex');
}

function ttlTime(item: EventImage, ttlAttribute: string): string | null {
  const ttl = Object.hasOwn(item, ttlAttribute) ? item[ttlAttribute] : undefined;
  const ms = Math.floor(storedNumber(ttl) * 1000);
  return ms >= 0 && ms < MAX_FOUR_DIGIT_YEAR_MS ? new Date(ms).toISOString() : null;
}

/** Leaves out the largest images until all events fit into one call. An archive needs them all: there the pipe halves the batch. */
function withinCall(events: readonly ExpiryEvent[], { table, to }: PipedRecord): ExpiryEvent[] {
  const { call } = TARGET_LIMITS[to];
  const sizes = events.map((event, place) => ({ place, bytes: bytesOf(event) }));
  let sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
  if (to === 'archive' && sum > call)
    throw new Error(`${table}: ${sum} bytes are more than the ${call} of one call. Their pipe halves them.`);
  const fitting = [...events];
  for (const { place, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
    if (sum <= call) break;
    const { oldImage, ...event } = events[place] as ExpiryEvent;
    if (oldImage === undefined) continue;
    fitting[place] = { ...event, oldImageOmitted: true };
    sum += bytesOf(fitting[place]) - bytes;
  }
  return fitting;
}

const bytesOf = (event: ExpiryEvent): number => Buffer.byteLength(JSON.stringify(event)) + 1;

/**
 * Records the age of the oldest record, in whole seconds: pipes have no metric of it. A batch that does not get through comes again, and
 * its age rises.
 *
 * @param nowMs epoch milliseconds
 */
export function recordAge(batch: readonly PipedRecord[], nowMs: number): void {
  const times = batch.map(({ record }) => record?.dynamodb?.ApproximateCreationDateTime);
  const seconds = Math.floor(nowMs / 1000 - Math.min(...times.filter(Number.isFinite)));
  const [first] = batch;
  if (first === undefined || seconds < MIN_AGE_SECONDS) return;
  deploymentMetrics()('ExpiryAge', seconds, { table: first.table, to: first.to });
}

export const handler = async (batch: readonly PipedRecord[]): Promise<ExpiryEvent[]> => {
  if (!Array.isArray(batch)) {
    throw new InvalidArgumentError({
      field: 'event',
      expected: 'a list of records, as a pipe of this deployment gives it',
      got: batch,
      remedy: 'Let a pipe call this function.',
    });
  }
  // Before the work, since a call that fails records nothing afterwards.
  recordAge(batch, Date.now());
  return onlyExpiries(batch);
};
