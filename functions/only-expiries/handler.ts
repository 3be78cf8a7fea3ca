import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { EventImage, EventValue, ExpiryEvent } from '../../expiry/expiry-event.ts';
import { changedAtMs, isExpiryBy } from '../../expiry/is-expiry.ts';
import { storedNumber } from '../../expiry/ttl.ts';
import { deploymentMetrics } from '../runtime/deployment-metric.ts';
import { type Limits, type PipedRecord, TARGET_LIMITS } from './contract.ts';

/** A pipe that keeps up, or waits for a full batch, has younger records. Their age is not recorded, since each metric costs money. */
export const MIN_AGE_SECONDS = 300;

/**
 * Returns one event for each record that is an expiry, in the order of the records. Without an event the pipe calls no target. Source:
 * EventBridge User Guide, "Filtering events using enrichment".
 *
 * A record that cannot be judged fails the whole call, so that no record of the call reaches the target. The pipe halves the batch and
 * tries again. At the end, the record alone goes to the failure queue.
 *
 * @throws Error with the table and the event, for a value that is no record, and for a removal without its old image or its time
 */
export function onlyExpiries(batch: readonly PipedRecord[]): ExpiryEvent[] {
  const [first] = batch;
  return first === undefined ? [] : withinCall(batch.filter(isExpired).map(eventOf), first);
}

function isExpired({ table, ttlAttribute, record }: PipedRecord): boolean {
  try {
    return isExpiryBy(ttlAttribute, record);
  } catch (cause) {
    throw new Error(`${table}, event ${record?.eventID}: ${(cause as Error).message}`, { cause });
  }
}

function eventOf({ table, ttlAttribute, to, oldImage, record }: PipedRecord): ExpiryEvent {
  const { Keys, OldImage } = record.dynamodb;
  const plain: ExpiryEvent = {
    id: record.eventID,
    table,
    key: Keys,
    group: groupOf(Keys),
    expiredAt: timeOf(OldImage?.[ttlAttribute]),
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
  const inOneOrder = JSON.stringify(Object.entries(key).sort());
  return createHash('sha256').update(inOneOrder).digest('hex');
}

/** Null if there is no TTL, or if its year does not have four digits. */
function timeOf(ttl: EventValue | undefined): string | null {
  const ms = storedNumber(ttl) * 1000;
  return ms >= 0 && ms < Date.UTC(10_000, 0, 1) ? new Date(ms).toISOString() : null;
}

/** Leaves out the largest images until all events fit into one call. An archive needs all images: its pipe halves the batch instead. */
function withinCall(events: readonly ExpiryEvent[], { table, to }: PipedRecord): ExpiryEvent[] {
  const { call } = TARGET_LIMITS[to];
  const fitting = [...events];
  const bytes = events.map(bytesOf);
  const sum = () => bytes.reduce((all, each) => all + each, 0);
  while (sum() > call) {
    const largest = bytes.indexOf(Math.max(...bytes));
    const { oldImage, ...event } = fitting[largest] as ExpiryEvent;
    if (to === 'archive' || oldImage === undefined)
      throw new Error(`${table}: ${sum()} bytes are over the ${call} of one call. Their pipe halves them.`);
    fitting[largest] = { ...event, oldImageOmitted: true };
    bytes[largest] = bytesOf(fitting[largest]);
  }
  return fitting;
}

const bytesOf = (event: ExpiryEvent): number => Buffer.byteLength(JSON.stringify(event)) + 1;

/** Records the oldest record's age, since Pipes has no such metric. A batch whose call fails comes again, with a higher age. */
export function recordAge(batch: readonly PipedRecord[], nowMs: number): void {
  const times = batch.map(({ record }) => record?.dynamodb?.ApproximateCreationDateTime);
  const seconds = Math.floor(nowMs / 1000 - Math.min(...times.filter(Number.isFinite)));
  const [first] = batch;
  if (first === undefined || seconds < MIN_AGE_SECONDS) return;
  deploymentMetrics()('ExpiryAge', seconds, { table: first.table, to: first.to });
}

export const handler = async (batch: readonly PipedRecord[]): Promise<ExpiryEvent[]> => {
  // The age is recorded before the work, since a call that fails records nothing afterwards.
  recordAge(batch, Date.now());
  return onlyExpiries(batch);
};
