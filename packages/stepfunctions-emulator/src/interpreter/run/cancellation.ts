import { Cancelled } from '../failure.ts';

/**
 * Cancels a part of an execution, with its inner parts. A large Map has thousands of parts: a Cancellation costs less than an AbortSignal.
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

  /** Creates a part inside this part. `release` must be called at the end of the inner part: otherwise the inner part stays in memory. */
  part(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    return { cancellation, release: this.onCancel(() => cancellation.cancel()) };
  }

  throwIfCancelled(): void {
    if (this.#cancelled) throw new Cancelled();
  }
}
