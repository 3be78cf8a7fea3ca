import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { InvalidArgumentError } from '../../expiry/errors.ts';
import type { EventImage, ExpiryEvent } from '../../expiry/expiry-event.ts';
import { isExpiryBy } from '../../expiry/is-expiry.ts';
import { storedNumber } from '../../expiry/stored-number.ts';
import { changedAtMs } from '../../expiry/stream-record.ts';
import { lambdaDeploymentMetrics } from '../runtime/deployment-metric.ts';
import { type Limits, type PipedRecord, TARGET_LIMITS } from './contract.ts';

/** Seconds from which an age is recorded. A pipe that keeps up, or only waits for a full batch, records none and costs nothing. */
export const MIN_AGE_SECONDS = 300;

/** End of the years with four digits, so that all dates have the same length. */
const YEARS_END_MS = Date.UTC(10_000, 0, 1);

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
  const events = batch.filter(isExpired).map(eventOf);
  const [first] = batch;
  return first === undefined ? [] : withinCall(events, first);
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

/** A hash of the key that does not depend on the order of its attributes. */
function groupOf(key: EventImage): string {
  const sorted = Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

function ttlTime(item: EventImage, ttlAttribute: string): string | null {
  const ttl = Object.hasOwn(item, ttlAttribute) ? item[ttlAttribute] : undefined;
  const ms = Math.floor(storedNumber(ttl) * 1000);
  return ms >= 0 && ms < YEARS_END_MS ? new Date(ms).toISOString() : null;
}

/** Leaves out the largest images until all events fit into one call. An archive needs them all: there the pipe halves the batch. */
function withinCall(events: readonly ExpiryEvent[], { table, to }: PipedRecord): ExpiryEvent[] {
  const most = TARGET_LIMITS[to].call;
  const sizes = events.map(bytesOf);
  let sum = sizes.reduce((all, size) => all + size, 0);
  if (to === 'archive' && sum > most)
    throw new Error(
      `${table}: ${events.length} items have ${sum} bytes, more than the ${most} of one call. Their pipe halves them.`,
    );
  const fitting = [...events];
  for (const [place] of [...sizes.entries()].sort(([, a], [, b]) => b - a)) {
    const { oldImage, ...event } = events[place] as ExpiryEvent;
    if (sum <= most) break;
    if (oldImage === undefined) continue;
    fitting[place] = { ...event, oldImageOmitted: true };
    sum += bytesOf(fitting[place]) - (sizes[place] ?? 0);
  }
  return fitting;
}

const bytesOf = (event: ExpiryEvent): number => Buffer.byteLength(JSON.stringify(event)) + 1;

/**
 * Records the age of the oldest record, in whole seconds: pipes have no metric of it. A batch that does not get through comes again and
 * again, and its age rises. Called before the work, because a call that fails records nothing afterwards.
 *
 * @param nowMs epoch milliseconds
 */
export function recordAge(batch: readonly PipedRecord[], nowMs: number): void {
  const times = batch.map(({ record }) => record?.dynamodb?.ApproximateCreationDateTime);
  const seconds = Math.floor(nowMs / 1000 - Math.min(...times.filter(Number.isFinite)));
  const [first] = batch;
  if (first === undefined || seconds < MIN_AGE_SECONDS) return;
  lambdaDeploymentMetrics()('ExpiryAge', seconds, { table: first.table, to: first.to });
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
  recordAge(batch, Date.now());
  return onlyExpiries(batch);
};
