import type { ExpiryEvent } from '../../expiry/index.ts';
import { type LagPercentiles, lagPercentiles } from '../../lab/report/lag.ts';

/** What became of the events of a run. */
export interface ReceivedEvents {
  /** Items of which an event came. */
  readonly items: number;
  /** Events that came again. */
  readonly again: number;
  /** Events that came before their item's expiry; anything but 0 is a failure. */
  readonly early: number;
  /** From expiry to the first event of an item, milliseconds. */
  readonly lagMs: LagPercentiles;
}

/** Notes when the event of each item comes first. */
export class EventReceiver {
  readonly #lags = new Map<string, number>();
  #events = 0;

  /** @param atMs when it came, epoch milliseconds */
  receive({ key, expiredAt }: ExpiryEvent, atMs: number): void {
    this.#events += 1;
    const item = JSON.stringify(key);
    if (!this.#lags.has(item)) this.#lags.set(item, atMs - Date.parse(expiredAt ?? ''));
  }

  get items(): number {
    return this.#lags.size;
  }

  received(): ReceivedEvents {
    const lags = [...this.#lags.values()];
    return {
      items: this.items,
      again: this.#events - this.items,
      early: lags.filter(lag => !(lag >= 0)).length,
      lagMs: lagPercentiles(lags),
    };
  }
}
