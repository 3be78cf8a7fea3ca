import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { ScanPage } from '../../../functions/backfill-segment/scan-page.ts';
import type { ScannedItem } from '../../../functions/backfill-segment/stored-window.ts';
import type { WriteOutcome } from '../../../functions/backfill-segment/write-window.ts';
import type { SegmentProgress } from '../../../statemachine/backfill-contract.ts';

interface Stored {
  readonly id: string;
  readonly ttl: number;
}

/** Items of a page. */
const PAGE = 150;

/** A table in memory for the backfill: its segments are the remainders of the items' numbers. */
export class BackfillTable {
  readonly #items: readonly Stored[];
  readonly #windows = new Map<string, string>();
  /** When a window was written, epoch milliseconds. */
  readonly writes: number[] = [];
  /** Ids of items that cannot be written. */
  readonly refused = new Set<string>();

  constructor(items: readonly Stored[]) {
    this.#items = items;
  }

  reader({ segment, segments }: Pick<SegmentProgress, 'segment' | 'segments'>): ScanPage {
    const ours = this.#items.filter((_item, index) => index % segments === segment);
    return async position => {
      const last = position?.['id'];
      const id = last && 'S' in last ? last.S : undefined;
      const from = id === undefined ? 0 : ours.findIndex(item => item.id === id) + 1;
      const page = ours.slice(from, from + PAGE);
      const end = page.at(-1);
      return {
        items: page.map(item => ({
          id: item.id,
          ttl: NumberValue.from(`${item.ttl}`),
          ...(this.#windows.has(item.id) && { expirationWindow: this.#windows.get(item.id) }),
        })),
        next: end !== undefined && from + PAGE < ours.length ? { id: { S: end.id } } : null,
      };
    };
  }

  async write(item: ScannedItem, window: string, nowMs: number): Promise<WriteOutcome> {
    const id = String(item['id']);
    if (this.refused.has(id)) return 'failed';
    this.#windows.set(id, window);
    this.writes.push(nowMs);
    return 'stamped';
  }

  unstamped(): number {
    return this.#items.length - this.#windows.size;
  }
}
