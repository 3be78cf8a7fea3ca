import { gunzipSync } from 'node:zlib';
import type { ArchiveLine } from '../functions/archive/archive-line.ts';
import type { ItemImage } from '../functions/stream/event.ts';
import type { ArrivedEvent, LocalServices } from '../local/services/local-services.ts';

/** An event of an expiry, as it arrived. */
export interface ExpiryEvent {
  /** The same when the event is delivered again. */
  readonly id: string;
  readonly table: string;
  /** In DynamoDB JSON. */
  readonly key: ItemImage;
  /** ISO time of the TTL. */
  readonly expiredAt: string;
  /** ISO time of the deletion, to the second. */
  readonly deletedAt: string;
  /** The item as it was, in DynamoDB JSON: with `oldImage: true`, unless it was too large. */
  readonly oldImage?: ItemImage;
}

/** What expiries have led to. */
export class ExpiryOutcome {
  readonly #events: ExpiryEvent[] = [];

  addEvent({ text }: ArrivedEvent): void {
    this.#events.push(JSON.parse(text) as ExpiryEvent);
  }

  get events(): readonly ExpiryEvent[] {
    return [...this.#events];
  }
}

/** The lines of all objects, in the order of their keys. */
export async function archivedLines({ s3, used }: LocalServices): Promise<ArchiveLine[]> {
  const lines: ArchiveLine[] = [];
  for (const bucket of s3 === undefined ? [] : used.buckets) {
    for (const key of (await s3?.keys(bucket)) ?? []) {
      const text = gunzipSync((await s3?.read(bucket, key)) ?? Buffer.alloc(0)).toString();
      for (const line of text.split('\n')) if (line !== '') lines.push(JSON.parse(line) as ArchiveLine);
    }
  }
  return lines;
}
