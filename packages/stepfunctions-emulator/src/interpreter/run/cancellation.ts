import { Cancelled } from '../failure.ts';

/**
 * Ends everything that runs in one part of an execution. Parts nest: cancelling a part cancels the parts inside of it. A large Map needs
 * thousands of Cancellations; each is cheaper than an AbortSignal.
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

  onCancel(listener: () => void): () => void {
    if (this.#cancelled) {
      listener();
      return () => {};
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates a part inside this part. Call `release` when the inner part has ended: otherwise the outer part keeps the inner part. */
  part(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    return { cancellation, release: this.onCancel(() => cancellation.cancel()) };
  }

  throwIfCancelled(): void {
    if (this.#cancelled) throw new Cancelled();
  }
}
