import { gunzipSync } from 'node:zlib';
import type { ArchiveLine } from '../functions/archive/archive-line.ts';
import type { ArrivedEvent, LocalServices } from '../local/services/local-services.ts';
import type { ExpiryEvent } from './local-precise-ttl.ts';

/** The archive lines and events of expiries. */
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
