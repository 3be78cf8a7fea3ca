import { Cancelled } from '../failure.ts';

/**
 * Ends everything that runs in one part of an execution. Parts nest: cancelling a part cancels the parts inside of it. Cheaper than
 * AbortSignal, of which a large Map would need thousands.
 */
export class Cancellation {
  #cancelled = false;
  readonly #listeners = new Set<() => void>();

  get cancelled(): boolean {
    return this.#cancelled;
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  /** Calls `listener` when cancelled, immediately if that has happened; returns a function that removes the listener. */
  onCancel(listener: () => void): () => void {
    if (this.#cancelled) {
      listener();
      return () => {};
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates a part inside this one. `release` it when it has ended, otherwise this one keeps a reference to it. */
  part(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    return { cancellation, release: this.onCancel(() => cancellation.cancel()) };
  }

  throwIfCancelled(): void {
    if (this.#cancelled) throw new Cancelled();
  }
}
